/** Takes in one event: analyses it, matches it, and adds it with its matches to the next commit. */
import type { Clock } from '../../base/clock.ts';
import type { Lru } from '../../base/lru.ts';
import type { Event } from '../../domain/event.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type Analyzer, type EventView, isRejection, type Rejection } from '../../engine/events/event-view.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { CommitMatch } from '../../store/store.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { analyzeLong, isLong, mayBeLong, prepareLookup } from './analysis.ts';
import type { Found } from './found-rule.ts';
import type { GroupCommit } from './group-commit.ts';
import type { MatchedAhead } from './match-ahead.ts';
import { matchWithHighlights } from './match-with-highlights.ts';
import type { Matching } from './matching.ts';
import { earlierVersions, type LineReading, postIdOf, readLine } from './payloads.ts';
import type { MatchedLine, MatchedRules } from './platform-rules.ts';
import type { Receipt } from './receipt.ts';

/** Matches of one event in one transaction; a post that satisfies thousands of rules must not hold up the rest. */
const MATCHES_AT_ONCE = 200;
/** Characters of a line whose matches are shown when they are read: it then takes no more than half a millisecond. */
const LONGEST_UNSHOWN = 8 * 1024;
const NO_MATCHES: readonly CommitMatch[] = [];
/** Steps of highlights after which the event loop has a turn. */
const STEPS_AT_ONCE = 25_000;

/** Where an event comes from, and who waits until it is stored. */
export interface Origin {
  readonly platform: Platform;
  /** The account that it is for; undefined for an event that all accounts get. */
  readonly accountId: string | undefined;
  readonly source: string;
  readonly receipt: Receipt;
}

/** An event on its way in. */
export interface Arriving extends Origin {
  readonly payload: Payload;
  /** The payload's JSON where it is known; undefined where it must be written again. */
  readonly json: string | undefined;
}

