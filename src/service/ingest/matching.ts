/**
 * The live rules: an engine for each platform, and beside it the little that a match needs to know of its rule. The
 * engines keep no texts; where a match must be shown or explained, its rule's text is read again.
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createEngine, type Engine, type MatchReport } from '../../engine/index/engine.ts';
import { newPatternBudget, renew } from '../../engine/index/pattern-budget.ts';
import type { Language } from '../../rules/language.ts';
import type { Query } from '../../rules/query.ts';
import { keyOf, queryOf, type RuleText, type Texts } from '../rule-text.ts';
import { matchInSlices } from './match-in-slices.ts';

/** A rule as it is matched; a platform without a text is not matched. */
export interface LiveRule {
  readonly id: string;
  readonly accountId: string;
  readonly version: number;
  readonly texts: Texts;
}

/** A rule that an event satisfied. */
export interface Found {
  readonly ruleId: string;
  readonly version: number;
  readonly text: RuleText;
}

export interface Matching {
  /** Reads all rules at the start, in slices. Whatever is put or dropped meanwhile is newer than what is read. */
  load(rules: AsyncIterable<readonly Rule[]>): Promise<void>;
  /** Resolves when every rule that was stored before the start is matched. */
  readonly loaded: Promise<void>;
  readonly isLoaded: boolean;
  put(rule: LiveRule): void;
  drop(ruleId: string): void;
  /**
   * The rules that the event satisfies; of one account alone where the event is that account's own. Undefined when that takes
   * longer than one turn may: `matchInSlices` then finds them.
   */
  match(platform: Platform, view: EventView, accountId: string | undefined): MatchedRules | undefined;
  /** The same with pauses. The view must stay valid meanwhile. */
  matchInSlices(platform: Platform, view: EventView, accountId: string | undefined): Promise<MatchedRules>;
  /** The live rules with this very text, on an upstream's platform: whom its word concerns. */
  holders(platform: Platform, text: RuleText): readonly Found[];
  /** Accounts whose rules on the platform find nothing for now; whoever is not named does again. */
  rest(platform: Platform, accountIds: ReadonlySet<string>): void;
  queryOf(platform: Platform, text: RuleText): Query | undefined;
  cost(platform: Platform, query: Query): ReturnType<Engine['cost']>;
  /** Rules without an anchor, and why: they are looked at for every event. */
  slow(platform: Platform, accountId: string): { readonly ruleId: string; readonly reason: string }[];
  size(platform: Platform): number;
  /** A small step of keeping the index good; called now and then. */
  tend(platform: Platform): void;
}

export interface MatchedRules {
  readonly found: readonly Found[];
  readonly evaluated: number;
  readonly failures: readonly { readonly ruleId: string; readonly error: unknown }[];
}

interface Entry extends Found {
  readonly accountId: string;
}

/** Rules read at the start between two pauses. */
const LOAD_SLICE = 100;
/** Queries kept for showing matches: reading one again costs more than showing what it found. */
const QUERIES_KEPT = 16_384;
const REANCHORED_AT_ONCE = 32;

interface Deps {
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly clock: Clock;
  /** Where an upstream judges, which has also filtered by the flags already. */
  readonly isUpstream?: (platform: Platform) => boolean;
  /** Told of stored rules that the language no longer accepts. */
  readonly onUnreadable: (rule: Rule, platform: Platform) => void;
}

