/**
 * Takes in one event, in four stages:
 *
 *     text ─▶ read ─▶ match ─┬─▶ kept     it satisfies no rule ─────────────────▶ enqueue: the text as it came
 *                            ├─▶ matched  it satisfies rules ─▶ shape: matches ─▶ enqueue: the event with its matches
 *                            ├─▶ refused  it is no event ─▶ the caller is told what is wrong with it
 *                            └─▶ later    it takes longer than one turn of the event loop may ─▶ the same stages, with pauses
 *
 * `read` and `shape` do as little as the outcome needs: no object is made of an event that is kept, and an event is analysed only
 * where its rules or its highlights ask for that.
 */
import type { Clock } from '../../base/clock.ts';
import type { Lru } from '../../base/lru.ts';
import type { Event, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, type EventView, isRejection } from '../../engine/events/event-view.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { textEvent } from '../../store/rows/commit.ts';
import type { CommitEvent, CommitMatch } from '../../store/store.ts';
import type { Log, Metrics } from '../telemetry.ts';
import type { Receipt } from './batch-queue.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Found } from './live-records.ts';
import { analyzeLong, isLong, mayBeLong, prepareLookup } from './long-events.ts';
import type { AheadAnswer } from './match-ahead.ts';
import type { Matching } from './matching.ts';
import {
  type AnalysedEvent,
  accepted,
  type EventReader,
  earlierVersions,
  eventReader,
  postIdOf,
  type ReadEvent,
} from './payloads.ts';
import type { MatchedLine, MatchedRules, PlatformRules } from './platform-rules.ts';

/** Matches of one event in one transaction; a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_AT_ONCE = 200;
/** Highlights of an event with so many characters take at most half a millisecond: they are made when a match is read. */
const HIGHLIGHTED_WHEN_READ = 8 * 1024;
const NO_MATCHES: readonly CommitMatch[] = [];
/** Steps of highlights after which the event loop has a turn. */
const STEPS_AT_ONCE = 25_000;

/** The place that an event comes from, and the receipt that waits until it is stored. */
export interface Origin {
  readonly platform: Platform;
  /** The account that it is for; undefined for an event that all accounts get. */
  readonly accountId: string | undefined;
  readonly source: string;
  readonly receipt: Receipt;
}

/** An event on its way in. */
export interface Incoming extends Origin {
  readonly text: string;
  /**
   * Its object, where a source of our own made it: then all of it is kept. Only the platform's own object is kept of a
   * pushed event.
   */
  readonly payload?: Payload | undefined;
}

export interface IntakeDeps {
  readonly matching: Pick<Matching, 'rules'>;
  readonly commits: Pick<GroupCommit, 'add' | 'spaceFree'>;
  readonly analyzers: Readonly<Record<Platform, Analyzer>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Rules whose failure was logged already. */
  readonly logged: Lru<string, true>;
  /** Gives the event loop a turn. */
  pause(): Promise<void> | undefined;
}

type ArrivedEvent = CommitEvent['event'];
/**
 * The answer of the stage `match`. `line` is what the core knows of the text; without it the event was read and
 * analysed.
 */
type Outcome =
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'later'; readonly reading: ReadEvent }
  | { readonly kind: 'kept' | 'matched'; readonly rules: MatchedRules; readonly line: MatchedLine | undefined };

/** Answers what is wrong with the event; undefined where it is accepted, and a promise where it takes turns. */
export function takeIn(deps: IntakeDeps, incoming: Incoming, ahead?: AheadAnswer): ReturnType<typeof enqueueMatched> {
  const { platform, text, payload } = incoming;
  const reader = eventReader(deps.analyzers[platform], platform, text, payload);
  const outcome = match(deps, incoming, reader, ahead);
  switch (outcome.kind) {
    case 'refused':
      return outcome.problem;
    case 'later':
      return takeInSlices(deps, incoming, outcome.reading);
    case 'kept':
      report(deps, incoming, outcome.rules);
      enqueueKept(deps, incoming, reader, outcome.line);
      return undefined;
    case 'matched':
      report(deps, incoming, outcome.rules);
      return enqueueMatched(deps, incoming, reader, outcome.rules.found, outcome.line);
  }
}

