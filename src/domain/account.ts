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
  /** Limits that are its own. Null is no limit; one that is left out is that of the installation. */
  readonly limits?: Readonly<Partial<Record<AccountLimit, number | null>>>;
  /** Its keys are refused and its rules match nothing, until the operator resumes it. */
  readonly suspended?: Suspension;
  readonly createdAt: Date;
}

/** The limits that the operator sets for one account. */
export const ACCOUNT_LIMIT_CODES = [
  'requests_per_key',
  'requests_per_account',
  'cpu_ms_per_minute',
  'pushed_bytes_per_minute',
  'pushed_bytes_per_day',
  'firehose_rules',
  'streams',
  'waits',
  'matches_per_day',
  'stored_bytes',
  'sources',
  'source_fetches_per_hour',
  'source_bytes_per_day',
  'source_interval_seconds',
] as const;
export type AccountLimit = (typeof ACCOUNT_LIMIT_CODES)[number];
/** `usual` lifts what was set for the account. */
export type AccountLimitChange = Readonly<Partial<Record<AccountLimit, number | null | 'usual'>>>;

export interface Suspension {
  readonly at: Date;
  /** As the operator says it to the account. */
  readonly reason: string;
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

/** `read` reads. `full` also changes rules. `events` also lets matches wake the agent. Every one of them includes `read`. */
export const GRANT_SCOPES = ['read', 'full', 'events'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** The permission that a person gave to a program of an agent. Access tokens stand for it. */
export interface Grant {
  readonly id: string;
  readonly accountId: string;
  /** The https address of the document that describes the program, or the id that it registered under. */
  readonly clientId: string;
  /** As the program calls itself. */
  readonly clientName: string;
  /** The address that the browser of the person went to with the answer. */
  readonly redirectUri: string;
  /** The address that its tokens are for. */
  readonly resource: string;
  readonly scopes: readonly GrantScope[];
  /** The rules that it is limited to. Undefined: every rule of the account, also later ones. */
  readonly ruleIds: readonly string[] | undefined;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | undefined;
  /** It ends then unless the agent asks for new tokens before. */
  readonly endsAt: Date;
  /** It ends then in any case. */
  readonly expiresAt: Date;
}