export function createMatching({ languages, clock, onUnreadable, isUpstream = () => false }: Deps): Matching {
  // Nobody who writes rules can know which words share a place in the index.
  const seed = randomInt(0x7fffffff);
  const engines = perPlatform(() => createEngine({ now: () => clock.now().getTime(), seed }));
  const entries = perPlatform(() => new Map<string, Entry>());
  const holders = perPlatform(() => new Map<string, Map<string, Entry>>());
  const resting: Record<Platform, ReadonlySet<string>> = perPlatform(() => new Set());
  const queries = new Map<string, Query>();
  /** The same by the very objects that rules have: even making a key takes longer than looking here. */
  const queriesOfEntries = new Map<RuleText, Query>();
  /** One for all events that are matched in one go. */
  const budget = newPatternBudget();
  const { promise: loaded, resolve: finishLoading } = Promise.withResolvers<void>();
  /** Rules that changed while the stored ones were still being read: what is read of them may be old. */
  let changed: Set<string> | undefined = new Set();

  function put(rule: LiveRule): void {
    changed?.add(rule.id);
    for (const name of PLATFORMS) {
      const text = rule.texts[name];
      const query = text && queryFor(name, text);
      if (query === undefined) remove(name, rule.id);
      else insert(name, rule, text!, query);
    }
  }

  function insert(
    name: Platform,
    { id, accountId, version }: LiveRule,
    { value, flags }: RuleText,
    query: Query,
  ): void {
    if (isUpstream(name)) unhold(name, id);
    const entry: Entry = { ruleId: id, accountId, version, text: { value, flags } };
    engines[name].put(id, query);
    entries[name].set(id, entry);
    if (!isUpstream(name)) return;
    const key = keyOf(entry.text);
    holders[name].set(key, (holders[name].get(key) ?? new Map<string, Entry>()).set(id, entry));
  }

  function unhold(name: Platform, ruleId: string): void {
    const entry = entries[name].get(ruleId);
    if (entry === undefined) return;
    const key = keyOf(entry.text);
    const sharing = holders[name].get(key);
    sharing?.delete(ruleId);
    if (sharing?.size === 0) holders[name].delete(key);
  }

  function remove(name: Platform, ruleId: string): void {
    if (isUpstream(name)) unhold(name, ruleId);
    engines[name].drop(ruleId);
    entries[name].delete(ruleId);
  }

  async function load(rules: AsyncIterable<readonly Rule[]>): Promise<void> {
    const pause = createPauses(LOAD_SLICE);
    for await (const slice of rules) {
      for (const rule of slice) {
        if (!changed?.has(rule.id)) loadOne(rule);
        await pause(1);
      }
    }
    changed = undefined;
    finishLoading();
  }

  function loadOne(rule: Rule): void {
    const { texts } = liveRuleOf(rule);
    for (const name of PLATFORMS) {
      const held = texts[name];
      if (held === undefined) continue;
      const query = read(name, held);
      if (query === undefined) onUnreadable(rule, name);
      else insert(name, { ...rule, texts: {} }, held, query);
    }
  }

  const read = (name: Platform, { value, flags }: RuleText): Query | undefined =>
    queryOf(languages[name], { value, flags: isUpstream(name) ? {} : flags });

  function queryFor(name: Platform, text: RuleText): Query | undefined {
    const key = `${name} ${keyOf(text)}`;
    const query = queries.get(key) ?? read(name, text);
    queries.delete(key);
    if (query !== undefined) queries.set(key, query);
    if (queries.size > QUERIES_KEPT) queries.delete(queries.keys().next().value!);
    return query;
  }

  function queryOfEntry(name: Platform, text: RuleText): Query | undefined {
    const query = queriesOfEntries.get(text) ?? queryFor(name, text);
    if (queriesOfEntries.size >= QUERIES_KEPT) queriesOfEntries.clear();
    if (query !== undefined) queriesOfEntries.set(text, query);
    return query;
  }

  function matchedRules(name: Platform, report: MatchReport, accountId: string | undefined): MatchedRules {
    const found: Found[] = [];
    for (const ruleId of report.matches) {
      const entry = entries[name].get(ruleId);
      if (entry === undefined || resting[name].has(entry.accountId)) continue;
      if (accountId === undefined || entry.accountId === accountId) found.push(entry);
    }
    return { found, evaluated: report.evaluated, failures: report.failures };
  }

  return {
    load,
    loaded,
    get isLoaded() {
      return changed === undefined;
    },
    put,
    drop(ruleId) {
      changed?.add(ruleId);
      for (const name of PLATFORMS) remove(name, ruleId);
    },
    match(name, view, accountId) {
      renew(budget);
      const report = engines[name].match(view, budget);
      return budget.open.size === 0 ? matchedRules(name, report, accountId) : undefined;
    },
    matchInSlices: async (name, view, accountId) =>
      matchedRules(name, await matchInSlices(engines[name], view), accountId),
    holders: (name, text) =>
      [...(holders[name].get(keyOf(text))?.values() ?? [])].filter(({ accountId }) => !resting[name].has(accountId)),
    rest(name, accountIds) {
      resting[name] = accountIds;
    },
    queryOf: queryOfEntry,
    cost: (name, query) => engines[name].cost(query),
    slow: (name, accountId) =>
      engines[name].slow().filter(({ ruleId }) => entries[name].get(ruleId)?.accountId === accountId),
    size: (name) => engines[name].size,
    tend: (name) => void engines[name].reanchor(REANCHORED_AT_ONCE),
  };
}

/** A stored rule as it is matched: not while it is paused, and not where no platform has answered for it yet. */
export function liveRuleOf({ id, accountId, version, paused, platforms }: Rule): LiveRule {
  const texts: Texts = {};
  for (const name of PLATFORMS) {
    const held = platforms[name];
    if (!paused && held !== undefined && isMatched(held.status)) texts[name] = held;
  }
  return { id, accountId, version, texts };
}

/** A rule that an upstream dropped is still wanted: it is matched as soon as its events arrive again. */
const isMatched = (status: string): boolean => status === 'active' || status === 'failed';

const perPlatform = <T>(make: () => T): Record<Platform, T> => ({ x: make(), firehose: make() });
