import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { WakeAccount, WakeContract } from '../../../src/domain/wake.ts';
import type { Batch, Position, Store, WakeTurn } from '../../../src/store/store.ts';
import { at, DAY, eventOf, type Open, range, removeAll, stage } from './stage.ts';
import { recordOf, webhookOf } from './webhooks.ts';

const LATER = at(60_000);
const DUE = at(3_600_000);
const CONTRACT: WakeContract = { per: 'story', atMost: { count: 2, window: 'hour' } };
const ACCOUNT: WakeAccount = { windowFrom: at(0), wakes: 1, held: 2, stories: 2 };

async function staged(open: Open, posts: number) {
  const stand = await stage(open);
  const webhook = webhookOf(stand.account, { wake: CONTRACT });
  await stand.store.addWebhook(webhook, 10);
  await stand.commit(...range(posts).map((number) => eventOf(String(number), [stand.rule])));
  const owed = await stand.store.owedMatches(webhook.id, LATER, 100);
  return { ...stand, webhook, owed, positions: owed.map(({ position }) => position) };
}

const turnOf = (held: readonly Position[], change: Partial<WakeTurn> = {}): WakeTurn => ({
  turn: 0,
  account: ACCOUNT,
  stories: new Map([
    ['story_a', { woke: true, seen: 5 }],
    ['story_b', { woke: false, seen: 5 }],
  ]),
  held: held.map((position) => ({ position, story: 'story_a' })),
  digest: { id: newId('dlv', at(0)), dueAt: DUE, most: 10 },
  ...change,
});

const freeze = (store: Store, webhookId: string, positions: readonly Position[], more: Partial<Batch>) =>
  store.freeze({ id: newId('dlv', at(0)), webhookId, positions, body: 'body', at: LATER, ...more });

const deliveriesOf = async (store: Store, accountId: string) =>
  (await store.deliveries({ accountId, limit: 100 })).deliveries;

