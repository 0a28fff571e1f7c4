/** Suspend Account and Resume Account: an account rests, and nothing of it is lost. */
import { z } from 'zod';
import { type AccountLimit, type AccountLimitChange, DEFAULT_ACCOUNT } from '../../domain/account.ts';
import { accountFields, changeNote, withLimits } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { visibleName } from '../shapes.ts';
import {
  accountName,
  accountToJson,
  byOperator,
  exampleAccount,
  namedAccount,
  operation,
  shownAccount,
} from './account-shapes.ts';

export const suspendAccount = operation({
  name: 'suspendAccount',
  summary: 'Suspend an account',
  description:
    'Its rules match nothing and are taken off upstreams, its keys, sessions, tokens and feeds are answered `permission_denied` with `details.reason` `account_suspended`, its streams and waiting requests end, and its deliveries wait. Nothing is deleted; its coverage tells of the time as a gap. Suspending a suspended account changes nothing.',
  access: 'operator',
  input: z.strictObject({
    account_id: accountName,
    reason: visibleName(0, 500).default('').describe('Shown to the account, and kept in its audit log.'),
  }),
  output: shownAccount,
  example: {
    input: { account_id: 'acme', reason: 'It pushes noise.' },
    output: { ...exampleAccount, suspended: { at: '2026-11-15T08:30:00.123Z', reason: 'It pushes noise.' } },
  },
  async run({ store, clock, suspensions, nodes }, caller, { account_id, reason }) {
    const account = await namedAccount({ store }, account_id);
    if (account.name === DEFAULT_ACCOUNT)
      throw new ServiceError('failed_precondition', "The operator's own account cannot be suspended.");
    const suspended = { at: clock.now(), reason };
    const note = changeNote(clock.now(), byOperator(caller), 'account.changed', account.id, {
      before: accountFields(account),
      after: accountFields({ ...account, suspended }),
    });
    await store.suspendAccount(account.id, suspended, note);
    await suspensions.follow();
    await nodes.caughtUp();
    return accountToJson(await namedAccount({ store }, account.id));
  },
});

export const resumeAccount = operation({
  name: 'resumeAccount',
  summary: 'Resume a suspended account',
  description:
    'Its keys work again, its rules are matched again and held upstream again, and its deliveries go on. The gap in its coverage ends when all its rules are held. Resuming an account that is not suspended changes nothing.',
  access: 'operator',
  input: z.strictObject({ account_id: accountName }),
  output: shownAccount,
  example: { input: { account_id: 'acme' }, output: exampleAccount },
  async run({ store, clock, suspensions, nodes }, caller, { account_id }) {
    const account = await namedAccount({ store }, account_id);
    const { suspended: _, ...resumed } = account;
    const note = changeNote(clock.now(), byOperator(caller), 'account.changed', account.id, {
      before: accountFields(account),
      after: accountFields(resumed),
    });
    await store.resumeAccount(account.id, note);
    await suspensions.follow();
    await nodes.caughtUp();
    return accountToJson(await namedAccount({ store }, account.id));
  },
});

/** Set Account Limits: limits of one account in the place of those of the installation. */
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
