/**
 * What is known between connections: the place, whether something may be missing, what was last said of the state. It
 * makes the items that tell of them.
 */
import type { Clock } from '../../base/clock.ts';
import type { StreamItem, StreamState } from '../platform.ts';
import { firstPlace, type Place, readPlace, writePlace } from './stream-position.ts';

interface OpenGap {
  readonly from: Date;
  readonly cause: string;
  /** Whether resuming brings back what was missed. */
  readonly recoverable: boolean;
}

export interface Session {
  place: Place;
  /** The buffer did not reach back: the first event tells where it begins. */
  isAged: boolean;
  readonly gap: OpenGap | undefined;
  /** Takes up what is committed, and nothing later. */
  resume(committed: string | undefined): void;
  /** Nothing had to be watched until now. */
  skipToNow(): void;
  /** How long ago the place was reached. A clock that was set back, or a machine that slept, hides none of it. */
  awayMs(): number;
  /** The place is whole up to here. */
  reach(through: number): void;
  cursor(): string;
  mark(): StreamItem;
  tell(state: StreamState, reason?: string): StreamItem[];
  openGap(cause: string, recoverable: boolean): StreamItem[];
  /** Closes it here, as far as it goes. */
  closeGap(): StreamItem[];
  /** The outage that just ended, until an event shows that nothing is missing from it. */
  readonly suspect: OpenGap | undefined;
  clearSuspect(): void;
  /** What was taken for recovered is not. */
  reopenGap(): StreamItem[];
}

export function createSession(clock: Clock): Session {
  const start = firstPlace(clock.now().getTime());
  let place = start;
  let reachedAt: number | undefined;
  let notBefore = 0;
  let told = '';
  let gap: OpenGap | undefined;
  let suspect: OpenGap | undefined;

  const gapItem = ({ from, cause }: OpenGap, to: Date | undefined, recovered: boolean): StreamItem => ({
    kind: 'gap',
    gap: { from, to, cause, recovered },
  });

  return {
    get place() {
      return place;
    },
    set place(next) {
      place = next;
    },
    isAged: false,
    get gap() {
      return gap;
    },
    resume(committed) {
      const found = (committed === undefined ? undefined : readPlace(committed)) ?? start;
      place = found.through < notBefore ? { ...found, through: notBefore } : found;
    },
    skipToNow() {
      notBefore = clock.now().getTime();
      place = { ...place, through: notBefore };
      reachedAt = clock.elapsed();
    },
    awayMs() {
      const byWall = clock.now().getTime() - place.through;
      return Math.max(byWall, reachedAt === undefined ? 0 : clock.elapsed() - reachedAt);
    },
    reach(through) {
      place = { ...place, through };
      reachedAt = clock.elapsed();
    },
    cursor: () => writePlace(place),
    mark: () => ({ kind: 'mark', cursor: writePlace(place), at: new Date(place.through) }),
    tell(state, reason) {
      const words = `${state} ${reason ?? ''}`;
      if (words === told) return [];
      told = words;
      return [{ kind: 'state', state, ...(reason === undefined ? {} : { reason }) }];
    },
    openGap(cause, recoverable) {
      if (gap !== undefined) {
        gap = { ...gap, recoverable: gap.recoverable && recoverable };
        suspect = gap;
        return [];
      }
      gap = { from: new Date(place.through), cause, recoverable };
      suspect = gap;
      return [gapItem(gap, undefined, false)];
    },
    closeGap() {
      if (gap === undefined) return [];
      const closed = gap;
      gap = undefined;
      return [gapItem(closed, new Date(Math.max(place.through, closed.from.getTime())), closed.recoverable)];
    },
    get suspect() {
      return suspect;
    },
    clearSuspect() {
      suspect = undefined;
    },
    reopenGap() {
      if (suspect === undefined) return [];
      gap = { ...suspect, recoverable: false };
      return [gapItem(gap, undefined, false)];
    },
  };
}
