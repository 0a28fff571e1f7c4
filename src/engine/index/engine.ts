/**
 * The percolator: given queries and an event, which queries match. Pure and in memory; it does no I/O and knows no rule
 * language. It is an index, not a loop: an event's words lead to the few rules anchored on them (`anchor.ts`), most of
 * those die on their witness (`postings.ts`), and what is left is evaluated exactly (`evaluate.ts`). `scan.ts` is the
 * same without an index, and says what is right.
 *
 * Nothing per rule is an object but its id: programs, postings and terms are integers in chunks (`arena.ts`). One engine
 * holds the rules of one platform. It keeps programs, not queries: who wants an explanation brings the query along.
 */
import type { Query } from '../../rules/query.ts';
import type { EventView } from '../events/event-view.ts';
import { RuleIndex } from './rule-index.ts';

export interface Engine {
  /** Adds a rule, or gives it another query. It takes part in the very next match. */
  put(ruleId: string, query: Query): void;
  /** False when there was no such rule. */
  drop(ruleId: string): boolean;
  match(event: EventView): MatchReport;
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

export const createEngine = (options: EngineOptions = {}): Engine => new RuleIndex(options);
