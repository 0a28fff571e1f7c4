/** Accounts that have something in proportion to a size, as bad as it gets. */
import { newId } from '../../src/base/ids.ts';
import { filled, PAGE_TEXTS, POST_TEXTS } from './hard-texts.ts';
import type { Account } from './stage.ts';

/** Prepares what a size asks for, and answers the work to be measured. */
export interface Case {
  readonly largest: number;
  prepare(account: Account, size: number): Promise<() => Promise<unknown>>;
}

export type Line = Readonly<Record<string, Case>> | string;

export const listOf = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

/** An account that has something in proportion to the size, and an operation on it. */
export const grown = (
  largest: number,
  fill: (account: Account, size: number) => Promise<unknown>,
  work: (account: Account, filled: unknown, size: number) => Promise<unknown>,
): Case => ({
  largest,
  async prepare(account, size) {
    const made = await fill(account, size);
    return () => work(account, made, size);
  },
});

export const nothing = async (): Promise<void> => {};

export const RULE_LENGTH = 2_048;
export const PAGE_LENGTH = 64 * 1024;

/** Every hard text of a length, one after another. */
export const everyText = (
  largest: number,
  ask: (account: Account, platform: 'x' | 'firehose', value: string) => unknown,
) =>
  grown(largest, nothing, async (account, _, size) => {
    for (const text of PAGE_TEXTS) await ask(account, 'firehose', text(size));
    for (const text of POST_TEXTS) await ask(account, 'x', text(size));
  });

export const ruleInput = (platform: string, value: string) => ({
  name: 'n',
  intent: '',
  platforms: [platform],
  overrides: { [platform]: value },
});

/** Pages that a rule nearly matches, among the recent events. */
export const recentPages = (account: Account, count: number) =>
  account.pages(listOf(count, (index) => ({ id: `p${index}`, title: `almost ${index}`, added: filled('a b ', 200) })));

/** A rule with matches of its own. */
export async function matchesOf(account: Account, count: number): Promise<string> {
  const ruleId = await account.rule('title:lava');
  await account.pages(listOf(count, (index) => ({ id: `m${index}`, title: 'lava', added: filled('a ', 100) })));
  return ruleId;
}

export async function rulesOf(
  account: Account,
  count: number,
  value = (index: number) => `title:u${index}`,
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await account.rule(value(index)));
  return ids;
}

export async function webhooksOf(account: Account, count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const input = { url: `https://example.com/${index}`, ...more };
    ids.push((await account.test.call(account.caller, 'createWebhook', input)).webhook_id);
  }
  return ids;
}

export async function pausedWebhook(account: Account): Promise<string> {
  const [webhook_id] = await webhooksOf(account, 1);
  await account.ask('updateWebhook', { webhook_id: webhook_id!, paused: true });
  return webhook_id!;
}

/** A paused webhook that is owed matches. */
export async function owedMatches(account: Account, count: number): Promise<string> {
  const webhookId = await pausedWebhook(account);
  await matchesOf(account, count);
  return webhookId;
}

/** A webhook with a delivery for each match. */
export async function deliveriesOf(account: Account, count: number): Promise<string> {
  const webhookId = await owedMatches(account, count);
  const { store } = account.test;
  for (const { position } of await store.owedMatches(webhookId, new Date(Date.now() + 1_000), count)) {
    const at = new Date();
    await store.freeze({ id: newId('dlv', at), webhookId, positions: [position], body: '{}', at });
  }
  return webhookId;
}

