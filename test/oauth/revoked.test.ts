/** A grant or a key that ends takes along what is open with it: waits and subscriptions, in this process and in others. */
import { setImmediate } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { authenticateToken } from '../../src/service/access/grants.ts';
import { waitForMatches } from '../../src/service/matches/wait-for-matches.ts';
import { callServer } from '../black-box/server.ts';
import { grantFor, pairOf } from '../conformance/store/grants.ts';
import { NEWEST } from '../mcp/clients.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import { openService } from '../stages/service.ts';
import { type Served, serve } from './served.ts';
import { challengeOf } from './stage.ts';

const TOKEN = `sla_${'t'.repeat(43)}`;
const RESOURCE = 'https://sluice.example/mcp';

/** A grant with a token, written to the store as a consent writes it. */
async function grantIn(
  store: Awaited<ReturnType<typeof openService>>['store'],
  accountId: string,
  now: Date,
  resource = RESOURCE,
) {
  const later = new Date(now.getTime() + 24 * 60 * 60_000);
  const grant = grantFor(accountId, { resource, createdAt: now, endsAt: later, expiresAt: later });
  await store.addGrant(grant, { digest: 'code', challenge: '' });
  const pair = pairOf(grant.id, 'a');
  const token = { ...pair.token, digest: challengeOf(TOKEN), endsAt: new Date(now.getTime() + 60 * 60_000) };
  await store.redeemCode('code', { ...pair, token, endsAt: later }, now);
  return grant;
}

describe('a wait', () => {
  async function waiting(by: 'token' | 'key' = 'token') {
    const clock = fakeClock();
    const test = await openService({ clock });
    const person = await test.caller('default');
    const grant = await grantIn(test.store, person.account.id, clock.now());
    const { context } = test.service;
    const agent = by === 'key' ? await test.caller('default') : await authenticateToken(context, TOKEN, RESOURCE);
    const wait = waitForMatches(context, agent, { limit: 5, milliseconds: 50_000 }, new AbortController().signal);
    const ended = wait.then(
      () => 'answered',
      ({ code }: { code: string }) => code,
    );
    while (context.matchSignals.watching === 0) await setImmediate();
    return Object.assign(test, { clock, person, agent, grant, ended });
  }

  it('ends at once when a person disconnects the agent', async () => {
    await using test = await waiting();
    await test.call(test.person, 'revokeGrant', { grant_id: test.grant.id });
    expect(await test.ended).toBe('unauthenticated');
  });

  it('ends at once when its key is revoked', async () => {
    await using test = await waiting('key');
    await test.call(test.person, 'revokeKey', { key_id: test.agent.key.id });
    expect(await test.ended).toBe('unauthenticated');
  });

  it('ends within five seconds when another process revoked the grant or ended the token', async () => {
    for (const end of ['grant', 'token']) {
      await using test = await waiting();
      if (end === 'grant') await test.store.revokeGrant(test.grant.accountId, test.grant.id);
      else await test.store.endAccessToken(challengeOf(TOKEN));
      await test.clock.pass(5_000);
      expect([end, await test.ended]).toEqual([end, 'unauthenticated']);
    }
  });

  it('gives none of the matches that came after the end', async () => {
    await using test = await waiting();
    const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await test.call(test.person, 'createRule', rule);
    await test.store.revokeGrant(test.grant.accountId, test.grant.id);
    const pushed = test.post(test.person, 'storm');
    await test.clock.pass(25);
    await pushed;
    expect(await test.ended).toBe('unauthenticated');
  });
});

describe('over HTTP', () => {
  /** A client with a token. */
  async function agentOf(served: Served) {
    const { context, store } = served.app;
    const account = (await store.account('default'))!;
    const rule = { name: 'n', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { body } = await callServer(served.url, 'POST', '/api.CreateRule', rule, { key: OPERATOR_KEY });
    const grant = await grantIn(store, account.id, context.clock.now(), `${served.url}/mcp`);
    const client = new Client({ name: 'a', version: '1' }, { versionNegotiation: { mode: { pin: NEWEST } } });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit }));
    const watching = async (count: number) => {
      while (context.matchSignals.watching < count) await setImmediate();
    };
    const revoke = () => context.oauth.revoke(account.id, grant.id, { kind: 'operator' });
    return { client, ruleId: String(body['rule_id']), watching, revoke };
  }

  it('ends the wait and the subscription of an agent that is disconnected', async () => {
    await using served = await serve({ realTime: true });
    const { client, ruleId, watching, revoke } = await agentOf(served);
    const waited = client.callTool({ name: 'wait_for_matches', arguments: { wait_seconds: 50 } });
    const subscription = await client.listen({ resourceSubscriptions: [`sluice://rules/${ruleId}/matches`] });
    await watching(2);
    expect(await revoke()).toBe(true);
    expect(await waited).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^unauthenticated/) }],
    });
    expect(await subscription.closed).toBe('graceful');
    await client.close().catch(() => {});
  });
});
