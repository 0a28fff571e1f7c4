/**
 * The way of an event: read once, matched, scoped to whom it concerns, then stored with its matches and only then
 * acknowledged. Order is kept; when the store is slower than the events, whoever brings them waits.
 */

import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import type { Event } from '../../domain/event.ts';
import type { Payload } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, type EventView, isRejection } from '../../engine/events/event-view.ts';
import { ViewLookup } from '../../engine/explain/view-lookup.ts';
import type { CommitMatch, Cursor, Store } from '../../store/store.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { type CommitNotice, type Commits, createCommits, createTicket, type Ticket } from './group-commit.ts';
import { matchWithHighlights } from './match-with-highlights.ts';
import type { Found, MatchedRules, Matching } from './matching.ts';
import { earlierVersions, postIdOf, readLine } from './payloads.ts';

export interface Ingest {
  /** NDJSON, one event a line. Resolves when all that was accepted is durable. */
  push(platform: Platform, lines: string, accountId: string | undefined): Promise<Pushed>;
  /**
   * Events of a source of our own, for everybody, and where it resumes after them. Resolves when all of it is durable;
   * answers what was wrong with those that were refused. A cursor is never stored without what it covers.
   */
  add(platform: Platform, payloads: readonly Payload[], cursor?: Cursor): Promise<readonly string[]>;
  /** Stores a batch of an upstream's stream, whole, and tells everybody. Throws what the store throws. */
  readonly commit: Commits['whole'];
  readonly queued: Commits['queued'];
  readonly trouble: Commits['trouble'];
  /** Whether anybody has pushed since the start: the demo feed gives way to real events. */
  readonly wasPushed: boolean;
  /** Hears of every commit, after it is durable. Answers how to stop hearing. */
  onCommit(listener: (commit: CommitNotice) => void): () => void;
  /** Stores what waits, and takes nothing more. */
  close(): Promise<void>;
}

export interface Pushed {
  readonly accepted: number;
  readonly matches: number;
  readonly rejected: readonly { readonly line: number; readonly problem: string }[];
  /** Bad lines beyond those that are listed. */
  readonly moreRejected: number;
}

/** Characters of events between two pauses: a few milliseconds of work. */
const SLICE = 64 * 1024;
/** Events of a source are not measured; so many of them are taken between two pauses. */
const MOST_AT_ONCE = 16;
/** What a blank line costs: 8 MiB of line feeds take turns with everything else. */
const BLANK_COST = 16;
/** What one event costs beside its length. */
const EVENT_COST = 512;
/** A line of more characters is analysed, matched and shown in turns of their own. */
const LONG_EVENT = 128 * 1024;
export const MAX_REJECTED_LISTED = 1_000;
/** Matches of one event in one transaction; a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_AT_ONCE = 200;
/** Steps of highlights after which everything else has its turn. */
const STEPS_AT_ONCE = 50_000;

/** An event on its way in. */
interface Arriving {
  readonly platform: Platform;
  readonly payload: Payload;
  readonly json: string | undefined;
  readonly accountId: string | undefined;
  readonly ticket: Ticket;
  /** Characters of its line; 0 for an event of a source. */
  readonly length: number;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly matching: Matching;
  /** Resolves when events may be matched by the rules that are loaded. */
  current?(): Promise<void>;
}

