/** What an upstream delivered for a rule or an account in a month. */
export interface Usage {
  /** Posts or pages, each counted once: what the upstream charges for. */
  readonly reads: number;
  readonly matches: number;
}

/** How often the upstream and our engine said the same of a rule; a rule that is packed has no word of the upstream's own. */
export interface Agreement {
  readonly agreed: number;
  readonly upstreamOnly: number;
  readonly engineOnly: number;
}
