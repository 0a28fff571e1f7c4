/** The live rules of one platform: an engine, and beside it the little that a match needs to know of its rule. */
import { createLru } from '../../base/lru.ts';
import type { CoreEngine } from '../../engine/core/core-engine.ts';
import type { NumberReport } from '../../engine/core/host-answers.ts';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import { leavesRules, newMatchBudget, renew, STEPS } from '../../engine/core/match-budget.ts';
import type { ThreadOutcome } from '../../engine/core/matcher-lines.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import type { Query } from '../../rules/query.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import { askedWords } from './asked-words.ts';
import type { Found, LiveRuleText } from './found-rule.ts';
import { createLiveRecords, restoreLiveRecords } from './live-records.ts';
import { matchInSlices } from './match-in-slices.ts';
import { matchLate } from './match-late.ts';
import { createRecheck, type RecheckDeps } from './recheck.ts';

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
  readonly engine: CoreEngine;
  put(rule: LiveRuleText, query: Query): void;
  drop(ruleId: string): void;
  /**
   * The rules that the event satisfies; of one account alone where the event is that account's own. Undefined when that
   * takes longer than one turn may: `matchInSlices` then finds them.
   */
  match(view: EventView, accountId: string | undefined): MatchedRules | undefined;
  /**
   * The same from the text of an event's line. `read` analyses it where a rule asks for that. `slow` where it takes longer than
   * one turn may; undefined where the line is one that must be read first.
   */
  matchLine(line: string, accountId: string | undefined, read: () => EventView): MatchedLine | 'slow' | undefined;
  /** What a thread found of a line, while its numbers are valid. */
  matchedByThread(
    outcome: ThreadOutcome,
    accountId: string | undefined,
    read: () => EventView,
  ): MatchedLine | 'left' | undefined;
  /** The same with pauses. The view must stay valid meanwhile. */
  matchInSlices(view: EventView, accountId: string | undefined): Promise<MatchedRules>;
  /** Steps of patterns and phrases since the last call, of what was matched without pauses: its caller pauses for them. */
  takeSteps(): number;
  /** The live rules with this very text: those that an upstream's verdict on the text concerns. */
  holders(text: RuleText): readonly Found[];
  /** The accounts whose rules match nothing for now. */
  suspendAccounts(accountIds: ReadonlySet<string>): void;
  accountOf(ruleId: string): string | undefined;
  /** The query of a live rule's text; parsed again when it was not needed lately. */
  queryOf(text: RuleText): Query | undefined;
  /** The words that a rule asks for; undefined where its query does not tell. */
  askedOf(found: Found): readonly number[] | undefined;
  /** All live rules as bytes, valid until one changes. */
  image(): ImagePart[];
  /** Reads an image; the call that it answers with puts its rules in the place of those that are here. */
  restore(reader: ImageReader): Promise<() => void>;
}

/** Queries kept for highlights: parsing one costs more than finding what it matched. The engine keeps programs only. */
const MAX_QUERIES = 16_384;

const NONE_FOUND: readonly Found[] = [];
const NO_FAILURES: NumberReport['failures'] = [];

interface Deps {
  readonly newEngine: () => CoreEngine;
  /** An upstream names the text that matched, so rules must be found by their text. */
  readonly hasUpstream: boolean;
  readonly parse: (text: RuleText) => Query | undefined;
  readonly now: () => number;
  readonly rechecks: Pick<RecheckDeps, 'seed' | 'onOutcome'>;
}