export function createIngest({ store, clock, log, metrics, matching, current = async () => {} }: Deps): Ingest {
  const listeners = new Set<(commit: CommitNotice) => void>();
  const analyzers = Object.fromEntries(PLATFORMS.map((name) => [name, newAnalyzer(name)])) as Record<
    Platform,
    Analyzer
  >;
  const complained = new Set<string>();
  const commits = createCommits({ store, clock, log, metrics, onCommit });
  const pause = createPauses(SLICE);
  let wasPushed = false;

  function onCommit(commit: CommitNotice): void {
    matching.tend(commit.platform);
    for (const listener of listeners) listener(commit);
  }

  async function push(platform: Platform, lines: string, accountId: string | undefined): Promise<Pushed> {
    wasPushed = true;
    await matching.loaded;
    await current();
    const ticket = createTicket();
    const rejected: { line: number; problem: string }[] = [];
    let [accepted, bad, number] = [0, 0, 0];
    for (const line of linesOf(lines)) {
      number++;
      if (isBlank(line)) {
        const turn = pause(BLANK_COST);
        if (turn !== undefined) await turn;
        continue;
      }
      const read = readLine(platform, line);
      const result =
        'rejected' in read ? read.rejected : take({ platform, accountId, ticket, length: line.length, ...read });
      const problem = typeof result === 'object' ? await result : result;
      if (problem === undefined) accepted++;
      else if (bad++ < MAX_REJECTED_LISTED) rejected.push({ line: number, problem });
      if (problem !== undefined) metrics.rejected(platform);
      // Waiting costs a little even when there is nothing to wait for, and this is the busiest loop of all.
      const wait = pause(line.length + EVENT_COST) ?? commits.room();
      if (wait !== undefined) await wait;
    }
    ticket.settle(0);
    return { accepted, matches: await ticket.done, rejected, moreRejected: bad - rejected.length };
  }

  async function add(platform: Platform, payloads: readonly Payload[], cursor?: Cursor): Promise<readonly string[]> {
    await matching.loaded;
    await current();
    const ticket = createTicket();
    const refused: string[] = [];
    for (const payload of payloads) {
      const problem = await take({ platform, payload, json: undefined, accountId: undefined, ticket, length: 0 });
      if (problem !== undefined) refused.push(problem);
      if (problem !== undefined) metrics.rejected(platform);
      await (pause(SLICE / MOST_AT_ONCE) ?? commits.room());
    }
    if (cursor !== undefined && !ticket.hasFailed) commits.mark(platform, cursor, ticket);
    ticket.settle(0);
    await ticket.done;
    return refused;
  }

  /** Matches one event and hands it on to be stored; answers what is wrong with it, or waits for what takes longer. */
  function take(arriving: Arriving): string | undefined | Promise<string | undefined> {
    const { platform, payload, accountId } = arriving;
    if (arriving.length > LONG_EVENT) return takeInSlices(arriving);
    const view = analyzers[platform](payload);
    if (isRejection(view)) return view.rejected;
    const matched = matching.match(platform, view, accountId);
    if (matched === undefined) return takeInSlices(arriving);
    const event = eventOf(arriving, view);
    const { found } = note(platform, matched);
    const matches: CommitMatch[] = [];
    showMore(matches, platform, lookupOf(view), found, 0);
    // Other events are read while this one waits, so it goes on with a view from an analyzer of its own.
    if (matches.length < found.length) {
      return handInParts(arriving, event, newAnalyzer(platform)(payload) as EventView, found, matches);
    }
    hand(arriving, event, matches);
    return undefined;
  }

  /** The same for an event that takes longer, with pauses. Other events are read meanwhile, so it has its own analyzer. */
  async function takeInSlices(arriving: Arriving): Promise<string | undefined> {
    const { platform, payload, accountId } = arriving;
    const view = newAnalyzer(platform)(payload);
    if (isRejection(view)) return view.rejected;
    await pause(SLICE);
    const { found } = note(platform, await matching.matchInSlices(platform, view, accountId));
    await pause(SLICE);
    return handInParts(arriving, eventOf(arriving, view), view, found, []);
  }

  function note(platform: Platform, matched: MatchedRules): MatchedRules {
    metrics.event(platform, matched.evaluated, matched.found.length);
    for (const { ruleId, error } of matched.failures) complain(platform, ruleId, error);
    return matched;
  }

  const lookupOf = (view: EventView): ViewLookup => new ViewLookup(view, clock.now().getTime());

  /** Hands on the matches of an event that has many, or whose highlights take long, with pauses. */
  async function handInParts(
    arriving: Arriving,
    event: Event,
    view: EventView,
    found: readonly Found[],
    first: CommitMatch[],
  ): Promise<undefined> {
    const lookup = lookupOf(view);
    let matches = first;
    for (let shown = first.length; shown < found.length; ) {
      if (matches.length >= MATCHES_AT_ONCE) {
        hand(arriving, event, matches);
        matches = [];
        await commits.room();
      }
      await pause(SLICE);
      shown += showMore(matches, event.platform, lookup, found, shown);
    }
    hand(arriving, event, matches);
    return undefined;
  }

  /** Adds matches with their highlights until there are enough for one transaction, or for one turn. Answers how many. */
  function showMore(
    matches: CommitMatch[],
    platform: Platform,
    lookup: ViewLookup,
    found: readonly Found[],
    from: number,
  ): number {
    const enough = lookup.steps + STEPS_AT_ONCE;
    let next = from;
    while (next < found.length && matches.length < MATCHES_AT_ONCE && lookup.steps < enough) {
      matches.push(matchWithHighlights(matching, platform, lookup, found[next++]!));
    }
    return next - from;
  }

  function hand({ platform, json, ticket }: Arriving, event: Event, matches: readonly CommitMatch[]): void {
    const earlier = earlierVersions(platform, event.payload, event.postId);
    commits.add(platform, { event, matches, ...(earlier && { earlier }) }, json?.length ?? 0, ticket);
  }

  /** One bad rule is counted each time and logged once; it is never in the way of the others. */
  function complain(platform: Platform, ruleId: string, error: unknown): void {
    metrics.ruleFailed(platform);
    if (complained.has(ruleId)) return;
    complained.add(ruleId);
    log.error({ platform, ruleId, err: error }, 'a rule failed on an event');
  }

  return {
    push,
    add,
    commit: commits.whole,
    get queued() {
      return commits.queued;
    },
    get trouble() {
      return commits.trouble;
    },
    get wasPushed() {
      return wasPushed;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => commits.close(),
  };
}

function eventOf({ platform, payload, json, accountId }: Arriving, view: EventView): Event {
  const postId = postIdOf(platform, payload, view.id);
  return { platform, postId, payload, accountId, ...(json === undefined ? {} : { json }) };
}

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield text.slice(start, end === -1 ? undefined : end);
    if (end === -1) return;
    start = end + 1;
  }
}

const isBlank = (line: string): boolean => line.length < 64 && line.trim() === '';
