import type { Account, Key } from '../../domain/account.ts';
import type { GrantScope } from '../../domain/grant.ts';

/** The caller, found once from the key or token when a request arrives. Operations see only this of the request. */
export interface Caller {
  readonly account: Account;
  /** For an agent with a token, the key that its grant amounts to. The id and the name are the grant's. */
  readonly key: Key;
  /** The digest of the session of a person in the console. */
  readonly session?: string;
  /** Only of an agent with a token. */
  readonly grant?: GrantOfCaller;
}

export interface GrantOfCaller {
  readonly scopes: readonly GrantScope[];
  /** The rules that the agent may see. Undefined: all of the account. */
  readonly ruleIds: readonly string[] | undefined;
  /** The digest of the token that was presented. */
  readonly tokenDigest: string;
}

/** Whether the rule is among those that the caller may know of. */
export const seesRule = ({ grant }: Caller, ruleId: string): boolean =>
  grant?.ruleIds === undefined || grant.ruleIds.includes(ruleId);
