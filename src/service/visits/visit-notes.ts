/** Writes down visits. Those that end while others are being written go together into the next transaction. */
import type { SourceVisit, Store } from '../../store/store.ts';

interface Waiting {
  readonly visit: SourceVisit;
  readonly written: PromiseWithResolvers<boolean>;
}

/** Answers whether the visit was written down: not when another one was since its fetch was read. */
export type NoteVisit = (visit: SourceVisit) => Promise<boolean>;

export function createVisitNotes(store: Pick<Store, 'noteVisits'>): NoteVisit {
  let waiting: Waiting[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const noted = await store.noteVisits(batch.map(({ visit }) => visit));
        for (const [at, { written }] of batch.entries()) written.resolve(noted[at]!);
      } catch (error) {
        for (const { written } of batch) written.reject(error);
      }
    }
    isWriting = false;
  }

  return (visit) => {
    const written = Promise.withResolvers<boolean>();
    waiting.push({ visit, written });
    if (!isWriting) void write();
    return written.promise;
  };
}
