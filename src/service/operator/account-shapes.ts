/** How operations of the operator name an account, and what they show of it. */
import { z } from 'zod';
import { ACCOUNT_LIMIT_CODES, type Account, PLANS } from '../../domain/account.ts';
import type { Caller } from '../access/caller.ts';
import type { ChangedBy } from '../access/change-notes.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { operationIn } from '../perform/operation.ts';
import { time } from '../shapes.ts';

export type AccountsRoom = Pick<Context, 'store' | 'clock' | 'log' | 'nodes' | 'suspensions' | 'accountUses'>;

export const operation = operationIn<AccountsRoom>();

export const accountName = z.string().min(1).max(100).describe('The id or the name of the account.');

const overrides = z
  .partialRecord(z.enum(ACCOUNT_LIMIT_CODES), z.int().nullable())
  .describe('The limits that are its own; null is no limit. The others are those of the installation.');

export const shownAccount = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  suspended: z.object({ at: time, reason: z.string() }).nullable().describe('Null when it is not.'),
  limits: overrides,
});

export const exampleAccount: z.input<typeof shownAccount> = {
  id: 'acct_01k3zq0a1b2c3d4e5f6g7h8j9k',
  name: 'acme',
  plan: 'paid',
  suspended: null,
  limits: {},
};

export const accountToJson = ({ id, name, plan, suspended, limits = {} }: Account): z.input<typeof shownAccount> => ({
  id,
  name,
  plan,
  suspended: suspended === undefined ? null : { at: suspended.at.toISOString(), reason: suspended.reason },
  limits,
});

export async function namedAccount({ store }: Pick<AccountsRoom, 'store'>, name: string): Promise<Account> {
  const account = await store.account(name);
  if (account === undefined) throw new ServiceError('not_found', 'There is no account of this id or name.');
  return account;
}

/** The log of another account names the operator by the id of the key, and by nothing more. */
export const byOperator = ({ key }: Caller): ChangedBy => ({ kind: 'operator', keyId: key.id });
