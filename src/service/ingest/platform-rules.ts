/** The live rules of one platform: an engine, and beside it the little that a match needs to know of its rule. */
import { createLru } from '../../base/lru.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import type { Engine, MatchReport } from '../../engine/index/engine.ts';
import { isSpent, newPatternBudget, renew } from '../../engine/index/pattern-budget.ts';
import type { Query } from '../../rules/query.ts';
import { type RuleText, textKey } from '../rule-text.ts';
import { matchInSlices } from './match-in-slices.ts';

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

export interface PlatformRules {
  readonly engine: Engine;
  put(rule: LiveRuleText, query: Query): void;
  drop(ruleId: string): void;
  /**
   * The rules that the event satisfies; of one account alone where the event is that account's own. Undefined when that
   * takes longer than one turn may: `matchInSlices` then finds them.
   */
  match(view: EventView, accountId: string | undefined): MatchedRules | undefined;
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

/** `hasUpstream`: an upstream names the text that matched, so rules must be found by their text. */
export function createPlatformRules(
  engine: Engine,
  hasUpstream: boolean,
  parse: (text: RuleText) => Query | undefined,
): PlatformRules {
  const rules = new Map<string, LiveRuleText>();
  const byText = createTextIndex();
  /** By the text's own object, since even making a key of it takes longer than this look-up. */
  const queries = createLru<RuleText, Query>({ limit: MAX_QUERIES });
  /** One for all events that are matched in one turn. */
  const budget = newPatternBudget();
  let resting: ReadonlySet<string> = new Set();

  function matchedRules({ matches, evaluated, failures }: MatchReport, accountId: string | undefined): MatchedRules {
    const found: Found[] = [];
    for (const ruleId of matches) {
      const rule = rules.get(ruleId);
      if (rule === undefined || resting.has(rule.accountId)) continue;
      if (accountId === undefined || rule.accountId === accountId) found.push(rule);
    }
    return { found, evaluated, failures };
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
      return isSpent(budget) ? undefined : matchedRules(report, accountId);
    },
    matchInSlices: async (view, accountId) => matchedRules(await matchInSlices(engine, view), accountId),
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
