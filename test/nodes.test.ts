/** Several nodes on one PostgreSQL: what one changes the others know, and nothing is done twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { startPostgresWithTables, type TestPostgres } from './stages/postgres.ts';
import { openService, type TestService } from './stages/service.ts';

let server: TestPostgres | undefined;
beforeAll(async () => {
  server = await startPostgresWithTables();
});
afterAll(() => server?.[Symbol.asyncDispose]());

interface Node extends AsyncDisposable {
  readonly test: TestService;
  readonly alice: Awaited<ReturnType<TestService['caller']>>;
}

interface Nodes extends AsyncDisposable {
  /** Sets the clocks of all nodes forward. */
  forward(milliseconds: number): void;
  readonly all: readonly Node[];
  readonly one: Node;
  readonly two: Node;
}

async function startNodes(count = 2): Promise<Nodes> {
  const url = await server!.newDatabase();
  const nodes: Node[] = [];
  let ahead = 0;
  const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + ahead) };
  for (let number = 1; number <= count; number++) {
    const store = await openPostgres(url);
    const holder = { id: `node-${number}`, isGone: () => false };
    const test = await openService({ store, holder, clock });
    const alice = await test.caller('alice');
    const close = async () => {
      await test[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    };
    nodes.push({ test, alice, [Symbol.asyncDispose]: close });
  }
  return {
    all: nodes,
    one: nodes[0]!,
    two: nodes[1]!,
    forward(milliseconds) {
      ahead += milliseconds;
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    },
  };
}

const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

