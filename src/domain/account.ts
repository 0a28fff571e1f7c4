/** Owns rules, matches and keys. No operation shows one account the data of another. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** How many rules on the premium platform it may have. */
  readonly xRules: number;
  /** Its monthly budget for the premium platform, in the currency of the prices. Undefined: no limit. */
  readonly xBudget?: number | undefined;
  /** The month, as 202611, in which it used up the budget: its premium rules do not run until the next month. */
  readonly xSpentIn?: number | undefined;
  readonly createdAt: Date;
}

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

/** The operator's account. The first start creates it. */
export const DEFAULT_ACCOUNT = 'default';

/** `full` may do everything. `read` changes nothing. `ingest` only pushes events, which reach every account. */
export const SCOPES = ['full', 'read', 'ingest'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Key {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: Scope;
  /** Shown instead of the key. Only a digest of the key is stored. */
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
}
