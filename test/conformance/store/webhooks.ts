import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Account } from '../../../src/domain/account.ts';
import type { Webhook } from '../../../src/domain/webhook.ts';
import type { AttemptRecord, Store } from '../../../src/store/store.ts';
import {
  accountNamed,
  addOther,
  at,
  DAY,
  eventOf,
  MINUTE,
  type Open,
  range,
  removeAll,
  ruleOf,
  stage,
} from './stage.ts';

const LATER = at(60_000);

export function webhookOf(account: Account, change: Partial<Webhook> = {}): Webhook {
  return {
    id: newId('hook', at(0)),
    accountId: account.id,
    url: 'https://receiver.test/',
    description: '',
    ruleIds: undefined,
    platforms: undefined,
    events: ['match'],
    format: 'json',
    every: undefined,
    status: 'active',
    reason: undefined,
    createdAt: at(0),
    secrets: { current: 'sealed', previous: undefined, previousUntil: undefined },
    health: { lastFailureAt: undefined, failingSince: undefined },
    ...change,
  };
}

async function staged(open: Open, change: Partial<Webhook> = {}, options = {}) {
  const stand = await stage(open, options);
  const webhook = webhookOf(stand.account, change);
  await stand.store.addWebhook(webhook, 10);
  return { ...stand, webhook };
}

const owedPosts = async (store: Store, webhookId: string) =>
  (await store.owedMatches(webhookId, LATER, 1_000)).map(({ platformPostId }) => platformPostId);

/** Freezes all that waits. */
async function freezeAll(store: Store, webhookId: string, body = 'body') {
  const id = newId('dlv', at(0));
  const positions = (await store.owedMatches(webhookId, LATER, 100)).map(({ position }) => position);
  return { id, positions, frozen: await store.freeze({ id, webhookId, positions, body, at: LATER }) };
}

export function recordOf(deliveryId: string, change: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    deliveryId,
    attempt: { at: LATER, milliseconds: 5, statusCode: 200, error: undefined, response: 'ok' },
    outcome: { status: 'delivered' },
    health: { lastFailureAt: undefined, failingSince: undefined },
    recovered: false,
    disable: undefined,
    notices: [],
    ...change,
  };
}

const sentOf = (webhook: Webhook, position: number, change: object = {}) => ({
  id: newId('dlv', at(0)),
  accountId: webhook.accountId,
  webhookId: webhook.id,
  position,
  body: 'sent',
  at: LATER,
  ...change,
});

