import type { Account, GrantScope, Key } from '../../domain/account.ts';
import { ServiceError } from '../errors.ts';

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

interface GrantOfCaller {
  readonly scopes: readonly GrantScope[];
  /** The rules that the agent may see. Undefined: all of the account. */
  readonly ruleIds: readonly string[] | undefined;
  /** The digest of the token that was presented. */
  readonly tokenDigest: string;
}

/** Whether the rule is among those that the caller may know of. */
export const seesRule = ({ grant }: Caller, ruleId: string): boolean =>
  grant?.ruleIds === undefined || grant.ruleIds.includes(ruleId);

/** Refuses everybody who comes with a key, a session, a token, a ticket or a feed of a suspended account. */
export function refuseSuspended({ suspended }: Pick<Account, 'suspended'>): void {
  if (suspended === undefined) return;
  const why = suspended.reason === '' ? '' : ` The reason: ${suspended.reason}`;
  throw new ServiceError(
    'permission_denied',
    `The operator has suspended this account. Nothing of it is lost: its rules and matches are there when it is resumed.${why}`,
    { details: { reason: 'account_suspended', since: suspended.at.toISOString() } },
  );
}