export function wakeCases(open: Open): void {
  it('acknowledges a delivery of matches once, for its own account, and sends it no more', async () => {
    await using stand = await staged(open, 1);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const id = newId('dlv', at(0));
    await store.freeze({ id, webhookId: webhook.id, positions, body: 'body', at: LATER });
    expect(await store.acknowledgeWake('acct_other', id, LATER)).toBeUndefined();
    await store.offerWake(id);
    expect(await store.delivery(account.id, id)).toMatchObject({ status: 'pending', made: 1 });
    expect(await store.acknowledgeWake(account.id, id, LATER)).toBe('first');
    expect(await store.acknowledgeWake(account.id, id, at(99_000))).toBe('again');
    expect(await store.delivery(account.id, id)).toMatchObject({ status: 'delivered', acknowledgedAt: LATER });
    expect(await store.pendingDeliveries(webhook.id, 10)).toEqual([]);
    const notices = [
      { id: newId('dlv', at(1)), webhookId: webhook.id, subject: 'webhook_failing' as const, body: '{}', at: LATER },
    ];
    await store.expireWake(id, { reason: 'too late', notices });
    expect(await store.delivery(account.id, id)).toMatchObject({ status: 'delivered', reason: undefined });
    expect(await store.pendingDeliveries(webhook.id, 10)).toEqual([]);
    expect(await store.acknowledgeWake(account.id, 'dlv_unknown', LATER)).toBeUndefined();
    await store.redeliver(account.id, id, LATER);
    expect(await store.acknowledgeWake(account.id, id, LATER)).toBe('first');
  });

  it('acknowledges what was handed over and tells of no match after a position', async () => {
    await using stand = await staged(open, 4);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const [one, two, three, four] = positions as [Position, Position, Position, Position];
    const wakes = [[one], [two, three], [four]].map((told, number) => ({ id: newId('dlv', at(number)), told }));
    for (const { id, told } of wakes)
      await store.freeze({ id, webhookId: webhook.id, positions: told, body: 'body', at: LATER });
    for (const { id } of wakes.slice(0, 2)) await store.offerWake(id);
    const statuses = async () =>
      Promise.all(wakes.map(async ({ id }) => (await store.delivery(account.id, id))?.status));
    await store.acknowledgeUpTo('hook_other', four, LATER);
    expect(await statuses()).toEqual(['pending', 'pending', 'pending']);
    await store.acknowledgeUpTo(webhook.id, two, LATER);
    expect(await statuses()).toEqual(['delivered', 'pending', 'pending']);
    await store.acknowledgeUpTo(webhook.id, four, LATER);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'pending']);
    expect(await store.acknowledgeWake(account.id, wakes[0]!.id, LATER)).toBe('again');
  });

  it('gives up once what was delivered and not acknowledged in its time', async () => {
    await using stand = await staged(open, 2);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const ids = [newId('dlv', at(0)), newId('dlv', at(1))] as const;
    const attempt = { at: LATER, milliseconds: 1, statusCode: 200, error: undefined, response: '' };
    const health = { lastFailureAt: undefined, failingSince: undefined };
    const record = { attempt, health, recovered: false, disable: undefined, notices: [] };
    for (const [number, id] of ids.entries()) {
      await store.freeze({ id, webhookId: webhook.id, positions: [positions[number]!], body: 'body', at: LATER });
      await store.recordAttempt({ ...record, deliveryId: id, outcome: { status: 'delivered', acknowledgeBy: DUE } });
    }
    const notice = {
      id: newId('dlv', at(2)),
      webhookId: webhook.id,
      subject: 'webhook_failing' as const,
      body: '{}',
      at: LATER,
    };
    await store.addNotices([notice]);
    await store.recordAttempt({
      ...record,
      deliveryId: notice.id,
      outcome: { status: 'delivered', acknowledgeBy: DUE },
    });
    expect(await store.agenda({ webhookId: webhook.id })).toMatchObject([{ acknowledgeBy: DUE, pending: 0 }]);
    expect((await store.delivery(account.id, ids[0]))?.nextAt).toBeUndefined();
    expect(await store.unacknowledged(webhook.id, LATER, 10)).toEqual([]);
    await store.acknowledgeWake(account.id, ids[1], LATER);
    expect(await store.unacknowledged(webhook.id, DUE, 10)).toEqual([{ id: ids[0], nextAt: DUE }]);
    for (const told of ['dlv_told', 'dlv_again'])
      await store.expireWake(ids[0], { reason: 'late', notices: [{ ...notice, id: told }] });
    expect(await store.delivery(account.id, ids[0])).toMatchObject({ status: 'delivered', reason: 'late' });
    expect((await store.pendingDeliveries(webhook.id, 10)).map(({ id }) => id)).toEqual(['dlv_told']);
    expect(await store.unacknowledged(webhook.id, DUE, 10)).toEqual([]);
  });

  it('has no wake in a notice, nor in a digest that is not written yet', async () => {
    await using stand = await staged(open, 1);
    const { store, account, webhook, positions } = stand;
    const notice = newId('dlv', at(0));
    await store.addNotices([
      { id: notice, webhookId: webhook.id, subject: 'webhook_failing' as const, body: '{}', at: at(0) },
    ]);
    const wake = turnOf(positions);
    await freeze(store, webhook.id, [], { wake });
    expect(await store.acknowledgeWake(account.id, notice, LATER)).toBeUndefined();
    expect(await store.acknowledgeWake(account.id, wake.digest.id, LATER)).toBeUndefined();
  });

  it('offers again what used up its attempts, and neither what was refused, acknowledged or is too old', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const ids = positions.map((_, index) => newId('dlv', at(index)));
    for (const [index, id] of ids.entries())
      await store.freeze({ id, webhookId: webhook.id, positions: [positions[index]!], body: 'body', at: LATER });
    const fail = async (deliveryId: string, attempts: number): Promise<void> => {
      for (let made = 1; made <= attempts; made++)
        await store.recordAttempt({
          deliveryId,
          attempt: { at: LATER, milliseconds: 1, statusCode: 500, error: 'no', response: '' },
          outcome: made < attempts ? { status: 'pending', nextAt: DUE } : { status: 'failed', reason: 'no' },
          health: { lastFailureAt: undefined, failingSince: undefined },
          recovered: false,
          disable: undefined,
          notices: [],
        });
    };
    await fail(ids[0]!, 3);
    await fail(ids[1]!, 1);
    await fail(ids[2]!, 3);
    await store.acknowledgeWake(account.id, ids[2]!, LATER);
    const statuses = async () => Promise.all(ids.map(async (id) => (await store.delivery(account.id, id))?.status));
    await store.offerAgain(webhook.id, { since: DUE, attempts: 2, now: DUE });
    expect(await statuses()).toEqual(['failed', 'failed', 'delivered']);
    await store.offerAgain(webhook.id, { since: at(0), attempts: 2, now: DUE });
    expect(await statuses()).toEqual(['pending', 'failed', 'delivered']);
  });

  it('keeps a contract, and forgets it when it is taken away', async () => {
    await using stand = await staged(open, 0);
    const { store, account, webhook } = stand;
    expect((await store.webhook(account.id, webhook.id))?.wake).toEqual(CONTRACT);
    await store.changeWebhook(account.id, webhook.id, { wake: { per: 'match', minRelevance: 0.5 } });
    expect((await store.webhook(account.id, webhook.id))?.wake).toEqual({ per: 'match', minRelevance: 0.5 });
    await store.changeWebhook(account.id, webhook.id, { description: 'other' });
    expect((await store.webhook(account.id, webhook.id))?.wake).toEqual({ per: 'match', minRelevance: 0.5 });
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    expect((await store.webhook(account.id, webhook.id))?.wake).toBeUndefined();
  });

  it('stores a decision whole: what wakes, what is held, the account and the stories', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    const wake = turnOf(positions.slice(1));
    expect(await freeze(store, webhook.id, positions.slice(0, 1), { wake })).toBe(true);
    expect(await store.webhook(account.id, webhook.id)).toMatchObject({ wakeAccount: ACCOUNT, wakeTurn: 1 });
    expect(await store.wakeStories(webhook.id, ['story_a', 'story_b', 'story_c'])).toEqual(wake.stories);
    expect(await store.owedMatches(webhook.id, LATER, 10)).toEqual([]);
    const [waking, digest] = await deliveriesOf(store, account.id);
    expect(digest).toMatchObject({
      id: wake.digest.id,
      matches: 2,
      first: { ruleName: expect.any(String) },
      isDigest: true,
      status: 'pending',
      nextAt: DUE,
    });
    expect(waking).toMatchObject({ matches: 1, status: 'pending', nextAt: LATER });
    expect(waking).not.toHaveProperty('isDigest');
    expect(await store.pendingDeliveries(webhook.id, 10)).toMatchObject([{ id: waking!.id }, { isUnwritten: true }]);
    expect(await store.pendingBody(digest!.id)).toBeUndefined();
  });

  it('refuses a decision from an earlier turn, or from a contract that was changed, whole', async () => {
    await using stand = await staged(open, 2);
    const { store, account, webhook, positions } = stand;
    const [first, second] = positions as [Position, Position];
    expect(await freeze(store, webhook.id, [first], { wake: turnOf([]) })).toBe(true);
    expect(await freeze(store, webhook.id, [], { wake: turnOf([second]) })).toBe(false);
    expect(await freeze(store, webhook.id, [second], {})).toBe(false);
    await store.changeWebhook(account.id, webhook.id, { wake: { per: 'match' } });
    expect(await freeze(store, webhook.id, [], { wake: turnOf([second], { turn: 1 }) })).toBe(false);
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    expect(await freeze(store, webhook.id, [], { wake: turnOf([second], { turn: 2 }) })).toBe(false);
    expect(await store.owedMatches(webhook.id, LATER, 10)).toHaveLength(1);
    expect(await deliveriesOf(store, account.id)).toHaveLength(1);
    expect(await freeze(store, webhook.id, [second], {})).toBe(true);
  });

  it('takes each match once, of two decisions at the same time', async () => {
    await using stand = await staged(open, 4);
    const { store, account, webhook, positions } = stand;
    const results = await Promise.all(
      range(6).map(() => freeze(store, webhook.id, positions.slice(0, 2), { wake: turnOf(positions.slice(2)) })),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await deliveriesOf(store, account.id)).map(({ matches }) => matches)).toEqual([2, 2]);
  });

  it('collects what is held in one digest for a time, and begins another when it is full', async () => {
    await using stand = await staged(open, 9);
    const { store, account, webhook, positions } = stand;
    const hold = (turn: number, from: number, to: number, dueAt = DUE) =>
      freeze(store, webhook.id, [], {
        wake: turnOf(positions.slice(from, to), { turn, digest: { id: newId('dlv', at(0)), dueAt, most: 4 } }),
      });
    for (const [turn, [from, to, due]] of [
      [0, 2],
      [2, 4],
      [4, 5],
      [5, 7],
      [7, 9, at(7_200_000)],
    ].entries())
      expect(await hold(turn, from as number, to as number, due as Date | undefined)).toBe(true);
    const digests = (await deliveriesOf(store, account.id)).toReversed();
    expect(digests.map(({ matches }) => matches)).toEqual([4, 3, 2]);
    const held = await Promise.all(digests.map(({ id }) => store.closeDigest(id)));
    expect(
      held
        .flat()
        .map(({ position }) => position)
        .toSorted((one, other) => one - other),
    ).toEqual(positions.toSorted((one, other) => one - other));
  });

  it('counts in a digest that waits what retention has left of it, and fills it up from there', async () => {
    await using stand = await stage(open, { retentionDays: 1 });
    const { store, account, rule } = stand;
    const webhook = webhookOf(account, { wake: CONTRACT });
    await store.addWebhook(webhook, 10);
    const digest = { id: newId('dlv', at(0)), dueAt: at(9 * DAY), most: 4 };
    const holdOn = async (day: number, turn: number, ...ids: readonly string[]) => {
      await store.commit({ platform: 'x', at: at(day * DAY), events: ids.map((id) => eventOf(id, [rule])) });
      const owed = await store.owedMatches(webhook.id, at((day + 1) * DAY), 10);
      const held = turnOf(
        owed.map(({ position }) => position),
        { turn, digest },
      );
      expect(await freeze(store, webhook.id, [], { wake: held })).toBe(true);
    };
    const counts = async () => (await deliveriesOf(store, account.id)).map(({ matches }) => matches);
    await holdOn(0, 0, 'a', 'b', 'c');
    await holdOn(1, 1, 'd');
    expect(await counts()).toEqual([4]);
    await removeAll(store, at(DAY + 120_000));
    expect(await counts()).toEqual([1]);
    await holdOn(1, 2, 'e', 'f', 'g');
    expect(await counts()).toEqual([4]);
    expect(await store.closeDigest(digest.id)).toHaveLength(4);
  });

  it('keeps which silence held a match, for a webhook without a contract too, and lets it go when the silence is ended', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const by = { kind: 'system' } as const;
    const silence = { id: 'silence_1', accountId: account.id, until: DUE, reason: '', createdAt: at(0), by };
    await store.addSilence(silence, 9);
    const held = positions.slice(0, 2).map((position) => ({ position, story: undefined, silence: 'silence_1' }));
    const digest = { id: newId('dlv', at(0)), dueAt: DUE, most: 9, silence: 'silence_1' };
    const wake = { ...turnOf([], { turn: 1, digest }), held };
    expect(await freeze(store, webhook.id, positions.slice(2), { wake })).toBe(true);
    expect(await freeze(store, webhook.id, [], { wake })).toBe(false);
    const due = async () => (await store.pendingDeliveries(webhook.id, 9)).find(({ id }) => id === digest.id)?.nextAt;
    expect(await due()).toEqual(DUE);
    expect(await store.endSilence(account.id, 'silence_1', LATER)).toBe(true);
    expect(await due()).toEqual(LATER);
    expect((await store.closeDigest(digest.id)).map((one) => one.silence)).toEqual(['silence_1', 'silence_1']);
  });

  it('lets go of the full digests of a silence that is ended, too, and of none that is written', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const by = { kind: 'system' } as const;
    const silence = { id: 'silence_1', accountId: account.id, until: DUE, reason: '', createdAt: at(0), by };
    await store.addSilence(silence, 9);
    const ids = positions.map((_, turn) => newId('dlv', at(turn)));
    for (const [index, id] of ids.entries()) {
      const digest = { id, dueAt: DUE, most: 1, silence: 'silence_1' };
      const wake = turnOf([positions[index]!], { turn: index + 1, digest });
      expect(await freeze(store, webhook.id, [], { wake })).toBe(true);
    }
    await store.closeDigest(ids[0]!);
    expect(await store.sealDigest({ deliveryId: ids[0]!, body: 'digest', matches: 1 })).toBe(true);
    expect(await store.endSilence(account.id, 'silence_1', LATER)).toBe(true);
    const dueAt = await Promise.all(ids.map(async (id) => (await store.delivery(account.id, id))?.nextAt));
    expect(dueAt).toEqual([DUE, LATER, LATER]);
    expect(await store.closeDigest(ids[1]!)).toHaveLength(1);
    expect(await store.sealDigest({ deliveryId: ids[1]!, body: 'digest', matches: 1 })).toBe(true);
  });

  it('refuses to hold for a silence that has ended', async () => {
    await using stand = await staged(open, 1);
    const { store, account, webhook, positions } = stand;
    await store.changeWebhook(account.id, webhook.id, { wake: null });
    const digest = { id: newId('dlv', at(0)), dueAt: DUE, most: 9, silence: 'silence_1' };
    expect(await freeze(store, webhook.id, [], { wake: turnOf(positions, { turn: 1, digest }) })).toBe(false);
    expect(await store.owedMatches(webhook.id, LATER, 10)).toHaveLength(1);
  });

  it('closes a digest that is full, makes it due, and keeps how many wait for the next', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    const waiting = { dueAt: DUE.getTime(), count: 2 };
    const first = turnOf(positions.slice(0, 1));
    await freeze(store, webhook.id, [], { wake: { ...first, account: { ...ACCOUNT, waiting } } });
    expect((await store.webhook(account.id, webhook.id))?.wakeAccount).toEqual({ ...ACCOUNT, waiting });
    const digest = { id: newId('dlv', at(0)), dueAt: DUE, most: 9, fullAt: LATER };
    await freeze(store, webhook.id, [], { wake: turnOf(positions.slice(1, 2), { turn: 1, digest }) });
    expect((await store.webhook(account.id, webhook.id))?.wakeAccount).toEqual(ACCOUNT);
    expect(await store.pendingDeliveries(webhook.id, 9)).toMatchObject([{ id: first.digest.id, nextAt: LATER }]);
    await freeze(store, webhook.id, [], { wake: turnOf(positions.slice(2), { turn: 2 }) });
    expect(await store.closeDigest(first.digest.id)).toHaveLength(2);
    expect((await deliveriesOf(store, account.id)).map(({ matches, nextAt }) => [matches, nextAt])).toEqual([
      [1, DUE],
      [2, LATER],
    ]);
  });

  it('closes a digest, reads what is in it, and gives it its bytes once', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, owed, positions } = stand;
    const wake = turnOf(positions.slice(0, 2));
    await freeze(store, webhook.id, [], { wake });
    const { id } = wake.digest;
    const held = await store.closeDigest(id);
    const byId = held.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(byId.map(({ id: matchId, at: time, story }) => [matchId, time, story])).toEqual(
      owed.slice(0, 2).map((match) => [match.id, match.createdAt, 'story_a']),
    );
    const read = await store.matchesAt(positions.slice(0, 2));
    expect(read.map(({ id: matchId }) => matchId).toSorted()).toEqual(owed.slice(0, 2).map((match) => match.id));
    // A match that is held from now on is in another one.
    await freeze(store, webhook.id, [], { wake: turnOf(positions.slice(2), { turn: 1 }) });
    expect(await store.closeDigest(id)).toHaveLength(2);
    expect(await store.sealDigest({ deliveryId: id, body: 'digest', matches: 3 })).toBe(false);
    expect(await store.sealDigest({ deliveryId: id, body: 'digest', matches: 2, note: 'why' })).toBe(true);
    expect(await store.sealDigest({ deliveryId: id, body: 'other', matches: 2 })).toBe(false);
    expect(await store.delivery(account.id, id)).toMatchObject({ note: 'why' });
    expect(await store.pendingBody(id)).toBe('digest');
  });

  it('tells of no match of a deleted rule, and drops a digest that is empty', async () => {
    await using stand = await staged(open, 2);
    const { store, account, rule, webhook, positions } = stand;
    const wake = turnOf(positions);
    await freeze(store, webhook.id, [], { wake });
    await store.closeDigest(wake.digest.id);
    await store.deleteRule(account.id, rule.id);
    expect(await store.matchesAt(positions)).toEqual([]);
    expect(await store.sealDigest({ deliveryId: wake.digest.id, body: 'digest', matches: 2 })).toBe(false);
    expect(await store.closeDigest(wake.digest.id)).toEqual([]);
    expect(await store.sealDigest({ deliveryId: wake.digest.id, body: undefined, matches: 0 })).toBe(true);
    expect(await deliveriesOf(store, account.id)).toEqual([]);
  });

  it('forgets the bytes of a digest under way that tells of an erased post, and counts it no more', async () => {
    await using stand = await staged(open, 3);
    const { store, account, webhook, positions } = stand;
    const wake = turnOf(positions);
    const { id } = wake.digest;
    await freeze(store, webhook.id, [], { wake });
    await store.deleteMatches(account.id, 'x', '0');
    expect(await store.delivery(account.id, id)).toMatchObject({ matches: 2 });
    await store.closeDigest(id);
    await store.sealDigest({ deliveryId: id, body: 'digest', matches: 2 });
    await store.recordAttempt(recordOf(id, { outcome: { status: 'pending', nextAt: LATER } }));
    await store.deleteMatches(account.id, 'x', '1');
    expect(await store.pendingBody(id)).toBeUndefined();
    // A receiver may answer with what it was sent.
    expect((await store.delivery(account.id, id))!.attempts).toMatchObject([{ response: '' }]);
    expect(await store.pendingDeliveries(webhook.id, 9)).toMatchObject([{ id, isUnwritten: true }]);
    expect(await store.closeDigest(id)).toHaveLength(1);
    expect(await store.sealDigest({ deliveryId: id, body: 'digest', matches: 1 })).toBe(true);
  });

  it('lets a digest wait for its time when the webhook recovers, and when it is disabled', async () => {
    await using stand = await staged(open, 2);
    const { store, account, webhook, positions } = stand;
    const wake = turnOf(positions.slice(1));
    const id = newId('dlv', at(0));
    await freeze(store, webhook.id, positions.slice(0, 1), { id, wake });
    const record = {
      deliveryId: id,
      attempt: { at: LATER, milliseconds: 5, statusCode: 200, error: undefined, response: '' },
      health: { lastFailureAt: undefined, failingSince: undefined },
      notices: [],
    };
    await store.recordAttempt({ ...record, outcome: { status: 'delivered' }, recovered: true, disable: undefined });
    expect(await store.delivery(account.id, wake.digest.id)).toMatchObject({ nextAt: DUE });
    await store.recordAttempt({ ...record, outcome: { status: 'delivered' }, recovered: false, disable: 'gone' });
    expect(await store.delivery(account.id, wake.digest.id)).toMatchObject({ status: 'pending', nextAt: DUE });
  });

  it('forgets stories with the matches of their time, and everything of a deleted webhook', async () => {
    await using stand = await staged(open, 2);
    const { store, account, webhook, positions } = stand;
    const fresh = at(20 * DAY).getTime();
    const stories = new Map([
      ['old', { woke: true, seen: at(0).getTime() }],
      ['new', { woke: true, seen: fresh }],
    ]);
    await freeze(store, webhook.id, positions.slice(0, 1), { wake: turnOf(positions.slice(1), { stories }) });
    await removeAll(store, at(40 * DAY));
    expect([...(await store.wakeStories(webhook.id, ['old', 'new'])).keys()]).toEqual(['new']);
    await store.deleteWebhook(account.id, webhook.id);
    await removeAll(store, at(40 * DAY));
    expect((await store.wakeStories(webhook.id, ['new'])).size).toBe(0);
  });
}
