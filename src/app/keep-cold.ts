/**
 * Old matches become objects: one account and day after another, by one node at a time. Objects with matches that went are written
 * anew, small ones of a day are written as one, and what nobody uses is deleted. A round does a little of each; what fails is tried again,
 * and nothing is lost by it.
 */
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { ObjectStore } from '../base/object-store.ts';
import type { Log } from '../service/telemetry.ts';
import type { ColdDraftStore, ColdMergeStore, ColdObject, ColdPlace, ColdTask, Store } from '../store/store.ts';

/** The pause between two rounds, and the pause when there was nothing to do. */
const BUSY_MS = 20;
const IDLE_MS = 5_000;
/** When all accounts were looked at, they are looked at again after this time, and on the next day. */
const LOOK_AGAIN_MS = 60 * 60 * 1_000;
/** They are looked at again after this time when the matches of one could not be moved. */
const TRY_AGAIN_MS = 60_000;
/** A planned object that is not in use after this time is deleted. */
const PLANNED_MS = 60 * 60 * 1_000;
/** Objects deleted in a round. */
const DELETED = 20;
/** When so many objects could not be deleted, none probably can: the rest waits until they are tried again. */
const MOST_UNDELETED = 100;
const DAY = 24 * 60 * 60 * 1_000;

export interface ColdDeps {
  readonly store: Store;
  readonly objects: ObjectStore;
  /** The writer of objects: a compute thread, or this process. */
  readonly drafts: Pick<ColdDraftStore, 'writeColdObject' | 'rewriteColdObject'> &
    Pick<ColdMergeStore, 'mergeColdObjects'>;
  /** Matches are cold after so many days; undefined: no more matches become objects. */
  readonly hotDays: number | undefined;
  readonly clock: Clock;
}

export async function keepCold(deps: ColdDeps, { log, signal }: { log: Log; signal: AbortSignal }): Promise<void> {
  const { store, clock } = deps;
  let hasFailed = false;
  const round = createColdRound(deps, (error) => {
    hasFailed = true;
    log.warn({ err: error }, 'old matches could not be moved into objects, or objects not deleted');
  });
  while (!signal.aborted) {
    const more = await round();
    // When it was the store that failed, the next round says so.
    if (hasFailed)
      hasFailed = await store.noteColdOutcome('failed', clock.now()).then(
        () => false,
        () => true,
      );
    await clock.sleep(more ? BUSY_MS : IDLE_MS, signal);
  }
}

