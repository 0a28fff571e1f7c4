/** The contract of an engine: it is given queries and an event, and says which of them the event matches. */
import type { Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import type { MatchBudget } from './match-budget.ts';

export interface Engine {
  /** Adds a rule, or gives it another query. It takes part in the very next match. */
  put(ruleId: string, query: Query): void;
  /** False when there was no such rule. */
  drop(ruleId: string): boolean;
  /** The rules that the event matches; none while the budget is spent. */
  match(event: EventView, budget?: MatchBudget): MatchReport;
  /** Reads the words of a long event in parts, so that `match` need not. Yields how many. */
  prepare(event: EventView, budget: MatchBudget): Generator<number, void>;
  /** Decides the open patterns of a budget for the same event, in parts; `match` then goes on. Yields its steps. */
  decideOpen(event: EventView, budget: MatchBudget): Generator<number, void>;
  /** Counts the event's words without matching, so that rules put later are anchored well from the start. */
  observe(event: EventView): void;
  cost(query: Query): Cost;
  /** The rules that every event has to be checked against, and why. */
  slow(): { ruleId: string; reason: string }[];
  /** Looks at the next `budget` rules, and moves those to better anchors that have them by now. Returns how many moved. */
  reanchor(budget: number): number;
  readonly size: number;
  stats(): Stats;
}

export interface MatchReport {
  matches: string[];
  /** Rules looked at, beyond their postings. Tests assert it, so an index that stops filtering is a failing test. */
  evaluated: number;
  /** Rules that threw: reported, skipped, never in the way of the others. */
  failures: { ruleId: string; error: unknown }[];
}

export interface Cost {
  /** The share of events that make the rule a candidate: 1 when it has no anchor. */
  readonly share: number;
  readonly anchors: readonly { readonly field: string; readonly term: string; readonly share: number }[];
  /** Why there is no anchor. */
  readonly reason?: string;
}

export interface Stats {
  readonly rules: number;
  readonly terms: number;
  readonly predicates: number;
  readonly slow: number;
  /** All typed arrays and references, without the characters of the ids. */
  readonly bytes: number;
  /** Integers in use in the arenas: back at the start when all rules are dropped. */
  readonly used: number;
}

export interface EngineOptions {
  readonly now?: () => number;
  /** Makes the places of words in the dictionary unpredictable to those who write rules. */
  readonly seed?: number;
}
