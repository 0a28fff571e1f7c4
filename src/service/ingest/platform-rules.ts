/** The live rules of one platform: an engine, and beside it the little that a match needs to know of its rule. */
import { createLru } from '../../base/lru.ts';
import type { LineEngine } from '../../engine/core/core-engine.ts';
import type { NumberReport } from '../../engine/core/host-answers.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { isSpent, newPatternBudget, renew } from '../../engine/index/pattern-budget.ts';
import type { Query } from '../../rules/query.ts';
import { type RuleText, textKey } from '../rule-text.ts';
import { matchInSlices } from './match-in-slices.ts';
import { createRecheck, type RecheckDeps } from './recheck.ts';

/** A rule that an event satisfied. */
export interface Found {
  readonly ruleId: string;
  readonly version: number;
  readonly text: RuleText;
}

export interface LiveRuleText extends Found {
  readonly accountId: string;
}

export interface MatchedRules {
  readonly found: readonly Found[];
  readonly evaluated: number;
  readonly failures: readonly { readonly ruleId: string; readonly error: unknown }[];
}

/** The rules that a line satisfies, with what the line is stored by: no object was made of it. */
export interface MatchedLine extends MatchedRules {
  /** Undefined for a page without an id. */
  readonly postId: string | undefined;
  readonly json: string;
}

export interface PlatformRules {
  readonly engine: LineEngine;
  put(rule: LiveRuleText, query: Query): void;
  drop(ruleId: string): void;
  /**
   * The rules that the event satisfies; of one account alone where the event is that account's own. Undefined when that
   * takes longer than one turn may: `matchInSlices` then finds them.
   */
  match(view: EventView, accountId: string | undefined): MatchedRules | undefined;
  /**
   * The same from the text of an event's line. `read` analyses it where a rule asks for that. Undefined also where the line is
   * one that must be read first.
   */
  matchLine(line: string, accountId: string | undefined, read: () => EventView): MatchedLine | undefined;
  /** The same with pauses. The view must stay valid meanwhile. */
  matchInSlices(view: EventView, accountId: string | undefined): Promise<MatchedRules>;
  /** The live rules with this very text: those that an upstream's verdict on the text concerns. */
  holders(text: RuleText): readonly Found[];
  /** The accounts whose rules match nothing for now. */
  rest(accountIds: ReadonlySet<string>): void;
  accountOf(ruleId: string): string | undefined;
  /** The query of a live rule's text; parsed again when it was not needed lately. */
  queryOf(text: RuleText): Query | undefined;
}

/** Queries kept for highlights: parsing one costs more than finding what it matched. The engine keeps programs only. */
const MAX_QUERIES = 16_384;

const NONE_FOUND: readonly Found[] = [];

/** `hasUpstream`: an upstream names the text that matched, so rules must be found by their text. */
export function createPlatformRules(
  engine: LineEngine,
  hasUpstream: boolean,
  parse: (text: RuleText) => Query | undefined,
  rechecks: Pick<RecheckDeps, 'seed' | 'onOutcome'>,
): PlatformRules {
  const rules = new Map<string, LiveRuleText>();
  const byText = createTextIndex();
  /** By the text's own object, since even making a key of it takes longer than this look-up. */
  const queries = createLru<RuleText, Query>({ limit: MAX_QUERIES });
  /** One for all events that are matched in one turn. */
  const budget = newPatternBudget();
  let resting: ReadonlySet<string> = new Set();
  const recheck = createRecheck({
    ...rechecks,
    sample: (seed, count) => engine.sample(seed, count),
    queryOf(ruleId) {
      const rule = rules.get(ruleId);
      return rule && parse(rule.text);
    },
  });

  function foundAmong(ruleIds: Iterable<string>, accountId: string | undefined): Found[] {
    const found: Found[] = [];
    for (const ruleId of ruleIds) {
      const rule = rules.get(ruleId);
      if (rule === undefined || resting.has(rule.accountId)) continue;
      if (accountId === undefined || rule.accountId === accountId) found.push(rule);
    }
    return found;
  }
  function* idsOf({ numbers, count }: NumberReport): Generator<string> {
    for (let at = 0; at < count; at++) yield engine.idOf(numbers[at]!);
  }

  function forget(ruleId: string): void {
    const rule = rules.get(ruleId);
    if (rule !== undefined && hasUpstream) byText.remove(rule);
    rules.delete(ruleId);
  }

  return {
    engine,
    put(rule, query) {
      forget(rule.ruleId);
      engine.put(rule.ruleId, query);
      rules.set(rule.ruleId, rule);
      if (hasUpstream) byText.add(rule);
    },
    drop(ruleId) {
      forget(ruleId);
      engine.drop(ruleId);
    },
    match(view, accountId) {
      renew(budget);
      const report = engine.match(view, budget);
      if (isSpent(budget)) return undefined;
      recheck({ postId: view.id, view: () => view, reported: () => report.matches });
      return { ...report, found: foundAmong(report.matches, accountId) };
    },
    matchLine(line, accountId, read) {
      if (!line.isWellFormed() || !engine.walkLine(line)) return undefined;
      renew(budget);
      const report = engine.matchWalked(read, budget);
      if (isSpent(budget)) return undefined;
      const { count, evaluated, failures } = report;
      const postId = engine.walkedId;
      recheck({ postId: postId ?? '', view: read, reported: () => [...idsOf(report)] });
      const found = count === 0 ? NONE_FOUND : foundAmong(idsOf(report), accountId);
      return { found, evaluated, failures, postId, json: engine.keptOf(line) };
    },
    async matchInSlices(view, accountId) {
      const report = await matchInSlices(engine, view);
      return { ...report, found: foundAmong(report.matches, accountId) };
    },
    holders: (text) => byText.get(text).filter(({ accountId }) => !resting.has(accountId)),
    rest(accountIds) {
      resting = accountIds;
    },
    accountOf: (ruleId) => rules.get(ruleId)?.accountId,
    queryOf(text) {
      const query = queries.get(text) ?? parse(text);
      if (query !== undefined) queries.set(text, query);
      return query;
    },
  };
}

/** Rules by their text and flags. */
function createTextIndex() {
  const index = new Map<string, Map<string, LiveRuleText>>();
  return {
    get: (text: RuleText): LiveRuleText[] => [...(index.get(textKey(text))?.values() ?? [])],
    add(rule: LiveRuleText): void {
      const key = textKey(rule.text);
      index.set(key, (index.get(key) ?? new Map<string, LiveRuleText>()).set(rule.ruleId, rule));
    },
    remove({ ruleId, text }: LiveRuleText): void {
      const key = textKey(text);
      const sharing = index.get(key);
      sharing?.delete(ruleId);
      if (sharing?.size === 0) index.delete(key);
    },
  };
}
