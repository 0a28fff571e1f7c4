/** Tries a query on the recent events of a platform. */
import type { Clock } from '../../base/clock.ts';
import type { Highlight, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';

export interface TriedEvent {
  readonly source?: string | undefined;
  readonly postId: string;
  readonly at: Date;
  readonly payload: Payload;
  readonly highlights: readonly Highlight[];
}

/** How many events were looked at, and when the newest and the oldest of them arrived. */
interface EventSpan {
  readonly events: number;
  readonly newest: Date | undefined;
  readonly oldest: Date | undefined;
}

export interface LookedAt extends EventSpan {
  /** Whether these are all recent events. */
  readonly complete: boolean;
  /** The span of the events that are not invented, and when each of them arrived. */
  readonly real: EventSpan & { readonly times: readonly number[] };
}

export interface Tried extends LookedAt {
  /** When each event that matched arrived, the newest first. */
  readonly times: readonly number[];
  /** The times of those that are not invented. */
  readonly realTimes: readonly number[];
  /** The newest matching events, up to the limit and while there is room. */
  readonly matches: readonly TriedEvent[];
}

export interface TryOut {
  readonly platform: Platform;
  readonly query: Query;
  readonly limit: number;
  /** The room for them, of the whole answer. */
  readonly shown: ShownEvents;
}

/** A walk over the recent events asks these parts whether to go on. */
export interface RecentWalk {
  readonly clock: Pick<Clock, 'elapsed'>;
  checkpoint(): void;
}

export async function tryOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  trial: TryOut,
  walk: RecentWalk,
): Promise<Tried> {
  const tryEvent = eventTrier(trial);
  const times: number[] = [];
  const realTimes: number[] = [];
  const matches: TriedEvent[] = [];
  const lookedAt = await overRecent(recent, walk, (one) => {
    const match = tryEvent(one, matches.length < trial.limit && trial.shown.hasRoom());
    if (match === undefined) return;
    times.push(one.at.getTime());
    if (!isDemo(match)) realTimes.push(one.at.getTime());
    if (match.highlights === undefined) return;
    matches.push({ ...match, highlights: match.highlights });
    trial.shown.add(match.payload);
  });
  return { ...lookedAt, times, realTimes, matches };
}

/** How long a walk may take. A preview of two platforms beside the texts that it replaces walks four times, and has half a minute. */
const WALK_MS = 6_000;

/** Goes through the events, the newest first, for as long as a walk may take. */
export async function overRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  { clock, checkpoint }: RecentWalk,
  visit: (event: RecentEvent) => void,
): Promise<LookedAt> {
  let all: EventSpan = NO_EVENTS;
  let real: EventSpan = NO_EVENTS;
  const times: number[] = [];
  const until = clock.elapsed() + WALK_MS;
  for await (const slice of recent) {
    for (const one of slice) {
      all = withOlder(all, one.at);
      if (!isDemo(one.event)) {
        real = withOlder(real, one.at);
        times.push(one.at.getTime());
      }
      visit(one);
      checkpoint();
      if (clock.elapsed() > until) return { ...all, complete: false, real: { ...real, times } };
    }
  }
  return { ...all, complete: true, real: { ...real, times } };
}

const NO_EVENTS: EventSpan = { events: 0, newest: undefined, oldest: undefined };

const withOlder = ({ events, newest }: EventSpan, at: Date): EventSpan => ({
  events: events + 1,
  newest: newest ?? at,
  oldest: at,
});

/** An event that matches. It has highlights only if they were requested. */
type TriedMatch = Omit<TriedEvent, 'highlights'> & { readonly highlights?: readonly Highlight[] };

/** Live events are judged when they arrive, so those of the past are judged as of then. */
function eventTrier({ platform, query }: TryOut) {
  const analyze = newAnalyzer(platform);
  return ({ event: { postId, payload, source }, at }: RecentEvent, isWanted: boolean): TriedMatch | undefined => {
    const view = analyze(payload);
    if (isRejection(view)) return undefined;
    const lookup = new ViewLookup(view, at.getTime());
    if (!queryHolds(query, lookup)) return undefined;
    const shown = isWanted ? { highlights: highlights(query, lookup) } : {};
    return { postId, at, payload, source, ...shown };
  };
}

// The room that an answer has for the events it shows, whose payloads may have a megabyte each.

/**
 * The room of all lists of one answer together. A megabyte of JSON is written within some ten milliseconds, in one go.
 */
const SHOWN_BYTES = 1024 * 1024;

export interface ShownEvents {
  /** Whether another event is shown. The last one may go beyond the room, so that one event always has its place. */
  hasRoom(): boolean;
  add(payload: Payload): void;
}

export function createShownEvents(): ShownEvents {
  let left = SHOWN_BYTES;
  return {
    hasRoom: () => left > 0,
    add(payload) {
      left -= Buffer.byteLength(JSON.stringify(payload));
    },
  };
}

/** Events that one of the two texts alone matches. */
export interface OnlyOne {
  matched: number;
  /** When those of them that are not invented arrived. */
  readonly realTimes: number[];
  /** The newest, up to the limit and while the answer has room. */
  readonly matches: TriedEvent[];
}

export interface TextDifference {
  readonly lookedAt: LookedAt;
  readonly added: OnlyOne;
  readonly removed: OnlyOne;
}

/** `tryOut.query` is the changed text, `was` the present one. One walk with both. */
export async function differenceOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  { platform, query, limit, shown }: TryOut,
  was: Query,
  walk: RecentWalk,
): Promise<TextDifference> {
  const analyze = newAnalyzer(platform);
  const found = { added: none(), removed: none() };
  const lookedAt = await overRecent(recent, walk, ({ event: { postId, payload, source }, at }) => {
    const view = analyze(payload);
    if (isRejection(view)) return;
    const lookup = new ViewLookup(view, at.getTime());
    const isAdded = queryHolds(query, lookup);
    if (isAdded === queryHolds(was, lookup)) return;
    const side = isAdded ? found.added : found.removed;
    side.matched++;
    if (!isDemo({ source })) side.realTimes.push(at.getTime());
    if (side.matches.length >= limit || !shown.hasRoom()) return;
    shown.add(payload);
    side.matches.push({ postId, at, payload, source, highlights: highlights(isAdded ? query : was, lookup) });
  });
  return { ...found, lookedAt };
}

const none = (): OnlyOne => ({ matched: 0, realTimes: [], matches: [] });