export function webhookCases(open: Open): void {
  it('makes a delivery of one match by hand, beside what is owed', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('1', [rule]));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    const { id: batch } = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(batch));
    const sent = sentOf(webhook, match!.position);
    expect(await store.sendMatch({ ...sent, note: 'why' })).toBe(true);
    expect(await store.delivery(account.id, sent.id)).toMatchObject({
      first: { matchId: match!.id },
      notice: undefined,
      status: 'pending',
      matches: 1,
      nextAt: LATER,
      note: 'why',
    });
    expect(await store.pendingBody(sent.id)).toBe('sent');
    await store.recordAttempt(recordOf(sent.id));
    expect((await store.deliveries({ accountId: account.id, limit: 9 })).deliveries).toMatchObject([
      { id: sent.id, status: 'delivered' },
      { id: batch, status: 'delivered' },
    ]);
  });

  it('sends nothing by hand to a webhook that is not active, of a deleted rule, or for another account', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('1', [rule]));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    const { account: other } = await addOther(store);
    const foreign = webhookOf(other);
    await store.addWebhook(foreign, 10);
    const position = match!.position;
    expect(await store.sendMatch(sentOf(webhook, position, { accountId: other.id }))).toBe(false);
    expect(await store.sendMatch(sentOf(foreign, position))).toBe(false);
    expect(await store.sendMatch(sentOf(foreign, position, { accountId: account.id }))).toBe(false);
    await store.changeWebhook(account.id, webhook.id, { status: 'paused' });
    expect(await store.sendMatch(sentOf(webhook, position))).toBe(false);
    await store.changeWebhook(account.id, webhook.id, { status: 'active' });
    await store.deleteRule(account.id, rule.id, undefined, { at: LATER, until: at(DAY) });
    expect(await store.sendMatch(sentOf(webhook, position))).toBe(false);
    expect((await store.deliveries({ accountId: account.id, limit: 9 })).deliveries).toEqual([]);
  });

  it('erases a post from what was sent by hand, whether it is under way or made', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('1', [rule]));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    const [made, pending] = [sentOf(webhook, match!.position), sentOf(webhook, match!.position)];
    await store.sendMatch(made);
    await store.recordAttempt(recordOf(made.id));
    await store.sendMatch(pending);
    await store.deleteMatches(account.id, 'x', '1');
    expect(await store.redeliver(account.id, made.id, LATER)).toBe(false);
    expect(await store.delivery(account.id, pending.id)).toBeUndefined();
  });

  it('keeps the bytes of what was sent by hand no longer than the match', async () => {
    await using stand = await staged(open, {}, { retentionDays: 2 });
    const { store, account, rule, webhook } = stand;
    await store.commit({ platform: 'x', at: at(0), events: [eventOf('1', [rule])] });
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    const sent = sentOf(webhook, match!.position, { at: at(2 * DAY) });
    await store.sendMatch(sent);
    await store.recordAttempt(recordOf(sent.id));
    await removeAll(store, at(2 * DAY + MINUTE));
    expect(await store.delivery(account.id, sent.id)).toMatchObject({ status: 'delivered', first: undefined });
    expect(await store.redeliver(account.id, sent.id, at(3 * DAY))).toBe(false);
  });

  it('lists the attempts of a webhook by the time they were made', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('1', [rule]));
    const { id } = await freezeAll(store, webhook.id);
    const attempt = { milliseconds: 5, statusCode: 500, response: '' };
    const retry = { outcome: { status: 'pending', nextAt: LATER } } as const;
    for (const [index, error] of ['down', 'down', undefined].entries())
      await store.recordAttempt(recordOf(id, { ...retry, attempt: { ...attempt, at: at(index), error } }));
    const query = { accountId: account.id, webhookId: webhook.id, from: at(0), to: at(2), limit: 1 };
    const first = await store.attemptsOf(query);
    expect(first.attempts).toEqual([{ at: at(1), milliseconds: 5, isDelivered: false }]);
    const second = await store.attemptsOf({ ...query, before: first.next! });
    expect(second.attempts).toEqual([{ at: at(0), milliseconds: 5, isDelivered: false }]);
    expect(await store.attemptsOf({ ...query, before: second.next! })).toEqual({ attempts: [], next: undefined });
    const last = await store.attemptsOf({ ...query, to: at(3), limit: 10 });
    expect(last.attempts.map(({ isDelivered }) => isDelivered)).toEqual([true, false, false]);
    const { account: other } = await addOther(store);
    expect((await store.attemptsOf({ ...query, accountId: other.id })).attempts).toEqual([]);
  });

  it('owes matches to those webhooks alone that want matches, and keeps what each wants', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    const other = { ...webhook, id: 'hook_operations', events: ['operational'] as const };
    await store.addWebhook(other, 10);
    await commit(eventOf('1', [rule]));
    expect(await store.owedMatches(other.id, LATER, 10)).toEqual([]);
    expect(await store.owedMatches(webhook.id, LATER, 10)).toHaveLength(1);
    expect((await store.redeliverSince(account.id, other.id, new Date(0), LATER)).matches).toBe(0);
    await store.changeWebhook(account.id, other.id, { events: ['match', 'operational'] });
    expect((await store.webhook(account.id, other.id))?.events).toEqual(['match', 'operational']);
    await commit(eventOf('2', [rule]));
    expect(await store.owedMatches(other.id, LATER, 10)).toHaveLength(1);
  });

  it('finds those that want heads of the log of certificates, of every account, unless they are disabled or deleted', async () => {
    await using stand = await staged(open);
    const { store, account, webhook } = stand;
    const { account: other } = await addOther(store);
    const wanting = { ...webhook, events: ['match', 'head'] as const };
    const added = ['a', 'b', 'c', 'd'].map((name) => ({ ...wanting, id: `hook_${name}` }));
    added[1]!.accountId = other.id;
    for (const one of added) await store.addWebhook(one, 10);
    await store.changeWebhook(other.id, 'hook_b', { status: 'paused' });
    await store.changeWebhook(account.id, 'hook_c', { status: 'disabled', reason: 'r' });
    await store.deleteWebhook(account.id, 'hook_d');
    expect((await store.headWebhooks()).map(({ id }) => id)).toEqual(['hook_a', 'hook_b']);
    await store.changeWebhook(account.id, 'hook_a', { events: ['match'] });
    expect((await store.headWebhooks()).map(({ id }) => id)).toEqual(['hook_b']);
  });

  it('stores a notice once, with the attempt that it tells of, as a delivery without matches', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    const told = { ...webhook, id: 'hook_told', events: ['operational'] as const };
    const paused = { ...told, id: 'hook_paused' };
    const disabled = { ...told, id: 'hook_disabled' };
    for (const one of [told, paused, disabled]) await store.addWebhook(one, 10);
    await store.changeWebhook(account.id, paused.id, { status: 'paused' });
    await commit(eventOf('1', [rule]));
    for (const id of ['dlv_fails', 'dlv_gone']) {
      await store.addNotices([
        { id: `${id}_before`, webhookId: webhook.id, subject: 'webhook_failing' as const, body: '{}', at: LATER },
      ]);
    }
    await store.recordAttempt(
      recordOf('dlv_gone_before', { disable: 'gone', outcome: { status: 'failed', reason: 'r' } }),
    );
    const notices = [told, paused, webhook].map(({ id }) => ({
      id: `dlv_of_${id}`,
      webhookId: id,
      subject: 'budget_near' as const,
      body: `{"to":"${id}"}`,
      at: LATER,
    }));
    await store.addNotices(notices.slice(0, 1));
    await store.addNotices(notices);
    expect(await store.pendingBody('dlv_of_hook_told')).toBe('{"to":"hook_told"}');
    expect(await store.pendingDeliveries(told.id, 10)).toHaveLength(1);
    expect(await store.pendingDeliveries(paused.id, 10)).toHaveLength(1);
    // The webhook was disabled meanwhile.
    expect(await store.pendingDeliveries(webhook.id, 10)).toEqual([]);
    expect(await store.delivery(account.id, 'dlv_of_hook_told')).toMatchObject({
      matches: 0,
      first: undefined,
      notice: 'budget_near',
      status: 'pending',
    });
    const more = { id: 'dlv_more', webhookId: told.id, subject: 'webhook_failing' as const, body: '{}', at: LATER };
    await store.recordAttempt(recordOf('dlv_of_hook_told', { notices: [more] }));
    expect(await store.delivery(account.id, 'dlv_of_hook_told')).toMatchObject({ status: 'delivered' });
    expect(await store.pendingBody('dlv_more')).toBe('{}');
  });

  it('gives what is owed up to a count and up to a size, and at least one match', async () => {
    await using stand = await staged(open);
    const { store, rule, webhook, commit } = stand;
    for (let index = 0; index < 12; index++) await commit(eventOf(`b${index}`, [rule], { text: 'é'.repeat(500) }));
    const owed = async (limit: number, bytes?: number) =>
      (await store.owedMatches(webhook.id, LATER, limit, bytes)).map(({ platformPostId }) => platformPostId);
    const all = Array.from({ length: 12 }, (_, index) => `b${index}`);
    expect(await owed(100)).toEqual(all);
    expect(await owed(100, 5_000)).toEqual(all.slice(0, 5));
    expect(await owed(3, 5_000)).toEqual(all.slice(0, 3));
    expect(await owed(100, 1)).toEqual(all.slice(0, 1));
  });

  it('gives a webhook back whole, changes it, and keeps it from others', async () => {
    await using stand = await staged(open, {
      ruleIds: ['rule_1'],
      platforms: ['x'],
      every: 900_000,
      description: 'é',
      template: '"{{ text }}" é',
      notices: { kinds: ['limit'], quiet: { from: '22:00', to: '07:00', zone: 'UTC' } },
    });
    const { store, account, webhook } = stand;
    const { account: other } = await addOther(store);
    expect(await store.webhooks(account.id)).toEqual([webhook]);
    expect(await store.webhook(other.id, webhook.id)).toBeUndefined();
    expect(await store.changeWebhook(other.id, webhook.id, { status: 'paused' })).toBe(false);
    expect(await store.deleteWebhook(other.id, webhook.id)).toBe(false);
    const secrets = { current: 'new', previous: 'sealed', previousUntil: at(DAY) };
    expect(
      await store.changeWebhook(account.id, webhook.id, {
        ruleIds: null,
        every: null,
        template: null,
        notices: null,
        status: 'paused',
        secrets,
      }),
    ).toBe(true);
    expect(await store.webhook(account.id, webhook.id)).toEqual({
      ...webhook,
      ruleIds: undefined,
      every: undefined,
      template: undefined,
      notices: undefined,
      status: 'paused',
      secrets,
    });
    expect(await store.deleteWebhook(account.id, webhook.id)).toBe(true);
    expect(await store.webhooks(account.id)).toEqual([]);
    expect(await store.deleteWebhook(account.id, webhook.id)).toBe(false);
  });

  it('keeps what signs in at a receiver and who agreed, and adds a webhook in the state that it is given', async () => {
    await using stand = await staged(open);
    const { store, account, rule, commit } = stand;
    const waiting: Webhook = {
      ...webhookOf(account),
      url: 'mailto:ada@example.com',
      format: 'email',
      status: 'disabled',
      reason: 'not confirmed',
      credential: 'sealed',
    };
    await store.addWebhook(waiting, 10);
    expect(await store.webhook(account.id, waiting.id)).toMatchObject({
      status: 'disabled',
      reason: 'not confirmed',
      credential: 'sealed',
    });
    await commit(eventOf('1', [rule]));
    expect(await store.owedMatches(waiting.id, LATER, 9)).toEqual([]);
    await store.changeWebhook(account.id, waiting.id, {
      status: 'active',
      confirmedUrl: waiting.url,
      credential: null,
    });
    const confirmed = await store.webhook(account.id, waiting.id);
    expect(confirmed).toMatchObject({ status: 'active', reason: undefined, confirmedUrl: waiting.url });
    expect(confirmed?.credential).toBeUndefined();
    await store.changeWebhook(account.id, waiting.id, { description: 'kept' });
    expect((await store.webhook(account.id, waiting.id))?.confirmedUrl).toBe(waiting.url);
    await store.changeWebhook(account.id, waiting.id, { status: 'disabled', reason: 'left', confirmedUrl: null });
    const left = await store.webhook(account.id, waiting.id);
    expect(left).toMatchObject({ status: 'disabled', reason: 'left' });
    expect(left?.confirmedUrl).toBeUndefined();
  });

  it('holds an account to its number of webhooks', async () => {
    await using stand = await staged(open);
    const { store, account } = stand;
    expect(await store.addWebhook(webhookOf(account), 2)).toBe(true);
    expect(await store.addWebhook(webhookOf(account), 2)).toBe(false);
  });

  it('owes a webhook that is limited to sources what they brought first, as it comes and from the past', async () => {
    await using stand = await staged(open);
    const { store, account, rule, commit } = stand;
    const second = ruleOf(account);
    await store.addRule(second, {});
    const limited = webhookOf(account, { sources: ['source_1', 'source_2'] });
    await store.addWebhook(limited, 10);
    await commit(
      eventOf('a', [rule], { source: 'source_1' }),
      eventOf('b', [rule], { source: 'source_3' }),
      eventOf('c', [rule]),
    );
    // Known already, and shown with the source that brought it first.
    await commit(eventOf('a', [second], { source: 'source_3' }), eventOf('b', [second], { source: 'source_2' }));
    expect(await owedPosts(store, limited.id)).toEqual(['a', 'a']);
    const past = webhookOf(account, { sources: ['source_3'] });
    await store.addWebhook(past, 10);
    await store.redeliverSince(account.id, past.id, new Date(0), LATER);
    expect(await owedPosts(store, past.id)).toEqual(['b', 'b']);
    await store.changeWebhook(account.id, past.id, { sources: null });
    expect((await store.webhook(account.id, limited.id))?.sources).toEqual(['source_1', 'source_2']);
    expect((await store.webhook(account.id, past.id))?.sources).toBeUndefined();
    await store.redeliverSince(account.id, past.id, new Date(0), LATER);
    expect(await owedPosts(store, past.id)).toHaveLength(5);
  });

  it('owes a webhook every new match that it wants, once', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    const [second, firehose] = [ruleOf(account), webhookOf(account, { platforms: ['firehose'] })];
    await store.addRule(second, {});
    const some = webhookOf(account, { ruleIds: [second.id] });
    const paused = webhookOf(account);
    for (const one of [firehose, some, paused]) await store.addWebhook(one, 10);
    await store.changeWebhook(account.id, paused.id, { status: 'paused' });
    const { rule: foreign } = await addOther(store);
    await commit(eventOf('a', [rule, foreign]), eventOf('b', [second]));
    await commit(eventOf('a', [rule]));
    expect(await owedPosts(store, webhook.id)).toEqual(expect.arrayContaining(['a', 'b']));
    expect(await owedPosts(store, webhook.id)).toHaveLength(2);
    expect(await owedPosts(store, firehose.id)).toEqual([]);
    expect(await owedPosts(store, some.id)).toEqual(['b']);
    expect(await owedPosts(store, paused.id)).toHaveLength(2);
    expect((await store.agenda({})).map(({ webhook: { id }, owed }) => [id, owed])).toEqual([
      [webhook.id, 2],
      [some.id, 1],
    ]);
    expect(await store.agenda({ accountId: accountNamed('nobody').id })).toEqual([]);
    const [only, ...others] = await store.agenda({ webhookId: some.id });
    expect([only!.webhook.id, others]).toEqual([some.id, []]);
  });

  it('gives a webhook to one holder at a time, tells others who has it, and gives it on when the claim lapses', async () => {
    await using stand = await staged(open);
    const { store, account, webhook } = stand;
    const claim = (holder: string, lasting = MINUTE) =>
      store.claimWebhook(webhook.id, { holder, now: at(0), until: at(lasting) });
    expect(await claim('one')).toBe('one');
    expect(await claim('two')).toBe('one');
    // Renewed until a time that has passed, it is over.
    expect(await claim('one', -1)).toBe('one');
    expect(await claim('two')).toBe('two');
    expect(await claim('one')).toBe('two');
    await store.changeWebhook(account.id, webhook.id, { status: 'paused' });
    expect(await claim('two')).toBeUndefined();
    expect(await store.claimWebhook('hook_unknown', { holder: 'one', now: at(0), until: at(MINUTE) })).toBeUndefined();
  });

  it('frees at once what a holder gives back, and that alone', async () => {
    await using stand = await staged(open);
    const { store, account, webhook } = stand;
    const [second, foreign] = [webhookOf(account), webhookOf(account)];
    for (const one of [second, foreign]) await store.addWebhook(one, 10);
    const claim = (id: string, holder: string) => store.claimWebhook(id, { holder, now: at(0), until: at(MINUTE) });
    for (const { id } of [webhook, second]) await claim(id, 'one');
    await claim(foreign.id, 'two');
    await store.releaseWebhooks('one');
    for (const { id } of [webhook, second]) expect(await claim(id, 'three')).toBe('three');
    expect(await claim(foreign.id, 'three')).toBe('two');
    await store.releaseWebhooks('nobody');
    expect(await claim(foreign.id, 'three')).toBe('two');
  });

  it('freezes a batch whole: what is in a delivery waits no more, and never is in two', async () => {
    await using stand = await staged(open);
    const { store, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]), eventOf('b', [rule]));
    const { id, positions, frozen } = await freezeAll(store, webhook.id, 'bytes é');
    expect(frozen).toBe(true);
    expect(await owedPosts(store, webhook.id)).toEqual([]);
    expect(await store.freeze({ id: newId('dlv', at(0)), webhookId: webhook.id, positions, body: '', at: LATER })).toBe(
      false,
    );
    expect(await store.pendingDeliveries(webhook.id, 10)).toEqual([{ id, nextAt: LATER, made: 0 }]);
    expect(await store.pendingBody(id)).toBe('bytes é');
    const [agenda] = await store.agenda({ webhookId: webhook.id });
    expect(agenda).toMatchObject({ owed: 0, pending: 1, nextAt: LATER });
  });

  it('leaves the matches of a deleted rule out of what is not frozen yet', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    const kept = ruleOf(account);
    await store.addRule(kept, {});
    await commit(eventOf('a', [rule]), eventOf('b', [kept]));
    const positions = (await store.owedMatches(webhook.id, LATER, 100)).map(({ position }) => position);
    await store.deleteRule(account.id, rule.id);
    expect(await store.freeze({ id: 'dlv_1', webhookId: webhook.id, positions, body: '', at: LATER })).toBe(false);
    expect(await owedPosts(store, webhook.id)).toEqual(['b']);
    await removeAll(store, at(0));
    expect(await owedPosts(store, webhook.id)).toEqual(['b']);
    expect((await freezeAll(store, webhook.id)).frozen).toBe(true);
  });

  it('keeps attempts, and what follows from them', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const { id } = await freezeAll(store, webhook.id);
    const health = { lastFailureAt: LATER, failingSince: LATER };
    const failure = { at: LATER, milliseconds: 7, statusCode: 500, error: 'It answered 500.', response: 'no\0' };
    const nextAt = at(90_000);
    await store.recordAttempt(recordOf(id, { attempt: failure, outcome: { status: 'pending', nextAt }, health }));
    expect(await store.webhook(account.id, webhook.id)).toMatchObject({ health });
    expect(await store.pendingDeliveries(webhook.id, 1)).toEqual([{ id, nextAt, made: 1 }]);
    await store.recordAttempt(recordOf(id));
    const done = { id, webhookId: webhook.id, status: 'delivered', matches: 1, nextAt: undefined };
    expect(await store.delivery(account.id, id)).toMatchObject(done);
    expect((await store.delivery(account.id, id))!.attempts).toEqual([failure, recordOf(id).attempt]);
    expect(await store.pendingBody(id)).toBeUndefined();
    expect(await store.agenda({})).toEqual([]);
    expect(await store.delivery((await addOther(store)).account.id, id)).toBeUndefined();
  });

  it('disables a webhook with its reason, gives up what is under way, and owes it nothing new until it is active', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const first = await freezeAll(store, webhook.id);
    await commit(eventOf('b', [rule]));
    const second = await freezeAll(store, webhook.id);
    await commit(eventOf('c', [rule]));
    const outcome = { status: 'failed', reason: 'It is gone.' } as const;
    await store.recordAttempt(recordOf(first.id, { outcome, disable: 'It answered 410.' }));
    await commit(eventOf('d', [rule]));
    expect(await store.webhook(account.id, webhook.id)).toMatchObject({
      status: 'disabled',
      reason: 'It answered 410.',
    });
    // Another attempt that was under way finds the same, and tells nobody again.
    const told = { ...webhook, id: 'hook_told', events: ['operational'] as const };
    await store.addWebhook(told, 10);
    const notice = { id: 'dlv_told', webhookId: told.id, subject: 'webhook_disabled' as const, body: '{}', at: LATER };
    await store.recordAttempt(recordOf(first.id, { outcome, disable: 'It answered 410.', notices: [notice] }));
    expect(await store.pendingDeliveries(told.id, 5)).toEqual([]);
    expect(await store.delivery(account.id, first.id)).toMatchObject({ status: 'failed', reason: 'It is gone.' });
    expect(await store.delivery(account.id, second.id)).toMatchObject({
      status: 'failed',
      reason: 'The webhook was disabled: It answered 410.',
    });
    expect(await store.agenda({})).toEqual([]);
    const { changes } = await store.changes({ accountId: account.id, limit: 5 });
    expect(changes).toEqual([
      {
        at: recordOf(first.id).attempt.at,
        by: { kind: 'system' },
        what: 'webhook.changed',
        id: webhook.id,
        before: { status: 'active', reason: null },
        after: { status: 'disabled', reason: 'It answered 410.' },
      },
    ]);
    await store.changeWebhook(account.id, webhook.id, { status: 'active' });
    expect(await store.webhook(account.id, webhook.id)).toMatchObject({ status: 'active', reason: undefined });
    expect(await owedPosts(store, webhook.id)).toEqual(['c']);
  });

  it('forgets bytes that are for another kind of receiver: matches wait again, and what holds none has failed', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]), eventOf('b', [rule]));
    const positions = (await store.owedMatches(webhook.id, LATER, 10)).map(({ position }) => position);
    const batch = { id: 'dlv_batch', webhookId: webhook.id, body: '{}', madeFor: 'json', at: LATER };
    expect(await store.freeze({ ...batch, positions })).toBe(true);
    await store.recordAttempt(recordOf('dlv_batch', { outcome: { status: 'pending', nextAt: LATER } }));
    const notice = { id: 'dlv_notice', webhookId: webhook.id, subject: 'budget_near' as const, body: '{}', at: LATER };
    await store.addNotices([{ ...notice, madeFor: 'slack' }]);
    const pending = await store.pendingDeliveries(webhook.id, 5);
    expect(Object.fromEntries(pending.map((one) => [one.id, one.madeFor]))).toEqual({
      dlv_batch: 'json',
      dlv_notice: 'slack',
    });
    for (const id of ['dlv_batch', 'dlv_notice', 'dlv_none']) await store.writeAnew(id, 'It was written as json.');
    expect(await store.delivery(account.id, 'dlv_batch')).toBeUndefined();
    expect(await owedPosts(store, webhook.id)).toEqual(['a', 'b']);
    expect(await store.delivery(account.id, 'dlv_notice')).toMatchObject({
      status: 'failed',
      reason: 'It was written as json.',
    });
    // What was delivered stays as it is, until it is asked for again.
    const { id } = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(id));
    await store.writeAnew(id, 'r');
    expect(await store.delivery(account.id, id)).toMatchObject({ status: 'delivered', matches: 2 });
  });

  it('makes deliveries due again, one or all since a time, and owes what is in none', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const { id } = await freezeAll(store, webhook.id, 'same bytes');
    await store.recordAttempt(recordOf(id));
    expect(await store.redeliver((await addOther(store)).account.id, id, LATER)).toBe(false);
    expect(await store.redeliver(account.id, id, LATER)).toBe(true);
    expect(await store.pendingDeliveries(webhook.id, 5)).toEqual([{ id, nextAt: LATER, made: 0 }]);
    expect(await store.pendingBody(id)).toBe('same bytes');
    await store.recordAttempt(recordOf(id));
    await store.deleteWebhook(account.id, webhook.id);
    const late = webhookOf(account);
    await store.addWebhook(late, 10);
    await commit(...range(600).map((index) => eventOf(`${index}`, [rule])));
    const taken = await freezeAll(store, late.id);
    await store.recordAttempt(recordOf(taken.id));
    expect(await store.redeliverSince(account.id, late.id, at(0), LATER)).toEqual({ deliveries: 1, matches: 1 });
    expect(await owedPosts(store, late.id)).toHaveLength(501);
    expect(await store.redeliverSince(account.id, late.id, at(DAY), LATER)).toEqual({ deliveries: 0, matches: 0 });
  });

  it('owes a new webhook all that was stored since a time and that it wants, however much, once', async () => {
    await using stand = await stage(open);
    const { store, account, rule } = stand;
    const other = ruleOf(account);
    await store.addRule(other, {});
    const events = range(1_100).map((index) => eventOf(`${index}`, index < 10 ? [rule, other] : [rule]));
    await store.commit({ platform: 'x', at: at(0), events: [eventOf('before', [rule])] });
    await store.commit({ platform: 'x', at: at(1_000), events });
    await store.commit({
      platform: 'firehose',
      at: at(2_000),
      events: [eventOf('f', [rule], { platform: 'firehose' })],
    });
    const webhook = webhookOf(account, { ruleIds: [rule.id], platforms: ['x'] });
    await store.addWebhook(webhook, 10);
    const again = () => store.redeliverSince(account.id, webhook.id, at(1_000), LATER);
    expect(await again()).toEqual({ deliveries: 0, matches: 1_100 });
    expect(await again()).toEqual({ deliveries: 0, matches: 0 });
    expect(await store.owedMatches(webhook.id, LATER, 2_000)).toHaveLength(1_100);
    expect(await store.owedBacklog(10)).toMatchObject([{ webhookId: webhook.id, matches: 1_000, isBatched: false }]);
    expect(await store.redeliverSince('acct_other', webhook.id, at(0), LATER)).toEqual({ deliveries: 0, matches: 0 });
  });

  it('brings forward what waits once a webhook works again', async () => {
    await using stand = await staged(open);
    const { store, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const { id } = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(id, { outcome: { status: 'pending', nextAt: at(DAY) } }));
    await commit(eventOf('b', [rule]));
    const probe = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(probe.id, { recovered: true }));
    const [waiting] = await store.pendingDeliveries(webhook.id, 5);
    expect(waiting!.id).toBe(id);
    expect(waiting!.nextAt.getTime()).toBeLessThan(at(DAY).getTime());
  });

  it('lists deliveries newest first, in pages, by webhook and by status', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    const ids: string[] = [];
    for (const index of range(5)) {
      await commit(eventOf(`${index}`, [rule]));
      ids.unshift((await freezeAll(store, webhook.id)).id);
    }
    await store.recordAttempt(recordOf(ids[1]!));
    const query = { accountId: account.id, limit: 3 };
    const first = await store.deliveries(query);
    expect(first.deliveries.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    const rest = await store.deliveries({ ...query, webhookId: webhook.id, before: first.next! });
    expect(rest.deliveries.map(({ id }) => id)).toEqual(ids.slice(3));
    expect(rest.next).toBeUndefined();
    for (const scope of [{}, { webhookId: webhook.id }]) {
      const { deliveries } = await store.deliveries({ ...query, ...scope, status: 'delivered' });
      expect(deliveries.map(({ id }) => id)).toEqual([ids[1]]);
    }
    expect(await store.deliveries({ ...query, accountId: (await addOther(store)).account.id })).toMatchObject({
      deliveries: [],
    });
  });

  it('takes an erased post out of deliveries too: made ones forget their bytes, others are taken apart', async () => {
    await using stand = await staged(open);
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const made = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(made.id));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    await commit(eventOf('b', [rule]), eventOf('c', [rule]));
    const pending = await freezeAll(store, webhook.id);
    const firstOf = async (id: string) => (await store.delivery(account.id, id))?.first;
    expect(await firstOf(made.id)).toEqual({ matchId: match!.id, ruleId: rule.id, ruleName: rule.name });
    await store.deleteMatches(account.id, 'x', 'a');
    await store.deleteMatches(account.id, 'x', 'b');
    expect(await firstOf(made.id)).toBeUndefined();
    expect(await store.redeliver(account.id, made.id, LATER)).toBe(false);
    // A receiver may answer with what it was sent.
    expect((await store.delivery(account.id, made.id))!.attempts).toMatchObject([{ response: '' }]);
    expect(await store.delivery(account.id, pending.id)).toBeUndefined();
    expect(await owedPosts(store, webhook.id)).toEqual(['c']);
    await store.recordAttempt(recordOf(pending.id));
  });

  it('takes deliveries off the disk when they are old, or their webhook is deleted', async () => {
    await using stand = await staged(open, {}, { retentionDays: 1 });
    const { store, account, rule, webhook, commit } = stand;
    await commit(eventOf('a', [rule]));
    const old = await freezeAll(store, webhook.id);
    await store.recordAttempt(recordOf(old.id));
    await removeAll(store, at(DAY));
    expect(await store.delivery(account.id, old.id)).toBeDefined();
    await removeAll(store, at(2 * DAY));
    expect(await store.delivery(account.id, old.id)).toBeUndefined();
    await commit(...range(250).map((index) => eventOf(`${index}`, [rule])));
    await freezeAll(store, webhook.id);
    await store.deleteWebhook(account.id, webhook.id);
    expect((await store.deliveries({ accountId: account.id, limit: 5 })).deliveries).toEqual([]);
    expect(await removeAll(store, at(0))).toBeGreaterThan(2);
    expect(await store.removeSlice(at(0))).toEqual({ more: false });
  });
}
