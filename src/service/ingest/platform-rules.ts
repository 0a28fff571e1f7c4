/** The live rules of one platform, and which of them an event satisfies. */
import { createLru } from '../../base/lru.ts';
import type { NumberReport } from '../../engine/core/host-answers.ts';
import { leavesRules, newMatchBudget, renew, STEPS } from '../../engine/core/match-budget.ts';
import type { ThreadOutcome } from '../../engine/core/matcher-lines.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import type { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { CommitMatch } from '../../store/store.ts';
import { askedWords } from './asked-words.ts';
import type { Found } from './live-records.ts';
import { createLiveSet, type EventOrigin, type LiveSet, type LiveSetDeps } from './live-set.ts';
import { matchInSlices, matchLate } from './long-events.ts';
import { createRecheck, type RecheckDeps } from './recheck.ts';

export interface MatchedRules {
  readonly found: readonly Found[];
  readonly evaluated: number;
  readonly failures: readonly { readonly ruleId: string; readonly error: unknown }[];
}

/** The rules that a line satisfies, with what the line is stored by: no object was made of it. */
export interface MatchedLine extends MatchedRules {
  /** It is undefined for a page without an id. */
  readonly postId: string | undefined;
  readonly json: string;
}

/** Matches events. An event that is an account's own is matched by the rules of that account alone, and none by rules that are limited to other sources. */
export interface EventMatcher {
  /** Returns undefined when it takes longer than one turn may: `matchInSlices` then finds the rules. */
  match(view: EventView, by: EventOrigin | undefined): MatchedRules | undefined;
  /**
   * Matches the text of an event's line. `read` analyses it where a rule asks for that. The answer is `slow` where it takes longer
   * than one turn may, and `unread` where an object must be made of the line first.
   */
  matchLine(line: string, by: EventOrigin | undefined, read: () => EventView): MatchedLine | 'slow' | 'unread';
  /** The rules that a thread found for a line, while its numbers are valid; undefined where the line is to be matched here. */
  matchedByThread(
    outcome: ThreadOutcome,
    by: EventOrigin | undefined,
    read: () => EventView,
  ): MatchedLine | 'unread' | undefined;
  /** Matches with pauses. The view must stay valid meanwhile. */
  matchInSlices(view: EventView, by: EventOrigin | undefined): Promise<MatchedRules>;
  /** Steps of patterns and phrases since the last call, of what was matched without pauses: its caller pauses for them. */
  takeSteps(): number;
}

/** The queries of live rules. */
export interface RuleQueries {
  /** The query of a live rule's text; parsed again when it was not needed lately. */
  queryOf(text: RuleText): Query | undefined;
  /** The words that a rule asks for; undefined where its query does not tell. */
  askedOf(found: Found): readonly number[] | undefined;
  /** The match with its highlights. `lookup` serves all matches of its event; its `steps` say how much work they have taken. */
  highlight(found: Found, lookup: ViewLookup): CommitMatch;
}

export interface PlatformRules extends EventMatcher, RuleQueries {
  readonly live: LiveSet;
}

/** Queries kept for highlights: parsing one costs more than finding what it matched. The engine keeps programs only. */
const MAX_QUERIES = 16_384;

const NONE_FOUND: readonly Found[] = [];
const NO_FAILURES: NumberReport['failures'] = [];

interface MatcherDeps {
  readonly parse: (text: RuleText) => Query | undefined;
  readonly now: () => number;
  readonly rechecks: Pick<RecheckDeps, 'seed' | 'onOutcome'>;
}

export function createPlatformRules(deps: MatcherDeps & LiveSetDeps): PlatformRules {
  const live = createLiveSet(deps);
  return { live, ...createMatcher(live, deps), ...createRuleQueries(deps.parse) };
}