export function createPlatformRules({ newEngine, hasUpstream, parse, now, rechecks }: Deps): PlatformRules {
  let engine = newEngine();
  let records = createLiveRecords((number) => engine.idOf(number));
  let byText = createTextIndex();
  /** By the text's own object, since even making a key of it takes longer than this look-up. */
  const queries = createLru<RuleText, Query>({ limit: MAX_QUERIES });
  /** One for all events that are matched in one turn. */
  const budget = newMatchBudget();
  let steps = 0;
  let suspended: ReadonlySet<string> = new Set();
  const queryOfRule = (ruleId: string): Query | undefined => {
    const rule = recordOf(ruleId);
    return rule && parse(rule.text);
  };
  const recheck = createRecheck({
    ...rechecks,
    sample: (seed, count) => engine.sample(seed, count),
    queryOf: queryOfRule,
  });

  function foundAmong(numbers: ArrayLike<number>, count: number, accountId: string | undefined): Found[] {
    const found: Found[] = [];
    for (let at = 0; at < count; at++) {
      const rule = records.at(numbers[at]!);
      if (rule === undefined || suspended.has(rule.accountId)) continue;
      if (accountId === undefined || rule.accountId === accountId) found.push(rule);
    }
    return found;
  }
  function foundByIds(ruleIds: readonly string[], accountId: string | undefined): Found[] {
    const numbers = ruleIds.map((ruleId) => engine.numberOf(ruleId));
    return foundAmong(numbers, numbers.length, accountId);
  }
  const recordOf = (ruleId: string): LiveRuleText | undefined => {
    const number = engine.numberOf(ruleId);
    return number < 0 ? undefined : records.at(number);
  };

  function lineOf(
    report: NumberReport,
    postId: string | undefined,
    json: string,
    accountId: string | undefined,
    read: () => EventView,
  ): MatchedLine {
    const { numbers, count, evaluated, failures } = report;
    recheck({ postId: postId ?? '', view: read, reported: () => idsOf(report) });
    return {
      found: count === 0 ? NONE_FOUND : foundAmong(numbers, count, accountId),
      evaluated,
      failures,
      postId,
      json,
    };
  }
  const idsOf = ({ numbers, count }: NumberReport): string[] =>
    Array.from(numbers.subarray(0, count), (number) => engine.idOf(number));

  function forget(ruleId: string): void {
    const rule = recordOf(ruleId);
    if (rule === undefined) return;
    if (hasUpstream) byText.remove(rule);
    records.remove(engine.numberOf(ruleId));
  }

  return {
    get engine() {
      return engine;
    },
    put(rule, query) {
      forget(rule.ruleId);
      engine.put(rule.ruleId, query);
      records.set(engine.numberOf(rule.ruleId), rule);
      if (hasUpstream) byText.add(rule);
    },
    drop(ruleId) {
      forget(ruleId);
      engine.drop(ruleId);
    },
    match(view, accountId) {
      renew(budget);
      const report = engine.match(view, budget);
      steps += STEPS - budget.left;
      if (leavesRules(budget)) return undefined;
      recheck({ postId: view.id, view: () => view, reported: () => report.matches });
      return { ...report, found: foundByIds(report.matches, accountId) };
    },
    matchLine(line, accountId, read) {
      if (!line.isWellFormed() || !engine.walkLine(line)) return undefined;
      renew(budget);
      const report = engine.matchWalked(read, budget);
      steps += STEPS - budget.left;
      if (leavesRules(budget)) return 'slow';
      return lineOf(report, engine.walkedId, engine.keptOf(line), accountId, read);
    },
    matchedByThread(outcome, accountId, read) {
      if (typeof outcome === 'string') return outcome === 'left' ? 'left' : undefined;
      const { postId, json } = outcome;
      return lineOf({ ...outcome, failures: NO_FAILURES }, postId, json, accountId, read);
    },
    async matchInSlices(view, accountId) {
      const own = newMatchBudget();
      const report = await matchInSlices(engine, view, own);
      if (own.late.length > 0) {
        const { matches, failures } = await matchLate(view, own.late, queryOfRule, now);
        for (const ruleId of matches) report.matches.push(ruleId);
        report.failures = [...report.failures, ...failures];
      }
      return { ...report, found: foundByIds(report.matches, accountId) };
    },
    takeSteps() {
      const taken = steps;
      steps = 0;
      return taken;
    },
    holders: (text) => byText.get(text).filter(({ accountId }) => !suspended.has(accountId)),
    suspendAccounts(accountIds) {
      suspended = accountIds;
    },
    accountOf: (ruleId) => recordOf(ruleId)?.accountId,
    queryOf(text) {
      const query = queries.get(text) ?? parse(text);
      if (query !== undefined) queries.set(text, query);
      return query;
    },
    askedOf(found) {
      if (found.asked === undefined) found.asked = askedIn(parse(found.text));
      return found.asked ?? undefined;
    },
    image: () => [...engine.image(), ...records.image(engine.numbersEnd)],
    async restore(reader) {
      const restored = newEngine();
      await restored.restore(reader);
      const read = await restoreLiveRecords(reader, (number) => restored.idOf(number));
      const texts = createTextIndex();
      for (let number = 0; hasUpstream && number < restored.numbersEnd; number++) {
        const rule = read.at(number);
        if (rule !== undefined) texts.add(rule);
      }
      return () => {
        engine = restored;
        records = read;
        byText = texts;
      };
    },
  };
}

const askedIn = (query: Query | undefined): readonly number[] | null => (query && askedWords(query)) ?? null;

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
