/** The answers of the engine. */

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
