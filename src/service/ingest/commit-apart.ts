/** A commit that the store refuses for what is in it is made in parts, so that all is stored but the events at fault. */
import { StoreError } from '../../store/error.ts';

/** Whether the store works, and refused what it was given. */
export const isRefused = (error: unknown): boolean =>
  error instanceof StoreError && (error.reason === 'refused' || error.reason === 'exists');

/** Events at fault that are looked for in one batch. Where there are more, the fault is hardly that of the events. */
const MOST_REFUSED = 8;

type Part = readonly [from: number, to: number];

/**
 * Commits so many events in their order, together if the store takes them so. Answers which it refuses. Throws what is no refusal:
 * then nothing was committed from where it stood.
 */
export async function commitApart(
  events: number,
  commit: (from: number, to: number) => Promise<void>,
  refuse: (event: number, error: unknown) => void,
): Promise<number[]> {
  const parts: Part[] = [[0, events]];
  const refused: number[] = [];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const [from, to] = part;
    try {
      await commit(from, to);
    } catch (error) {
      if (!isRefused(error) || to === from) throw error;
      if (to - from > 1) {
        parts.unshift(...halvesOf(part));
        continue;
      }
      refuse(from, error);
      if (refused.push(from) === MOST_REFUSED)
        throw new StoreError('unwritable', 'The store refuses many events at once.', { cause: error });
    }
  }
  return refused;
}

function halvesOf([from, to]: Part): Part[] {
  const middle = (from + to) >>> 1;
  return [
    [from, middle],
    [middle, to],
  ];
}
