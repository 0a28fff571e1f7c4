/** The deliveries of an upstream for a rule or an account in a month. */
export interface Usage {
  /** Posts or pages, each counted once. The upstream charges for these. */
  readonly reads: number;
  readonly matches: number;
}

/** How often the upstream and our engine agreed on a rule. The upstream gives no verdict on a single packed rule. */
export interface Agreement {
  readonly agreed: number;
  readonly upstreamOnly: number;
  readonly engineOnly: number;
}
