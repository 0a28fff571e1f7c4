/** Tries a query on the recent events of a platform, in slices, so that other work runs in between. */
import { setImmediate } from 'node:timers/promises';
import { createPauses } from '../../base/cooperate.ts';
import type { Highlight, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { createAnalysis, prepareLookup } from '../ingest/analysis.ts';
import type { ShownEvents } from './shown-events.ts';

/** Words between two pauses (a few milliseconds of work), and the extra cost of an event and of a highlight step. */
const SLICE = 8_000;
const EVENT_COST = 50;
export const STEP_COST = 0.2;

export interface TriedEvent {
  readonly source?: string | undefined;
  readonly postId: string;
  readonly at: Date;
  readonly payload: Payload;
  readonly highlights: readonly Highlight[];
}

/** How many events were looked at, and when the newest and the oldest of them arrived. */
export interface EventSpan {
  readonly events: number;
  readonly newest: Date | undefined;
  readonly oldest: Date | undefined;
}

export interface LookedAt extends EventSpan {
  /** The same of the events that are not invented. */
  readonly real: EventSpan;
}

export interface Tried extends LookedAt {
  /** When each event that matched arrived, the newest first. */
  readonly times: readonly number[];
  /** How many of them are not invented. */
  readonly realMatched: number;
  /** The newest matching events, up to the limit and while there is room. */
  readonly matches: readonly TriedEvent[];
}

export interface TryOut {
  readonly platform: Platform;
  readonly query: Query;
  readonly now: number;
  readonly limit: number;
  /** The room for them, of the whole answer. */
  readonly shown: ShownEvents;
}

export async function tryOnRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  trial: TryOut,
  signal: AbortSignal,
): Promise<Tried> {
  const tryEvent = eventTrier(trial);
  const times: number[] = [];
  let realMatched = 0;
  const matches: TriedEvent[] = [];
  const lookedAt = await overRecent(recent, signal, async (one) => {
    const { words, match } = await tryEvent(one, matches.length < trial.limit && trial.shown.hasRoom());
    if (match !== undefined) times.push(one.at.getTime());
    if (match !== undefined && !isDemo(match)) realMatched++;
    if (match?.highlights !== undefined) {
      matches.push({ ...match, highlights: match.highlights });
      trial.shown.add(match.payload);
    }
    return words;
  });
  return { ...lookedAt, times, realMatched, matches };
}

/** Goes through the events, the newest first, with pauses by the work, in words, that each of them says it took. */
export async function overRecent(
  recent: AsyncIterable<readonly RecentEvent[]>,
  signal: AbortSignal,
  visit: (event: RecentEvent) => Promise<number>,
): Promise<LookedAt> {
  const pause = createPauses(SLICE);
  let all: EventSpan = NO_EVENTS;
  let real: EventSpan = NO_EVENTS;
  for await (const slice of recent) {
    for (const one of slice) {
      all = withOlder(all, one.at);
      if (!isDemo(one.event)) real = withOlder(real, one.at);
      const pausing = pause((await visit(one)) + EVENT_COST);
      if (pausing !== undefined) await pausing;
    }
    if (signal.aborted) break;
  }
  return { ...all, real };
}

const NO_EVENTS: EventSpan = { events: 0, newest: undefined, oldest: undefined };

const withOlder = ({ events, newest }: EventSpan, at: Date): EventSpan => ({
  events: events + 1,
  newest: newest ?? at,
  oldest: at,
});

interface TriedOne {
  /** The number of words processed, including those for highlights. */
  readonly words: number;
  /** Has highlights only if they were requested. */
  readonly match?: Omit<TriedEvent, 'highlights'> & { readonly highlights?: readonly Highlight[] };
}

function eventTrier({ platform, query, now }: TryOut): (recent: RecentEvent, isWanted: boolean) => Promise<TriedOne> {
  const analyze = createAnalysis(platform);
  return async ({ event: { postId, payload, source }, at }, isWanted) => {
    const view = await analyze(payload);
    if (isRejection(view)) return { words: 0 };
    const words = view.words.count;
    const lookup = new ViewLookup(view, now);
    if (!queryHolds(query, lookup)) return { words };
    // Matching, and showing where, each take some ten milliseconds at most.
    if (isWanted) await setImmediate();
    if (isWanted) await prepareLookup(lookup);
    const shown = isWanted ? { highlights: highlights(query, lookup) } : {};
    return { words: words + STEP_COST * lookup.steps, match: { postId, at, payload, source, ...shown } };
  };
}