export interface IntakeDeps {
  readonly matching: Matching;
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

/** What is wrong with an event, or undefined; a promise where an event that takes long takes turns. */
export type Taken = string | undefined | Promise<string | undefined>;

/** The text of an event. */
export interface IncomingLine {
  readonly text: string;
  /** Its object, where a source of our own made it: then all of it is kept. Of what is pushed only the platform's own object is. */
  readonly payload?: Payload;
}

const readIncoming = (platform: Platform, { text, payload }: IncomingLine): LineReading =>
  payload === undefined ? readLine(platform, text) : { payload, json: text };

/** Most events match nothing: the core reads those from their text, and no object is made of them. */
export function takeLine(deps: IntakeDeps, line: IncomingLine, origin: Origin, ahead?: MatchedAhead): Taken {
  const { platform, accountId, source, receipt } = origin;
  let analysis: Analysed | Rejection | undefined;
  // Made when it is first asked for.
  const analyse = (): Analysed => {
    analysis ??= analysed(deps.analyzers[platform], readIncoming(platform, line));
    return known(analysis);
  };
  const matched =
    ahead === 'left' || mayBeLong(line.text)
      ? undefined
      : (ahead ?? deps.matching.matchLine(platform, line.text, accountId, () => analyse().view));
  if (matched === undefined || matched === 'slow') {
    const reading = readIncoming(platform, line);
    if ('rejected' in reading) return reading.rejected;
    // What took too long for this turn is not tried a second time in it.
    return (matched === 'slow' ? takeInSlices : takeIn)(deps, { ...origin, ...reading });
  }
  if (matched.found.length > 0) {
    const asked = line.text.length > LONGEST_UNSHOWN ? undefined : unshown(deps, platform, matched.found);
    if (asked !== undefined) return takeUnshown(deps, line, origin, matched, asked);
    const { reading, view } = analyse();
    return takeMatched(deps, { ...origin, ...reading }, view, matched);
  }
  report(deps, platform, matched);
  const json = line.payload === undefined ? matched.json : line.text;
  const postId = matched.postId ?? postIdOf(platform, known(readIncoming(platform, line)).payload, '');
  const event = { platform, postId, json, accountId, source };
  deps.commits.add(platform, { event, matches: NO_MATCHES }, json.length, receipt);
  return undefined;
}

/** Matches without highlights; undefined where one needs them now, or there are too many for one transaction. */
function unshown({ matching }: IntakeDeps, platform: Platform, found: readonly Found[]): CommitMatch[] | undefined {
  if (found.length > MATCHES_AT_ONCE) return undefined;
  const matches: CommitMatch[] = [];
  for (const one of found) {
    const asked = matching.askedOf(platform, one);
    if (asked === undefined) return undefined;
    matches.push({ ruleId: one.ruleId, version: one.version, asked });
  }
  return matches;
}

/** An event whose matches are shown when they are read: it is not analysed here. */
function takeUnshown(
  deps: IntakeDeps,
  line: IncomingLine,
  { platform, accountId, source, receipt }: Origin,
  matched: MatchedLine,
  matches: readonly CommitMatch[],
): undefined {
  report(deps, platform, matched);
  const { payload } = known(readIncoming(platform, line));
  const json = line.payload === undefined ? matched.json : line.text;
  const postId = matched.postId ?? postIdOf(platform, payload, '');
  const event = { platform, postId, payload, json, accountId, source };
  const earlier = earlierVersions(platform, payload, postId);
  deps.commits.add(platform, { event, matches, ...(earlier && { earlier }) }, json.length, receipt);
}

/** The view of a line that a thread took for an event. It is valid until the next event is analysed. */
export const readAhead = ({ analyzers }: IntakeDeps, platform: Platform, text: string): EventView =>
  known(analysed(analyzers[platform], readLine(platform, text))).view;

interface Analysed {
  readonly reading: Exclude<LineReading, Rejection>;
  readonly view: EventView;
}

function analysed(analyze: Analyzer, reading: LineReading): Analysed | Rejection {
  if ('rejected' in reading) return reading;
  const view = analyze(reading.payload);
  return isRejection(view) ? view : { reading, view };
}

/** The core takes no line for an event that the analyzer would refuse: a test compares the two. */
function known<Read extends object>(read: Read | Rejection): Read {
  if ('rejected' in read) throw new Error(`the core took a line for an event, but ${read.rejected}`);
  return read;
}

function takeIn(deps: IntakeDeps, arriving: Arriving): Taken {
  const { matching, analyzers } = deps;
  const { platform, payload, accountId } = arriving;
  if (isLong(payload)) return takeInSlices(deps, arriving);
  const view = analyzers[platform](payload);
  if (isRejection(view)) return view.rejected;
  const matched = matching.match(platform, view, accountId);
  return matched === undefined ? takeInSlices(deps, arriving) : takeMatched(deps, arriving, view, matched);
}

function takeMatched(deps: IntakeDeps, arriving: Arriving, view: EventView, matched: MatchedRules): Taken {
  const { platform, payload } = arriving;
  const event = eventOf(arriving, view);
  report(deps, platform, matched);
  const matches: CommitMatch[] = [];
  showMore(deps, matches, platform, lookupOf(deps, view), matched.found, 0);
  if (matches.length < matched.found.length) {
    // Other events are read during a pause, so this one goes on with a view from an analyzer of its own.
    const own = newAnalyzer(platform)(payload) as EventView;
    return addInParts(deps, arriving, event, own, matched.found, matches);
  }
  addToCommit(deps, arriving, event, matches);
  return undefined;
}

/** The same with pauses, for an event that takes longer. */
async function takeInSlices(deps: IntakeDeps, arriving: Arriving): Promise<string | undefined> {
  const { platform, payload, accountId } = arriving;
  await deps.pause();
  const view = await analyzeLong(platform, payload);
  if (isRejection(view)) return view.rejected;
  await deps.pause();
  const matched = await deps.matching.matchInSlices(platform, view, accountId);
  report(deps, platform, matched);
  await deps.pause();
  return addInParts(deps, arriving, eventOf(arriving, view), view, matched.found, []);
}

function eventOf({ platform, payload, json, accountId, source }: Arriving, view: EventView): Event {
  const postId = postIdOf(platform, payload, view.id);
  return { platform, postId, payload, accountId, source, ...(json === undefined ? {} : { json }) };
}

const lookupOf = ({ clock }: IntakeDeps, view: EventView): ViewLookup => new ViewLookup(view, clock.now().getTime());

function report(deps: IntakeDeps, platform: Platform, { evaluated, found, failures }: MatchedRules): void {
  deps.metrics.event(platform, evaluated, found.length);
  for (const { ruleId, error } of failures) reportFailure(deps, platform, ruleId, error);
}

/** Adds the matches of an event that has many, or whose highlights take long, with pauses. */
async function addInParts(
  deps: IntakeDeps,
  arriving: Arriving,
  event: Event,
  view: EventView,
  found: readonly Found[],
  first: CommitMatch[],
): Promise<undefined> {
  const lookup = lookupOf(deps, view);
  if (found.length > 0) await prepareLookup(lookup);
  let matches = first;
  for (let shown = first.length; shown < found.length; ) {
    if (matches.length >= MATCHES_AT_ONCE) {
      addToCommit(deps, arriving, event, matches);
      matches = [];
      await deps.commits.spaceFree();
    }
    await deps.pause();
    shown += showMore(deps, matches, event.platform, lookup, found, shown);
  }
  addToCommit(deps, arriving, event, matches);
}

/** Adds matches with their highlights until there are enough for one transaction, or for one turn. Answers how many. */
function showMore(
  { matching }: IntakeDeps,
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

function addToCommit(
  { commits }: IntakeDeps,
  { platform, json, receipt }: Arriving,
  event: Event,
  matches: readonly CommitMatch[],
): void {
  const earlier = earlierVersions(platform, event.payload, event.postId);
  commits.add(platform, { event, matches, ...(earlier && { earlier }) }, json?.length ?? 0, receipt);
}

/** A rule that throws is counted each time and logged once; the other rules go on. */
function reportFailure({ metrics, log, logged }: IntakeDeps, platform: Platform, ruleId: string, error: unknown): void {
  metrics.ruleFailed(platform);
  if (logged.get(ruleId)) return;
  logged.set(ruleId, true);
  log.error({ platform, ruleId, err: error }, 'a rule failed on an event');
}