function createMatcher(live: LiveSet, { parse, now, rechecks }: MatcherDeps): EventMatcher {
  const queryOfRule = (ruleId: string) => parseRule(live.rule(ruleId), parse);
  const matchedLine = lineMatcher(live, queryOfRule, rechecks);
  /** One for all events that are matched in one turn. */
  const budget = newMatchBudget();
  let steps = 0;
  function isTooSlow(): boolean {
    steps += STEPS - budget.left;
    return leavesRules(budget);
  }

  return {
    match(view, by) {
      renew(budget);
      const report = live.engine.match(view, budget);
      if (isTooSlow()) return undefined;
      matchedLine.recheck({ postId: view.id, view: () => view, reported: () => report.matches });
      return { ...report, found: live.findByIds(report.matches, by) };
    },
    matchLine(line, by, read) {
      const { engine } = live;
      if (!line.isWellFormed() || !engine.walkLine(line)) return 'unread';
      renew(budget);
      const report = engine.matchWalked(read, budget);
      if (isTooSlow()) return 'slow';
      return matchedLine.of(report, engine.walkedId, engine.keptOf(line), by, read);
    },
    matchedByThread(outcome, by, read) {
      if (typeof outcome === 'string') return outcome === 'left' ? 'unread' : undefined;
      const report = { ...outcome, failures: NO_FAILURES };
      return matchedLine.of(report, outcome.postId, outcome.json, by, read);
    },
    matchInSlices: (view, by) => matchAllInSlices(live, view, by, queryOfRule, now),
    takeSteps() {
      const taken = steps;
      steps = 0;
      return taken;
    },
  };
}

const parseRule = (rule: Found | undefined, parse: MatcherDeps['parse']): Query | undefined => rule && parse(rule.text);

/** Makes the rules of a line out of their numbers, and has the core checked now and then. */
function lineMatcher(
  live: LiveSet,
  queryOf: RecheckDeps['queryOf'],
  rechecks: Pick<RecheckDeps, 'seed' | 'onOutcome'>,
) {
  const sample: RecheckDeps['sample'] = (seed, count) => live.engine.sample(seed, count);
  const recheck = createRecheck({ ...rechecks, sample, queryOf });
  const idsOf = ({ numbers, count }: NumberReport): string[] =>
    Array.from(numbers.subarray(0, count), (number) => live.engine.idOf(number));
  return {
    recheck,
    of(
      report: NumberReport,
      postId: string | undefined,
      json: string,
      by: EventOrigin | undefined,
      read: () => EventView,
    ): MatchedLine {
      const { numbers, count, evaluated, failures } = report;
      recheck({ postId: postId ?? '', view: read, reported: () => idsOf(report) });
      const found = count === 0 && live.size === live.engine.size ? NONE_FOUND : live.find(numbers, count, by);
      return { found, evaluated, failures, postId, json };
    },
  };
}

async function matchAllInSlices(
  live: LiveSet,
  view: EventView,
  by: EventOrigin | undefined,
  queryOf: (ruleId: string) => Query | undefined,
  now: () => number,
): Promise<MatchedRules> {
  const budget = newMatchBudget();
  const report = await matchInSlices(live.engine, view, budget);
  if (budget.late.length > 0) {
    const { matches, failures } = await matchLate(view, budget.late, queryOf, now);
    for (const ruleId of matches) report.matches.push(ruleId);
    report.failures = [...report.failures, ...failures];
  }
  return { ...report, found: live.findByIds(report.matches, by) };
}

function createRuleQueries(parse: MatcherDeps['parse']): RuleQueries {
  /** By the text's own object, since even making a key of it takes longer than this look-up. */
  const queries = createLru<RuleText, Query>({ limit: MAX_QUERIES });
  const queryOf = (text: RuleText): Query | undefined => {
    const query = queries.get(text) ?? parse(text);
    if (query !== undefined) queries.set(text, query);
    return query;
  };
  return {
    queryOf,
    askedOf(found) {
      if (found.asked === undefined) found.asked = askedIn(parse(found.text));
      return found.asked ?? undefined;
    },
    highlight({ ruleId, version, text }, lookup) {
      const query = queryOf(text);
      return { ruleId, version, highlights: query ? highlights(query, lookup) : [] };
    },
  };
}

const askedIn = (query: Query | undefined): readonly number[] | null => (query && askedWords(query)) ?? null;
