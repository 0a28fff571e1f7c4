import { expect, it } from 'vitest';
import type { Account } from '../../../src/domain/account.ts';
import type { EventSubscription, Webhook } from '../../../src/domain/webhook.ts';
import type { Store } from '../../../src/store/store.ts';
import { grantFor, pairOf } from './grants.ts';
import { addOther, at, DAY, eventOf, type Open, range, removeAll, ruleOf, stage } from './stage.ts';
import { FIRE, VOTE } from './stories.ts';
import { webhookOf } from './webhooks.ts';

const LIMITS = { ofAccount: 3, ofOwner: 2, ended: 2 };

export const subscriptionOf = (
  account: Account,
  ruleId: string,
  change: Partial<EventSubscription> = {},
): Webhook & { subscription: EventSubscription } => ({
  ...webhookOf(account, { format: 'mcp', ruleIds: [ruleId] }),
  subscription: {
    id: 'sub_1',
    ownerId: 'key_1',
    event: 'match.created',
    arguments: '{"rule_id":"r"}',
    start: 0,
    expiresAt: at(DAY),
    verifiedAt: at(1),
    refreshedAt: at(2),
    isBrief: false,
    ...change,
  },
});

/** Freezes each match that waits into a delivery of its own; answers the ids. */
async function freezeEach(store: Store, webhookId: string): Promise<string[]> {
  const owed = await store.owedMatches(webhookId, at(DAY), 1_000);
  for (const { id, position } of owed)
    await store.freeze({ id: `evt_${id}`, webhookId, positions: [position], body: 'b', at: at(DAY) });
  return owed.map(({ id }) => `evt_${id}`);
}

const attemptOf = (deliveryId: string, outcome: 'delivered' | 'failed') => ({
  deliveryId,
  attempt: { at: at(5), milliseconds: 1, statusCode: 200, error: undefined, response: '' },
  outcome: outcome === 'failed' ? { status: outcome, reason: 'refused' } : { status: outcome },
  health: { lastFailureAt: undefined, failingSince: undefined },
  recovered: false,
  disable: undefined,
  notices: [],
});

