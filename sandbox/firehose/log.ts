/**
 * The updates of one tap, kept for a day. Readers begin anywhere in it and go on live. A place in the log is a number that
 * only grows; the ids on the wire are `{partition}-{offset}`, which may jump, split and begin again.
 */
import type { Clock } from '../../src/base/clock.ts';

export interface Update {
  readonly partition: number;
  readonly offset: number;
  readonly at: number;
  readonly queryIds: readonly string[];
  /** The data of the event. */
  readonly json: string;
  /** Live readers do not get it; a replay has it: F4. */
  readonly onlyReplayed: boolean;
}

export const updateId = ({ partition, offset }: Update): string => `${partition}-${offset}`;

export interface Log {
  append(update: Omit<Update, 'at' | 'partition' | 'offset'>): Update;
  /** The update at a place; undefined past the end. */
  at(place: number): Update | undefined;
  /** One past the last. */
  readonly end: number;
  readonly start: number;
  /** The place after this id. */
  after(partition: number, offset: number): number;
  /** The place of the first update of partition 0 with at least this offset. */
  from(offset: number): number;
  since(time: number): number;
  /** Resolves when an update was appended, or at `wake`. */
  grown(): Promise<void>;
  wake(): void;
  forget(): void;
  /** The next offset; partition 1 is used for every other update when `split`. */
  readonly offsets: { next: number; split: boolean };
}

const DAY = 24 * 3_600_000;

export function createLog(clock: Clock, keep: number, first: number): Log {
  let updates: Update[] = [];
  /** The place of the first update that is kept. */
  let start = 0;
  let second = 17;
  const waiting = new Set<() => void>();
  const offsets = { next: first, split: false };

  const drop = (count: number): void => {
    updates = updates.slice(count);
    start += count;
  };
  const trim = (): void => {
    const oldest = clock.now().getTime() - DAY;
    let old = 0;
    while (old < updates.length && updates[old]!.at < oldest) old++;
    if (old > 0) drop(old);
  };
  const wake = (): void => {
    for (const one of waiting) one();
    waiting.clear();
  };
  const placeOf = (fits: (update: Update) => boolean): number => {
    trim();
    const found = updates.findIndex(fits);
    return found < 0 ? start + updates.length : start + found;
  };

  return {
    append(update) {
      const isSecond = offsets.split && (start + updates.length) % 2 === 1;
      const id = isSecond ? { partition: 1, offset: second++ } : { partition: 0, offset: offsets.next++ };
      const whole: Update = { ...update, ...id, at: clock.now().getTime() };
      updates.push(whole);
      if (updates.length > keep * 2) drop(updates.length - keep);
      wake();
      return whole;
    },
    at: (place) => updates[place - start],
    get end() {
      return start + updates.length;
    },
    get start() {
      return start;
    },
    after(partition, offset) {
      trim();
      // The last one with this id, because offsets may have begun again.
      const exact = updates.findLastIndex((one) => one.partition === partition && one.offset === offset);
      if (exact >= 0) return start + exact + 1;
      return placeOf((one) => one.partition === partition && one.offset > offset);
    },
    from: (offset) => placeOf((one) => one.partition === 0 && one.offset >= offset),
    since: (time) => placeOf(({ at }) => at >= time),
    grown: () => new Promise((resolve) => void waiting.add(resolve)),
    wake,
    forget: () => drop(updates.length),
    offsets,
  };
}