/** The view of a line that a thread took for an event. It is valid until the next event is analysed. */
export const viewOfLine = ({ analyzers }: IntakeDeps, platform: Platform, text: string): EventView =>
  accepted(eventReader(analyzers[platform], platform, text).analysis()).view;

// Match

/** The core matches the text of a line. An event that it cannot read, or that is long, is made into an object first. */
function match(deps: IntakeDeps, incoming: Incoming, reader: EventReader, ahead: AheadAnswer): Outcome {
  const { platform, text } = incoming;
  const rules = deps.matching.rules[platform];
  const answer =
    ahead === 'unread' || mayBeLong(text)
      ? 'unread'
      : (ahead ?? rules.matchLine(text, incoming, () => accepted(reader.analysis()).view));
  if (typeof answer === 'object') return outcomeOf(answer, answer);
  const reading = reader.reading();
  if ('rejected' in reading) return { kind: 'refused', problem: reading.rejected };
  // An event that took too long for this turn is not tried a second time in it.
  if (answer === 'slow' || isLong(reading.payload)) return { kind: 'later', reading };
  const analysis = reader.analysis();
  if ('rejected' in analysis) return { kind: 'refused', problem: analysis.rejected };
  const matched = rules.match(analysis.view, incoming);
  return matched === undefined ? { kind: 'later', reading } : outcomeOf(matched, undefined);
}

const outcomeOf = (rules: MatchedRules, line: MatchedLine | undefined): Outcome => ({
  kind: rules.found.length === 0 ? 'kept' : 'matched',
  rules,
  line,
});

function report(deps: IntakeDeps, { platform }: Incoming, { evaluated, found, failures }: MatchedRules): void {
  deps.metrics.event(platform, evaluated, found.length);
  for (const { ruleId, error } of failures) reportFailure(deps, platform, ruleId, error);
}

/** A rule that throws is counted each time and logged once; the other rules go on. */
function reportFailure({ metrics, log, logged }: IntakeDeps, platform: Platform, ruleId: string, error: unknown): void {
  metrics.ruleFailed(platform);
  if (logged.get(ruleId)) return;
  logged.set(ruleId, true);
  log.error({ platform, ruleId, err: error }, 'a rule failed on an event');
}

// Shape

/** An event that the core has read. Its text is enough to store it without matches: then no object is made of it. */
function lineEvent(incoming: Incoming, reader: EventReader, line: MatchedLine, hasMatches: boolean): ArrivedEvent {
  const { platform, accountId, source, text } = incoming;
  const origin = { platform, accountId, source, json: incoming.payload === undefined ? line.json : text };
  if (line.postId !== undefined && !hasMatches) return { ...origin, postId: line.postId };
  const { payload } = accepted(reader.reading());
  const postId = line.postId ?? postIdOf(platform, payload, '');
  return hasMatches ? { ...origin, postId, payload } : { ...origin, postId };
}

function analysedEvent({ platform, accountId, source }: Incoming, { reading, view }: AnalysedEvent): Event {
  const { payload, json } = reading;
  const postId = postIdOf(platform, payload, view.id);
  return { platform, postId, payload, accountId, source, ...(json === undefined ? {} : { json }) };
}

/** Matches whose highlights are made when they are read; undefined where one needs them now, or one transaction cannot hold all. */
function matchesToHighlight(rules: PlatformRules, found: readonly Found[]): CommitMatch[] | undefined {
  if (found.length > MATCHES_AT_ONCE) return undefined;
  const matches: CommitMatch[] = [];
  for (const one of found) {
    const asked = rules.askedOf(one);
    if (asked === undefined) return undefined;
    matches.push({ ruleId: one.ruleId, version: one.version, asked });
  }
  return matches;
}

/** Adds matches with their highlights until there are enough for one transaction, or for one turn. Answers how many. */
function highlightMore(
  rules: PlatformRules,
  matches: CommitMatch[],
  lookup: ViewLookup,
  found: readonly Found[],
  from: number,
): number {
  const enough = lookup.steps + STEPS_AT_ONCE;
  let next = from;
  while (next < found.length && matches.length < MATCHES_AT_ONCE && lookup.steps < enough) {
    matches.push(rules.highlight(found[next++]!, lookup));
  }
  return next - from;
}

