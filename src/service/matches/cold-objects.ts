/** Objects of old matches are read, encoded and written in a compute thread; the main thread records them. */
import type { ColdDraft, ColdMerge, ColdObject, ColdTask } from '../../store/store.ts';
import type { Compute, ComputeWish, Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';

export const writeColdObject: Job<ReadContext, { task: ColdTask; key: string }, ColdDraft | undefined> = {
  name: 'writeColdObject',
  run: ({ store }, { task, key }) => store.writeColdObject(task, key),
};

export const rewriteColdObject: Job<ReadContext, { object: ColdObject; key: string }, ColdObject | undefined> = {
  name: 'rewriteColdObject',
  run: ({ store }, { object, key }) => store.rewriteColdObject(object, key),
};

export const mergeColdObjects: Job<
  ReadContext,
  { objects: readonly ColdObject[]; key: string },
  ColdMerge | undefined
> = {
  name: 'mergeColdObjects',
  run: ({ store }, { objects, key }) => store.mergeColdObjects(objects, key),
};

/** Does the store's own work beside the thread that answers requests. The jobs wait their turn like an account's. */
export function coldDrafts(compute: Compute<ReadContext>, signal: AbortSignal) {
  const wish: ComputeWish = { accountId: 'old matches', signal };
  return {
    writeColdObject: (task: ColdTask, key: string) => compute.run(writeColdObject, { task, key }, wish),
    rewriteColdObject: (object: ColdObject, key: string) => compute.run(rewriteColdObject, { object, key }, wish),
    mergeColdObjects: (objects: readonly ColdObject[], key: string) =>
      compute.run(mergeColdObjects, { objects, key }, wish),
  };
}
