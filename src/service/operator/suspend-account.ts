/** Suspend Account and Resume Account: an account rests, and nothing of it is lost. */
import { z } from 'zod';
import { DEFAULT_ACCOUNT } from '../../domain/account.ts';
import { accountFields, changeNote } from '../access/change-notes.ts';
import { ServiceError } from '../errors.ts';
import { visibleName } from '../shapes.ts';
import {
  accountName,
  accountToJson,
  byOperator,
  exampleAccount,
  namedAccount,
  shownAccount,
} from './account-shapes.ts';
import { operation } from './room.ts';

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
