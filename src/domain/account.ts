/** Who owns rules, matches and keys. No operation ever shows one account what belongs to another. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  /** How many rules on the premium platform it may hold. */
  readonly xRules: number;
  /** What it may spend on the premium platform in a month, in the currency of the prices; no limit when undefined. */
  readonly xBudget?: number | undefined;
  /** The month, as 202611, in which that was used up: its premium rules rest until the next. */
  readonly xSpentIn?: number | undefined;
  readonly createdAt: Date;
}

export const PLANS = ['free', 'paid'] as const;
export type Plan = (typeof PLANS)[number];

/** The operator's own account, made at the first start. */
export const DEFAULT_ACCOUNT = 'default';

/** `full` may do all; `read` changes nothing; `ingest` only pushes events, which then reach every account. */
export const SCOPES = ['full', 'read', 'ingest'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Key {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly scope: Scope;
  /** Shown instead of the key, of which only a digest is kept. */
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  readonly expiresAt: Date | undefined;
}