/** Answers whether there is more to do. What fails keeps nothing else from being done. */
export function createColdRound(deps: ColdDeps, onProblem: (error: unknown) => void): () => Promise<boolean> {
  const { store, objects, hotDays, clock } = deps;
  const mergeSome = createMerging(deps);
  /** The account to go on after, and when to look for more once all were looked at. */
  let after = 0;
  /** The matches of an account could not be moved. */
  let isPassedOver = false;
  /** The stale object that could not be written anew, and when such are tried again. */
  let failed = '';
  let rewriteAt = Number.NEGATIVE_INFINITY;
  /** The objects that could not be deleted, and when they are tried again. */
  const undeleted = new Set<string>();
  let deleteAgainAt = Number.NEGATIVE_INFINITY;
  let rest: { readonly day: number; readonly until: number } | undefined;

  /** One that cannot be deleted stays among those that are taken, and keeps none of the others. */
  async function deleteLeftovers(): Promise<boolean> {
    if (clock.elapsed() >= deleteAgainAt) undeleted.clear();
    if (undeleted.size >= MOST_UNDELETED) return false;
    const limit = DELETED + undeleted.size;
    const keys = await store.takeColdLeftovers(clock.now(), limit);
    for (const key of keys.filter((one) => !undeleted.has(one))) {
      try {
        await objects.remove(key);
        await store.forgetColdLeftovers([key]);
      } catch (error) {
        if (undeleted.size === 0) deleteAgainAt = clock.elapsed() + TRY_AGAIN_MS;
        undeleted.add(key);
        onProblem(error);
      }
    }
    return keys.length === limit;
  }

  async function moveSome(days: number): Promise<boolean> {
    const before = new Date(clock.now().getTime() - days * DAY);
    const day = Math.floor(before.getTime() / DAY);
    if (rest !== undefined && rest.day === day && clock.elapsed() < rest.until) return false;
    rest = undefined;
    const { task, after: next } = await store.nextColdTask(after, before);
    try {
      if (task !== undefined) await move(deps, task);
    } catch (error) {
      // The other accounts go first.
      after = task!.account;
      isPassedOver = true;
      throw error;
    }
    after = next ?? 0;
    if (next !== undefined) return true;
    rest = { day, until: clock.elapsed() + (isPassedOver ? TRY_AGAIN_MS : LOOK_AGAIN_MS) };
    isPassedOver = false;
    return false;
  }

  /** One that cannot be written anew lets the others go first, and waits a while after them. */
  async function rewriteSome(): Promise<boolean> {
    if (clock.elapsed() < rewriteAt) return false;
    const stale = await store.staleColdObject(failed);
    if (stale === undefined && failed !== '') rewriteAt = clock.elapsed() + IDLE_MS;
    if (stale === undefined) failed = '';
    else
      await rewrite(deps, stale).catch((error: unknown) => {
        failed = stale.key;
        onProblem(error);
      });
    return stale !== undefined;
  }

  const works = [deleteLeftovers, rewriteSome, mergeSome, ...(hotDays === undefined ? [] : [() => moveSome(hotDays)])];
  return async () => {
    let more = false;
    for (const work of works) {
      try {
        more = (await work()) || more;
      } catch (error) {
        onProblem(error);
      }
    }
    return more;
  };
}

/** Looks at a few objects a round, and at all of them again after a while. */
function createMerging(deps: ColdDeps): () => Promise<boolean> {
  const { store, clock } = deps;
  let after: ColdPlace = BEGINNING;
  let restUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.elapsed() < restUntil) return false;
    const { objects: found, after: next } = await store.nextColdMerge(after);
    const [first] = found;
    // Objects that cannot be merged are passed over, also when the merge fails.
    after = first ?? next ?? BEGINNING;
    if (first === undefined && next === undefined) restUntil = clock.elapsed() + LOOK_AGAIN_MS;
    if (first !== undefined && (await merge(deps, found))) after = next ?? BEGINNING;
    return first !== undefined || next !== undefined;
  };
}

const BEGINNING: ColdPlace = { account: 0, first: 0 };

async function planned({ store, clock }: ColdDeps, folder: string): Promise<string> {
  const now = clock.now();
  const key = `${folder}/${newId('cold', now)}.parquet`;
  await store.planColdObject(key, new Date(now.getTime() + PLANNED_MS));
  return key;
}

/** By account and day, as readers of many files know it. */
async function move(deps: ColdDeps, task: ColdTask): Promise<void> {
  const key = await planned(deps, `account_id=${task.accountId}/day=${task.day}`);
  const draft = await deps.drafts.writeColdObject(task, key);
  if (draft !== undefined && (await deps.store.recordColdObject(draft))) await noteWrite(deps);
}

async function rewrite(deps: ColdDeps, stale: ColdObject): Promise<void> {
  const key = await planned(deps, folderOf(stale));
  const draft = await deps.drafts.rewriteColdObject(stale, key);
  if (await deps.store.replaceColdObject(stale.key, draft)) await noteWrite(deps);
}

/** The row points to the new object before the old ones are left to be deleted. Answers whether it does. */
async function merge(deps: ColdDeps, objects: readonly ColdObject[]): Promise<boolean> {
  const key = await planned(deps, folderOf(objects[0]!));
  const draft = await deps.drafts.mergeColdObjects(objects, key);
  const isDone = draft !== undefined && (await deps.store.recordColdMerge(draft));
  if (isDone) await noteWrite(deps);
  return isDone;
}

const folderOf = ({ key }: ColdObject): string => key.slice(0, key.lastIndexOf('/'));

const noteWrite = ({ store, clock }: ColdDeps): Promise<void> => store.noteColdOutcome('written', clock.now());