/** A watched rule with alerts that have ended. */
export async function alertsOf(account: Account, count: number): Promise<string> {
  const { store } = account.test;
  const { id: accountId } = account.caller.account;
  const ruleId = await account.rule('title:lava');
  const alerts = { surge: true, silence: false };
  await store.changeRule(accountId, ruleId, { alerts });
  const [watch] = await store.dueWatches(new Date(), 0, 1);
  const wish = { name: 'alerts', holder: 'grown', now: new Date(), milliseconds: 1_000 };
  const lease = await store.takeLease({ ...wish, gone: 'grown' });
  if (!('fence' in lease)) throw new Error('the lease is held');
  const at = new Date();
  const ended = listOf(count, () => ({
    id: newId('alert', at),
    kind: 'surge' as const,
    from: at,
    to: at,
    rate: 20,
    usualRate: 1,
  }));
  await store.keepWatches(lease, [{ watch: watch!, next: undefined, alerts: ended, deliveries: [] }]);
  return ruleId;
}

export const keysOf = async (account: Account, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await account.ask('createKey', { name: `k${index}` });
};

export const feedsOf = async (account: Account, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await account.ask('createFeed', { name: `f${index}` });
};

export const viewsOf = async (account: Account, count: number): Promise<void> => {
  for (let index = 0; index < count; index++)
    await account.ask('createView', { name: `v${index}`, query: 'text=lava' });
};

export const silencesOf = async (account: Account, count: number): Promise<void> => {
  const until = new Date(Date.now() + 86_400_000).toISOString();
  for (let index = 0; index < count; index++)
    await account.ask('createSilence', { text: `v${index}`, until, reason: 'quiet' });
};

export const sourcesOf = async (account: Account, count: number): Promise<void> => {
  for (let index = 0; index < count; index++)
    await account.ask('createSource', {
      kind: 'feeds',
      name: `s${index}`,
      options: { urls: [`https://s${index}.example/feed`] },
    });
};

/** Letters that are all others: a host of them takes longest to write in those of ASCII. */
const ideographs = (count: number): string =>
  listOf(count, (index) => String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000))).join('');

/** Options of sources that are read whole and then refused, for the last of them: nothing is visited. */
export function sourceOptions(
  ask: (account: Account, input: { kind: string; options: object }) => Promise<unknown>,
): Readonly<Record<string, Case>> {
  const refused = (largest: number, kind: string, options: (size: number) => object) =>
    grown(largest, nothing, (account, _, size) => ask(account, { kind, options: { ...options(size), other: 1 } }));
  return {
    'the length of the hosts': refused(48 * 1024, 'feeds', (size) => ({
      urls: listOf(16, (index) => `https://${ideographs(size / 16)}/${index}`),
    })),
    'the number of addresses': refused(2_000, 'feeds', (size) => ({
      urls: listOf(size, (index) => `https://${'火'.repeat(20)}${index}.example/`),
    })),
    'the number of patterns': refused(5_000, 'watch', (size) => ({
      urls: ['https://sources.example/'],
      ignore_text: listOf(size, () => 'a'),
    })),
  };
}

export const patterns = (count: number) => listOf(count, (index) => `*?${index}-`).join(' OR ');
export const distinct = (length: number) =>
  listOf(length / 8, (index) => `w${(index + 1_000_000).toString(36)}`).join(' ');

export function pushed(largest: number, lines: (size: number) => string): Case {
  return grown(largest, nothing, (account, _, size) =>
    account.ask('pushEvents', { platform: 'firehose', lines: lines(size) }),
  );
}

/** Matches of 16 KiB each. */
export async function longMatches(account: Account, bytes: number): Promise<void> {
  await account.rule('title:lava');
  const added = filled('a ', 16 * 1024);
  await account.pages(listOf(Math.ceil(bytes / added.length), (index) => ({ id: `l${index}`, title: 'lava', added })));
}

/** The match of a page of some length by a rule of patterns. */
export async function explained(account: Account, value: string, length: number): Promise<string> {
  await account.rule(`title:lava OR ${value}`);
  await account.pages([{ id: 'e', title: 'lava', added: distinct(length) }]);
  const { matches } = await account.test.call(account.caller, 'listMatches', {});
  return matches[0]!.id;
}

export const explain = (account: Account, match_id: unknown): Promise<unknown> =>
  account.ask('explainMatch', { match_id });
