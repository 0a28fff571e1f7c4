/** What is known of a running source, for Status and metrics. */
import type { Clock } from '../base/clock.ts';
import type { Page } from './contract/page.ts';
import { createMinuteRing } from './minute-ring.ts';

/** `waiting`: the source broke, and will be opened again. */
export const SOURCE_STATES = ['starting', 'live', 'waiting', 'ended'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

export interface SourceFigures {
  readonly state: SourceState;
  /** Seconds between a page's own time and its arrival, of the last page that has one. */
  readonly lag: number | undefined;
  readonly events: number;
  readonly eventsPerMinute: number;
  readonly lastEventAt: Date | undefined;
  readonly lastError: { readonly at: Date; readonly message: string } | undefined;
}

export interface SourceStatus extends SourceFigures {
  readonly name: string;
  readonly kind: string;
}

export interface SourceMeter {
  live(): void;
  waits(): void;
  ended(): void;
  failed(message: string): void;
  /** Pages were stored, or a cursor without pages. */
  count(pages: readonly Page[]): void;
  figures(): SourceFigures;
}

export function createSourceMeter(clock: Clock): SourceMeter {
  const minute = createMinuteRing(clock);
  let state: SourceState = 'starting';
  let events = 0;
  let lag: number | undefined;
  let lastEventAt: Date | undefined;
  let lastError: SourceFigures['lastError'];
  const become = (next: SourceState) => () => {
    state = next;
  };
  return {
    live: become('live'),
    waits: become('waiting'),
    ended: become('ended'),
    failed(message) {
      lastError = { at: clock.now(), message };
      if (state === 'starting') state = 'waiting';
    },
    count(pages) {
      state = 'live';
      if (pages.length === 0) return;
      lastEventAt = clock.now();
      events += pages.length;
      minute.add(pages.length);
      lag = lagOf(pages, lastEventAt) ?? lag;
    },
    figures: () => ({ state, lag, events, eventsPerMinute: minute.sum(), lastEventAt, lastError }),
  };
}

function lagOf(pages: readonly Page[], now: Date): number | undefined {
  const time = pages.findLast((page) => page['publish_time'] !== undefined)?.['publish_time'];
  const seconds = typeof time === 'string' ? (now.getTime() - Date.parse(`${time}Z`)) / 1_000 : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
