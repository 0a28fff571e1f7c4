/** Set Account Limits: limits of one account in the place of those of the installation. */
import { z } from 'zod';
import type { AccountLimit, AccountLimitChange } from '../../domain/account.ts';
import { accountFields, changeNote, withLimits } from '../access/change-notes.ts';
import {
  accountName,
  accountToJson,
  byOperator,
  exampleAccount,
  namedAccount,
  shownAccount,
} from './account-shapes.ts';
import { operation } from './room.ts';

const limit = z.union([z.int().min(1), z.enum(['off', 'usual'])]).optional();

const chosen = z.strictObject({
  requests_per_key: limit,
  requests_per_account: limit,
  cpu_ms_per_minute: limit,
  pushed_bytes_per_minute: limit,
  pushed_bytes_per_day: limit,
  firehose_rules: limit,
  streams: limit,
  waits: limit,
  matches_per_day: limit,
  stored_bytes: limit,
  sources: limit,
  source_fetches_per_hour: limit,
  source_bytes_per_day: limit,
  source_interval_seconds: limit,
} satisfies Record<AccountLimit, typeof limit>);

export const setAccountLimits = operation({
  name: 'setAccountLimits',
  summary: 'Set limits of one account',
  description:
    'Each limit is a number, `off` for none, or `usual` for that of the installation again. Limits that are left out stay as they are. They hold at once, on every node.',
  access: 'operator',
  input: z.strictObject({
    account_id: accountName,
    limits: chosen,
  }),
  output: shownAccount,
  example: {
    input: { account_id: 'acme', limits: { requests_per_key: 60, streams: 'usual' } },
    output: { ...exampleAccount, limits: { requests_per_key: 60 } },
  },
  async run({ store, clock, suspensions, nodes }, caller, { account_id, limits }) {
    const account = await namedAccount({ store }, account_id);
    const change: AccountLimitChange = Object.fromEntries(
      Object.entries(limits).map(([code, value]) => [code, value === 'off' ? null : value]),
    );
    const after = withLimits(account, change);
    const note = changeNote(clock.now(), byOperator(caller), 'account.changed', account.id, {
      before: accountFields(account),
      after: accountFields(after),
    });
    await store.changeLimits(account.id, change, note);
    await suspensions.follow();
    await nodes.caughtUp();
    return accountToJson(await namedAccount({ store }, account.id));
  },
});