export function subscriptionCases(open: Open): void {
  it('keeps a subscription apart from the webhooks, replaces it by its id, and counts within the limits', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const first = subscriptionOf(account, rule.id);
    expect(await store.saveSubscription(first, LIMITS)).toBeUndefined();
    expect(await store.subscriptions(account.id)).toEqual([first]);
    const byId = (accountId: string) => store.subscription(accountId, first.subscription.id);
    expect([await byId(account.id), await byId('acct_other')]).toEqual([first, undefined]);
    expect([await store.webhooks(account.id), await store.addWebhook(webhookOf(account), 1)]).toEqual([[], true]);
    const again = { ...first.subscription, expiresAt: at(2 * DAY), isBrief: true, start: 7 };
    const secrets = { current: 'new', previous: 'sealed', previousUntil: at(9) };
    await store.saveSubscription({ ...first, id: 'hook_other', secrets, subscription: again }, LIMITS);
    expect(await store.subscriptions(account.id)).toEqual([{ ...first, secrets, subscription: again }]);
    const save = (id: string, ownerId: string) =>
      store.saveSubscription(subscriptionOf(account, rule.id, { id, ownerId }), LIMITS);
    expect(await save('sub_2', 'key_1')).toBeUndefined();
    expect(await save('sub_3', 'key_1')).toBe('owner');
    expect(await save('sub_3', 'key_2')).toBeUndefined();
    expect(await save('sub_4', 'key_3')).toBe('account');
    expect(await save('sub_2', 'key_1')).toBeUndefined();
    expect((await store.subscribers('match.created')).map(({ subscription }) => subscription?.id)).toEqual([
      'sub_1',
      'sub_2',
      'sub_3',
    ]);
    expect(await store.subscribers('gap.opened')).toEqual([]);
  });

  it('ends with its key or its grant, in the same step, and gives up what is pending', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const grant = grantFor(account.id);
    await store.addGrant(grant, { digest: 'code', challenge: 'c' });
    await store.redeemCode('code', pairOf(grant.id, 'a'), at(0));
    const key = {
      id: 'key_1',
      accountId: account.id,
      name: 'k',
      scope: 'full' as const,
      lastFour: '1234',
      createdAt: at(0),
      lastUsedAt: undefined,
      expiresAt: undefined,
    };
    await store.addKey(key, Buffer.from('digest'));
    for (const [id, ownerId] of [
      ['sub_1', 'key_1'],
      ['sub_2', grant.id],
      ['sub_3', 'key_other'],
    ] as const)
      await store.saveSubscription(subscriptionOf(account, rule.id, { id, ownerId }), LIMITS);
    await commit(eventOf('1', [rule]));
    const all = await store.subscriptions(account.id);
    for (const { id } of all)
      for (const { position } of await store.owedMatches(id, at(DAY), 10))
        await store.freeze({ id: `evt_${id}`, webhookId: id, positions: [position], body: 'b', at: at(9) });
    expect(await store.revokeGrant('acct_other', grant.id)).toBe(false);
    expect(await store.revokeKey('acct_other', 'key_1')).toBe(false);
    expect(new Set((await store.subscriptions(account.id)).map(({ status }) => status))).toEqual(new Set(['active']));
    await store.revokeKey(account.id, 'key_1');
    await store.revokeGrant(account.id, grant.id);
    const states = (await store.subscriptions(account.id)).map(({ status, reason }) => [status, reason]);
    const revoked = ['disabled', 'What allowed it was revoked.'];
    expect(states).toEqual([revoked, revoked, ['active', undefined]]);
    const { deliveries } = await store.deliveries({ accountId: account.id, limit: 10 });
    expect(deliveries.map(({ status }) => status).toSorted()).toEqual(['failed', 'failed', 'pending']);
    expect(await store.agenda({ accountId: account.id })).toHaveLength(1);
  });

  it('ends when its time is over, is kept for a week with its log, and then goes', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    await store.saveSubscription(subscriptionOf(account, rule.id, { expiresAt: at(DAY) }), LIMITS);
    await removeAll(store, at(DAY - 1));
    expect((await store.subscriptions(account.id))[0]?.status).toBe('active');
    await removeAll(store, at(DAY));
    expect((await store.subscriptions(account.id))[0]?.status).toBe('disabled');
    await removeAll(store, at(8 * DAY - 1));
    expect(await store.subscriptions(account.id)).toHaveLength(1);
    await removeAll(store, at(8 * DAY));
    expect(await store.subscriptions(account.id)).toEqual([]);
    expect(await store.endSubscription('hook_unknown', 'r')).toBe(false);
  });

  it('that was refreshed is not ended for the time that it had before', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const webhook = subscriptionOf(account, rule.id, { expiresAt: at(2 * DAY) });
    await store.saveSubscription(webhook, LIMITS);
    expect(await store.endSubscription(webhook.id, 'over', undefined, at(2 * DAY - 1))).toBe(false);
    expect((await store.subscriptions(account.id))[0]?.status).toBe('active');
    expect(await store.endSubscription(webhook.id, 'over', undefined, at(2 * DAY))).toBe(true);
    expect((await store.subscriptions(account.id))[0]?.status).toBe('disabled');
  });

  it('has a watermark before everything that is not settled, and owes again what was given up after a position', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const webhook = subscriptionOf(account, rule.id);
    await store.saveSubscription(webhook, LIMITS);
    await commit(...range(4).map((post) => eventOf(String(post), [rule])));
    const matches = (await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 })).matches;
    const positions = matches.map(({ position }) => position);
    expect(await store.watermark(webhook.id)).toBe(positions[0]! - 1);
    const [one, two, three, four] = (await freezeEach(store, webhook.id)) as [string, string, string, string];
    expect(await store.watermark(webhook.id)).toBe(positions[0]! - 1);
    await store.recordAttempt(attemptOf(two, 'delivered'));
    expect(await store.watermark(webhook.id)).toBe(positions[0]! - 1);
    await store.recordAttempt({ ...attemptOf(one, 'failed'), shorten: true });
    expect(await store.watermark(webhook.id)).toBe(positions[2]! - 1);
    expect((await store.subscriptions(account.id))[0]?.subscription?.isBrief).toBe(true);
    await store.recordAttempt(attemptOf(three, 'delivered'));
    await store.endSubscription(webhook.id, 'over');
    expect(await store.watermark(webhook.id)).toBe(await store.latest());
    expect((await store.delivery(account.id, four))?.status).toBe('failed');
    await store.saveSubscription({ ...webhook, status: 'active' }, LIMITS);
    expect(await store.replay(webhook.id, positions[0]!, 10)).toBe(positions[0]!);
    expect(await freezeEach(store, webhook.id)).toEqual([four]);
    expect(await store.watermark(webhook.id)).toBe(positions[3]! - 1);
  });

  it('catches up on the newest matches of its rule alone, and drops what waits before them', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const other = await addOther(store);
    await commit(...range(5).map((post) => eventOf(String(post), [rule])));
    await commit(eventOf('of other', [other.rule]));
    const positions = (await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 })).matches.map(
      ({ position }) => position,
    );
    const webhook = subscriptionOf(account, rule.id);
    await store.saveSubscription(webhook, LIMITS);
    await store.replay(webhook.id, 0, 5);
    expect(await store.owedMatches(webhook.id, at(DAY), 10)).toHaveLength(5);
    expect(await store.replay(webhook.id, 0, 3)).toBe(positions[1]);
    const owed = await store.owedMatches(webhook.id, at(DAY), 10);
    expect(owed.map(({ position }) => position)).toEqual(positions.slice(2));
    await store.replay(webhook.id, await store.latest(), 3);
    expect(await store.owedMatches(webhook.id, at(DAY), 10)).toEqual([]);
  });

  it('owes what it begins with from the moment that it is there, and nothing where a limit is reached', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(...range(3).map((post) => eventOf(String(post), [rule])));
    const { matches } = await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 });
    const positions = matches.map(({ position }) => position);
    const owed = async (id: string) => (await store.owedMatches(id, at(DAY), 10)).map(({ position }) => position);
    const webhook = subscriptionOf(account, rule.id);
    await store.saveSubscription(webhook, LIMITS, undefined, { after: positions[0]!, limit: 10 });
    expect((await owed(webhook.id)).toSorted((one, other) => one - other)).toEqual(positions.slice(1));
    await store.replay(webhook.id, positions[0]!, 10);
    expect(await owed(webhook.id)).toHaveLength(2);
    const refused = { ...subscriptionOf(account, rule.id, { id: 'sub_2' }), id: 'hook_refused' };
    const begins = { after: 0, limit: 10 };
    expect(await store.saveSubscription(refused, { ...LIMITS, ofAccount: 1 }, undefined, begins)).toBe('account');
    expect(await owed('hook_refused')).toEqual([]);
  });

  it('is unknown: its watermark is the newest match, and nothing is caught up with', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('1', [rule]));
    const plain = webhookOf(account);
    await store.addWebhook(plain, 1);
    expect(await store.watermark('hook_unknown')).toBe(await store.latest());
    for (const id of ['hook_unknown', plain.id]) expect(await store.replay(id, 7, 10)).toBe(7);
    expect(await store.owedMatches(plain.id, at(DAY), 10)).toEqual([]);
    const deleted = subscriptionOf(account, 'rule_deleted');
    await store.saveSubscription(deleted, LIMITS);
    expect(await store.replay(deleted.id, 7, 10)).toBe(7);
    expect(await store.owedMatches(deleted.id, at(DAY), 10)).toEqual([]);
  });

  it('knows which matches begin a story for their rule', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    await commit(eventOf('1', [rule], { text: FIRE[0]! }));
    await commit(eventOf('2', [rule, second], { text: FIRE[1]! }), eventOf('3', [rule], { text: VOTE[0]! }));
    const { matches } = await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 });
    const found = await store.storyBeginnings([...matches.map(({ position }) => position), 1]);
    const first = matches.filter(({ position }) => found.includes(position));
    expect(first.map((match) => `${match.platformPostId} ${match.ruleId}`)).toEqual([
      `1 ${rule.id}`,
      `2 ${second.id}`,
      `3 ${rule.id}`,
    ]);
    expect(found).toHaveLength(3);
    expect(await store.storyBeginnings([])).toEqual([]);
  });

  it('is owed no more what is dropped, and keeps what it was sent of that', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const webhook = subscriptionOf(account, rule.id);
    await store.saveSubscription(webhook, LIMITS);
    await commit(...range(4).map((post) => eventOf(String(post), [rule])));
    const owed = await store.owedMatches(webhook.id, at(DAY), 10);
    const [sent, dropped, ...kept] = owed.map(({ position }) => position);
    await store.freeze({ id: 'evt_1', webhookId: webhook.id, positions: [sent!], body: 'b', at: at(1) });
    await store.dropOwed('hook_unknown', [kept[0]!]);
    await store.dropOwed(webhook.id, [sent!, dropped!]);
    expect((await store.owedMatches(webhook.id, at(DAY), 10)).map(({ position }) => position)).toEqual(kept);
    expect(await store.watermark(webhook.id)).toBe(sent! - 1);
  });

  it('that was told of something that is no match has its watermark before that', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const webhook = { ...subscriptionOf(account, rule.id, { event: 'gap.opened' }), events: [] };
    await store.saveSubscription(webhook, LIMITS);
    const before = await store.watermark(webhook.id, at(1_000));
    await store.addNotices([
      { id: 'evt_gap', webhookId: webhook.id, subject: 'webhook_failing' as const, body: 'b', at: at(500) },
    ]);
    expect(await store.watermark(webhook.id, at(2_000))).toBeLessThan(before);
    await store.recordAttempt(attemptOf('evt_gap', 'delivered'));
    expect(await store.watermark(webhook.id, at(1_000))).toBe(before);
  });

  it('makes room for new ones when many have ended', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    for (const number of range(4)) {
      const webhook = subscriptionOf(account, rule.id, { id: `sub_${number}` });
      await store.saveSubscription(webhook, LIMITS);
      await store.endSubscription(webhook.id, 'over');
    }
    const left = await store.subscriptions(account.id);
    expect(left.map(({ subscription }) => subscription?.id)).toEqual(['sub_2', 'sub_3']);
  });
}