const lookupOf = ({ clock }: IntakeDeps, view: EventView): ViewLookup => new ViewLookup(view, clock.now().getTime());

// Enqueue

function enqueue(
  { commits }: IntakeDeps,
  { platform, receipt }: Origin,
  event: ArrivedEvent,
  matches: readonly CommitMatch[],
): void {
  const earlier = event.payload && earlierVersions(platform, event.payload, event.postId);
  // Made now, the objects of its payload are gone before anything has to keep them while the event waits.
  const stored = textEvent(platform, { event, matches, ...(earlier && { earlier }) });
  commits.add(platform, stored, stored.payload.length, receipt);
}

function enqueueKept(deps: IntakeDeps, incoming: Incoming, reader: EventReader, line: MatchedLine | undefined): void {
  const event = line ? lineEvent(incoming, reader, line, false) : analysedEvent(incoming, accepted(reader.analysis()));
  enqueue(deps, incoming, event, NO_MATCHES);
}

function enqueueMatched(
  deps: IntakeDeps,
  incoming: Incoming,
  reader: EventReader,
  found: readonly Found[],
  line: MatchedLine | undefined,
): string | undefined | Promise<string | undefined> {
  const rules = deps.matching.rules[incoming.platform];
  const isShort = incoming.text.length <= HIGHLIGHTED_WHEN_READ;
  if (!isShort && found.some((one) => rules.askedOf(one) === undefined)) {
    // It was matched in this turn, which by patterns takes as long as highlights may: those have turns of their own.
    const reading = accepted(reader.reading());
    const view = newAnalyzer(incoming.platform)(reading.payload) as EventView;
    return enqueueInParts(deps, incoming, analysedEvent(incoming, { reading, view }), view, found, []);
  }
  const unhighlighted = isShort && line !== undefined ? matchesToHighlight(rules, found) : undefined;
  if (line !== undefined && unhighlighted !== undefined) {
    enqueue(deps, incoming, lineEvent(incoming, reader, line, true), unhighlighted);
    return undefined;
  }
  const analysis = accepted(reader.analysis());
  const event = analysedEvent(incoming, analysis);
  const matches: CommitMatch[] = [];
  highlightMore(rules, matches, lookupOf(deps, analysis.view), found, 0);
  if (matches.length < found.length) {
    // Other events are read during a pause, so this one goes on with a view from an analyzer of its own.
    const own = newAnalyzer(incoming.platform)(analysis.reading.payload) as EventView;
    return enqueueInParts(deps, incoming, event, own, found, matches);
  }
  enqueue(deps, incoming, event, matches);
  return undefined;
}

/** All stages with pauses, for an event that takes longer than one turn may. */
async function takeInSlices(deps: IntakeDeps, incoming: Incoming, reading: ReadEvent): Promise<string | undefined> {
  const { platform } = incoming;
  await deps.pause();
  const view = await analyzeLong(platform, reading.payload);
  if (isRejection(view)) return view.rejected;
  await deps.pause();
  const matched = await deps.matching.rules[platform].matchInSlices(view, incoming);
  report(deps, incoming, matched);
  await deps.pause();
  return enqueueInParts(deps, incoming, analysedEvent(incoming, { reading, view }), view, matched.found, []);
}

/** Adds the matches of an event that has many, or whose highlights take long, with pauses. */
async function enqueueInParts(
  deps: IntakeDeps,
  incoming: Incoming,
  event: Event,
  view: EventView,
  found: readonly Found[],
  first: CommitMatch[],
): Promise<undefined> {
  const lookup = lookupOf(deps, view);
  if (found.length > 0) await prepareLookup(lookup);
  let matches = first;
  for (let highlighted = first.length; highlighted < found.length; ) {
    if (matches.length >= MATCHES_AT_ONCE) {
      enqueue(deps, incoming, event, matches);
      matches = [];
      await deps.commits.spaceFree();
    }
    await deps.pause();
    highlighted += highlightMore(deps.matching.rules[incoming.platform], matches, lookup, found, highlighted);
  }
  enqueue(deps, incoming, event, matches);
}