describe('nodes on one store', () => {
  it('match a rule on every node from the moment its creation returns, and never after its deletion', async () => {
    await using nodes = await startNodes(3);
    const { one, two, all } = nodes;
    const { rule_id } = await one.test.call(one.alice, 'createRule', rule);
    expect(await two.test.post(two.alice, 'a storm')).toMatchObject({ matches: 1 });
    await two.test.call(two.alice, 'updateRule', { rule_id, overrides: { x: 'hail' } });
    for (const { test, alice } of all) {
      const id = `hail-${alice.key.id}`;
      const lines = JSON.stringify({ data: { id, text: 'hail and storm' } });
      expect(await test.call(alice, 'pushEvents', { platform: 'x', lines })).toMatchObject({ matches: 1 });
    }
    const three = all[2]!;
    await three.test.call(three.alice, 'deleteRule', { rule_id });
    const lines = JSON.stringify({ data: { id: 'last', text: 'hail' } });
    for (const { test, alice } of all)
      expect(await test.call(alice, 'pushEvents', { platform: 'x', lines })).toMatchObject({ matches: 0 });
  });

  it('suspend an account on every node, from the moment that it returns, and resume it there', async () => {
    await using nodes = await startNodes(2);
    const { one, two } = nodes;
    const [operator, feed] = [await one.test.caller('default'), await two.test.caller('default', { scope: 'ingest' })];
    await one.test.call(one.alice, 'createRule', rule);
    await one.test.call(operator, 'suspendAccount', { account_id: 'alice' });
    expect(two.test.service.context.suspensions.isSuspended(two.alice.account.id)).toBe(true);
    expect(await two.test.post(feed, 'a storm')).toMatchObject({ matches: 0 });
    await one.test.call(operator, 'resumeAccount', { account_id: 'alice' });
    expect(await two.test.post(feed, 'another storm')).toMatchObject({ matches: 1 });
    await one.test.service.context.suspensions.settled();
    const [gap] = await one.test.store.gaps({ platform: 'x', accountId: one.alice.account.id, limit: 9 });
    expect(gap).toMatchObject({ cause: 'account_suspended', to: expect.any(Date) });
    await two.test.service.context.accountUses.flush();
    const { accounts } = await one.test.call(operator, 'listUsage');
    expect(accounts).toMatchObject([
      { name: 'alice', matches: 1, stored_matches: 1 },
      { name: 'default', events: 2 },
    ]);
  });

  it('answer for a rule that another node began only when it cannot be under way any more', async () => {
    await using nodes = await startNodes();
    const { one, two } = nodes;
    const { store } = one.test;
    const again = () => two.test.call(two.alice, 'createRule', rule, { idempotencyKey: 'k' });
    const made = await one.test.call(one.alice, 'createRule', rule, { idempotencyKey: 'k' });
    // As if the first node had died with the platform's answer in hand.
    await store.setRuleStatus(made.rule_id, 'x', { status: 'pending' });
    const { bodyDigest } = (await store.remembered(one.alice.account.id, 'k'))!;
    await store.remember(one.alice.account.id, 'k', bodyDigest, { begun: made.rule_id });
    await expect(again()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    nodes.forward(60_000);
    expect(await again()).toEqual(made);
    expect((await store.rule(one.alice.account.id, made.rule_id))?.platforms.x?.status).toBe('active');
  });

  it('make one rule of one Idempotency-Key, however many of them are asked at once', async () => {
    await using nodes = await startNodes(3);
    const { all, one } = nodes;
    for (let round = 0; round < 10; round++) {
      const key = { idempotencyKey: `round-${round}` };
      const answers = await Promise.allSettled(all.map(({ test, alice }) => test.call(alice, 'createRule', rule, key)));
      const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.rule_id] : []));
      expect(new Set(made).size).toBe(1);
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as object] : []));
      expect(refused).toMatchObject(refused.map(() => ({ code: 'unavailable', retryAfter: 5 })));
      expect(await one.test.call(one.alice, 'createRule', rule, key)).toMatchObject({ rule_id: made[0] });
    }
    expect((await one.test.call(one.alice, 'listRules')).rules).toHaveLength(10);
  });

  it('store an event once, whichever nodes it reaches', async () => {
    await using nodes = await startNodes();
    const { one, all } = nodes;
    await one.test.call(one.alice, 'createRule', rule);
    const lines = Array.from({ length: 200 }, (_, id) => JSON.stringify({ data: { id: `${id}`, text: 'storm' } }));
    const pushes = await Promise.all(
      all.map(({ test, alice }) => test.call(alice, 'pushEvents', { platform: 'x', lines: lines.join('\n') })),
    );
    expect(pushes.reduce((sum, { matches }) => sum + (matches ?? 0), 0)).toBe(200);
    const { matches } = await one.test.call(one.alice, 'listMatches', { limit: 1_000 });
    expect(new Set(matches.map(({ platform_post_id }) => platform_post_id)).size).toBe(200);
    expect(matches).toHaveLength(200);
  });

  it('tell subscribers on one node of matches that another stored', async () => {
    await using nodes = await startNodes();
    const { one, two } = nodes;
    await one.test.call(one.alice, 'createRule', rule);
    const heard = Promise.withResolvers<string>();
    const written: string[] = [];
    one.test.service.context.live.subscribe({
      accountId: one.alice.account.id,
      keyId: one.alice.key.id,
      after: await one.test.store.latest(),
      outlet: {
        write(bytes) {
          written.push(Buffer.from(bytes).toString());
          if (written.join('').includes('event: match')) heard.resolve(written.join(''));
          return true;
        },
        queued: 0,
        end: () => {},
        destroy: () => {},
      },
    });
    await two.test.post(two.alice, 'a storm from elsewhere');
    expect(await heard.promise).toContain('a storm from elsewhere');
  });

  it('take a session, and a ticket once, on any node', async () => {
    await using nodes = await startNodes();
    const { one, two } = nodes;
    const { session } = await one.test.call(one.alice, 'createSession');
    expect(await two.test.service.context.sessions.find(session)).toMatchObject({ accountId: one.alice.account.id });
    const { ticket } = await one.test.call(one.alice, 'createStreamTicket');
    expect(await two.test.service.context.streamTickets.use(ticket)).toMatchObject({ keyId: one.alice.key.id });
    expect(await one.test.service.context.streamTickets.use(ticket)).toBeUndefined();
  });

  it('give a webhook to one of them at a time, and to another when it is given back', async () => {
    await using nodes = await startNodes();
    const { one, two } = nodes;
    const { webhook_id } = await one.test.call(one.alice, 'createWebhook', { url: 'https://receiver.example/hook' });
    const now = new Date();
    const claim = (holder: string) => ({ holder, now, until: new Date(now.getTime() + 60_000) });
    expect(await one.test.store.claimWebhook(webhook_id, claim('one'))).toBe('one');
    expect(await two.test.store.claimWebhook(webhook_id, claim('two'))).toBe('one');
    expect(await one.test.store.claimWebhook(webhook_id, claim('one'))).toBe('one');
    await one.test.store.releaseWebhooks('one');
    expect(await two.test.store.claimWebhook(webhook_id, claim('two'))).toBe('two');
  });
});
