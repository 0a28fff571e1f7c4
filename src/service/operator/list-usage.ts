/** List Usage: who uses most of the installation. */
import { z } from 'zod';
import { type AccountUse, USED, type Used } from '../../store/nouns/account-use.ts';
import { time } from '../shapes.ts';
import {
  type AccountsRoom,
  accountName,
  accountToJson,
  exampleAccount,
  namedAccount,
  operation,
  shownAccount,
} from './account-shapes.ts';

const MINUTE = 60_000;
/** Suspended accounts that are listed beside those that used something. */
const MOST_SUSPENDED = 100;

const counts = {
  cpu_ms: z
    .int()
    .describe(
      'CPU that its requests took in compute threads, its pushes in the thread that takes events in, and documents of its sources in the reading threads.',
    ),
  bytes_in: z.int().describe('Bytes that it pushed.'),
  events: z.int().describe('Events that it pushed. What waits in the log counts when it is stored.'),
  matches: z.int().describe('Matches that were stored for it.'),
  requests: z.int(),
  turns: z.int().describe('Requests that were answered in compute threads.'),
};

const usage = shownAccount.extend({
  ...counts,
  stored_matches: z.int().describe('Matches that are stored for it, without those of deleted rules.'),
  storage_bytes: z.int().describe('About what they take: their number times the mean size of those that came.'),
  minutes: z
    .array(z.object({ at: time, ...counts }))
    .optional()
    .describe('Minutes in which it used something, oldest first. Only where `account_id` was asked for.'),
});

const exampleCounts = { cpu_ms: 41_200, bytes_in: 8_388_608, events: 12_000, matches: 340, requests: 96, turns: 31 };

export const listUsage = operation({
  name: 'listUsage',
  summary: 'List what accounts use',
  description:
    'The accounts that used most in the last minutes, over all nodes, the largest first; then suspended ones. Other nodes add what they counted once a minute. Figures are kept for an hour.',
  access: 'operator',
  input: z.strictObject({
    by: z.enum(USED).default('cpu_ms').describe('What the accounts are sorted by.'),
    minutes: z.coerce.number().int().min(1).max(60).default(5),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    account_id: accountName.optional().describe('Only this account, by the minute.'),
  }),
  output: z.object({ since: time, accounts: z.array(usage) }),
  example: {
    input: { by: 'cpu_ms', minutes: 5, limit: 1 },
    output: {
      since: '2026-11-15T08:25:00.000Z',
      accounts: [{ ...exampleAccount, ...exampleCounts, stored_matches: 52_000, storage_bytes: 61_000_000 }],
    },
  },
  async run(room, _caller, { by, minutes, limit, account_id }) {
    const { accountUses, clock } = room;
    await accountUses.flush();
    // The running minute and those before it.
    const since = new Date((Math.floor(clock.now().getTime() / MINUTE) - minutes + 1) * MINUTE);
    const accounts =
      account_id === undefined ? await top(room, since, by, limit) : [await byMinute(room, since, account_id)];
    return { since: since.toISOString(), accounts };
  },
});

async function top(room: AccountsRoom, since: Date, by: Used, limit: number): Promise<z.input<typeof usage>[]> {
  const { store } = room;
  const uses = await store.topUse(since, by, limit);
  const isListed = new Set(uses.map(({ accountId }) => accountId));
  const suspended = (await store.restrictedAccounts())
    .filter(({ id, suspended: rests }) => rests !== undefined && !isListed.has(id))
    .slice(0, MOST_SUSPENDED);
  return shown(room, [...uses, ...suspended.map(({ id }) => noUse(id))]);
}

async function byMinute(room: AccountsRoom, since: Date, name: string): Promise<z.input<typeof usage>> {
  const { id } = await namedAccount(room, name);
  const minutes = await room.store.useByMinute(id, since);
  const sumOf = (used: Used): [Used, number] => [used, minutes.reduce((sum, one) => sum + one[used], 0)];
  const sum = { ...noUse(id), ...Object.fromEntries(USED.map(sumOf)) };
  const [account] = await shown(room, [sum]);
  return {
    ...account!,
    minutes: minutes.map((one) => ({ at: one.at.toISOString(), ...countsOf(one) })),
  };
}

const countsOf = ({ cpu_ms, bytes_in, events, matches, requests, turns }: AccountUse) => ({
  cpu_ms,
  bytes_in,
  events,
  matches,
  requests,
  turns,
});

const noUse = (accountId: string): AccountUse => ({
  accountId,
  cpu_ms: 0,
  bytes_in: 0,
  events: 0,
  matches: 0,
  requests: 0,
  turns: 0,
});

async function shown({ store }: AccountsRoom, uses: readonly AccountUse[]): Promise<z.input<typeof usage>[]> {
  const ids = uses.map(({ accountId }) => accountId);
  const [stored, accounts] = await Promise.all([store.stored(ids), Promise.all(ids.map((id) => store.account(id)))]);
  return uses.flatMap((use, index) => {
    const account = accounts[index];
    if (account === undefined) return [];
    const { matches = 0, bytes = 0 } = stored.get(use.accountId) ?? {};
    return [{ ...accountToJson(account), ...countsOf(use), stored_matches: matches, storage_bytes: bytes }];
  });
}
