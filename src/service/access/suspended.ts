/** Refuses everybody who comes with a key, a session, a token, a ticket or a feed of a suspended account. */
import type { Account } from '../../domain/account.ts';
import { ServiceError } from '../errors.ts';

export function refuseSuspended({ suspended }: Pick<Account, 'suspended'>): void {
  if (suspended === undefined) return;
  const why = suspended.reason === '' ? '' : ` The reason: ${suspended.reason}`;
  throw new ServiceError(
    'permission_denied',
    `The operator has suspended this account. Nothing of it is lost: its rules and matches are there when it is resumed.${why}`,
    { details: { reason: 'account_suspended', since: suspended.at.toISOString() } },
  );
}
