/**
 * Events that take longer than one turn may: long ones, and those of slow or very many rules. They are analysed, matched and
 * highlighted in slices, so that other work runs in between. Short events are analysed at once.
 */
import { setImmediate } from 'node:timers/promises';
import { createPauses, inSlices } from '../../base/cooperate.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { Platform } from '../../domain/platform.ts';
import type { CoreEngine } from '../../engine/core/core-engine.ts';
import { isLong as isLongView, isSpent, type MatchBudget } from '../../engine/core/match-budget.ts';
import type { MatchReport } from '../../engine/core/reports.ts';
import { analyzeInSlices, newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView, Rejection } from '../../engine/events/event-view.ts';
import { holdsInParts } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';

/** An event of more characters is analysed, matched and shown in slices. */
const LONG_EVENT = 32 * 1024;
/** Characters, or words, between two pauses: some ten milliseconds where each character is a word, as in Chinese. */
const CHARACTERS_AT_ONCE = 24 * 1024;
const WORDS_AT_ONCE = 32 * 1024;
/** Steps between two pauses of a match: some 5 milliseconds. */
export const STEPS_AT_ONCE = 20_000;
/** Parsing a rule takes as long as so many steps. */
const PARSE_STEPS = 400;
/** Steps of highlights between two pauses. */
const HIGHLIGHTED_AT_ONCE = 50_000;
/** Short events of a stream between two pauses. */
const EVENTS_AT_ONCE = 16;
/** Texts stand no deeper in a payload: `data.note_tweet.text`, `diff.chunks.0.text`. */
const DEPTH = 4;

/** No text up to this length is that of a long event: JSON takes a character at least for each of a value. */
export const mayBeLong = (json: string): boolean => json.length > LONG_EVENT;

export const isLong = (payload: unknown): boolean => charactersIn(payload, DEPTH) > LONG_EVENT;

/** The view belongs to the event: it stays valid. */
export const analyzeLong = (platform: Platform, payload: unknown): Promise<EventView | Rejection> =>
  inSlices(analyzeInSlices(platform, payload), CHARACTERS_AT_ONCE);

/** Answers a promise for a long event. The view of a short one is valid until the next event is analysed. */
export function createAnalysis(platform: Platform) {
  const analyze = newAnalyzer(platform);
  return (payload: unknown): EventView | Rejection | Promise<EventView | Rejection> =>
    isLong(payload) ? analyzeLong(platform, payload) : analyze(payload);
}

/** The analysis of a stream whose events come without an end: everything else runs now and then. */
export function createStreamAnalysis(platform: Platform): (payload: unknown) => Promise<EventView | Rejection> {
  const analyze = createAnalysis(platform);
  const pause = createPauses(EVENTS_AT_ONCE);
  return async (payload) => {
    await pause(1);
    return analyze(payload);
  };
}

/** Has what highlights need of a long event worked out in slices; of a short one they work it out themselves. */
export async function prepareLookup(lookup: ViewLookup): Promise<void> {
  if (lookup.view.words.count > WORDS_AT_ONCE || lookup.view.pieces.some(({ text }) => text.length > LONG_EVENT))
    await inSlices(lookup.prepare(), WORDS_AT_ONCE);
}

/** Has every part of a rule decided in slices. Answers the steps that it took. */
export async function decideInSlices(query: Query, lookup: ViewLookup): Promise<number> {
  const pause = createPauses(STEPS_AT_ONCE);
  let steps = 0;
  for (const taken of holdsInParts(query, lookup)) {
    steps += taken;
    await pause(taken);
  }
  return steps;
}

/** Calls `highlight` for each of the matches of an event, whose highlights `lookup` helps to find. */
export async function highlightInSlices<Match>(
  lookup: ViewLookup,
  matches: readonly Match[],
  highlight: (match: Match) => void,
): Promise<void> {
  if (matches.length > 0) await prepareLookup(lookup);
  const pause = createPauses(HIGHLIGHTED_AT_ONCE);
  for (const match of matches) {
    const before = lookup.steps;
    highlight(match);
    const pausing = pause(lookup.steps - before);
    if (pausing !== undefined) await pausing;
  }
}

/** The complete report. The view must stay valid until then, so its analyzer may not be used meanwhile. */
export async function matchInSlices(engine: CoreEngine, view: EventView, budget: MatchBudget): Promise<MatchReport> {
  if (isLongView(view)) await inSlices(engine.prepare(view, budget), WORDS_AT_ONCE);
  let evaluated = 0;
  for (;;) {
    const report = engine.match(view, budget);
    evaluated += report.evaluated;
    if (!isSpent(budget)) return { ...report, evaluated };
    await setImmediate();
    await inSlices(engine.decideOpen(view, budget), STEPS_AT_ONCE);
  }
}

/**
 * Matches rules whose phrases took more steps than one turn may have, one by one: the search for a phrase may pause here, which
 * the core cannot. The event waits for these rules; requests are answered in between. `queryOf` knows no rule that has gone meanwhile.
 */
export async function matchLate(
  view: EventView,
  ruleIds: readonly string[],
  queryOf: (ruleId: string) => Query | undefined,
  now: () => number,
): Promise<Pick<MatchReport, 'matches' | 'failures'>> {
  const report: Pick<MatchReport, 'matches' | 'failures'> = { matches: [], failures: [] };
  await inSlices(matchOneByOne(new ViewLookup(view, now()), ruleIds, queryOf, report), STEPS_AT_ONCE);
  return report;
}

function* matchOneByOne(
  lookup: ViewLookup,
  ruleIds: readonly string[],
  queryOf: (ruleId: string) => Query | undefined,
  { matches, failures }: Pick<MatchReport, 'matches' | 'failures'>,
): Generator<number, void> {
  for (const ruleId of ruleIds) {
    const query = queryOf(ruleId);
    yield PARSE_STEPS;
    if (query === undefined) continue;
    try {
      if (yield* holdsInParts(query, lookup)) matches.push(ruleId);
    } catch (error) {
      failures.push({ ruleId, error });
    }
  }
}

function charactersIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth === 0) return 0;
  let sum = 0;
  if (Array.isArray(value)) for (const one of value) sum += charactersIn(one, depth - 1);
  else for (const name in value) sum += charactersIn((value as JsonRecord)[name], depth - 1);
  return sum;
}
