/** Surge and silence from end to end: a rule that is watched, what callers, streams and webhooks hear, and who does not. */
import { describe, expect, it } from 'vitest';
import type { Send } from '../src/delivery/webhooks/transport.ts';
import type { Caller } from '../src/service/access/caller.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';
import { openService } from './stages/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RULE = { name: 'Storms', intent: 'i', platforms: ['x'], overrides: { x: 'storm' } };

/** A rule with two weeks of matches, four an hour. */
async function stage() {
  const clock = fakeClock();
  const sent: { host: string; body: Record<string, unknown> }[] = [];
  const send: Send = async ({ url, body }) => {
    sent.push({ host: new URL(url).host, body: JSON.parse(body) as Record<string, unknown> });
    return { statusCode: 200, error: undefined, response: '' } as never;
  };
  const test = await openService({ clock, delivery: { send, allowPrivate: true, random: () => 0.5 } });
  const alice = await test.caller('alice');
  clock.jump(-14 * DAY);
  const { rule_id } = await test.call(alice, 'createRule', RULE);
  const feed = { platform: 'x', kind: 'push', name: alice.account.id, state: 'live', reason: undefined } as const;
  await test.store.noteFeeds([{ ...feed, through: clock.now(), at: clock.now() }]);
  for (let quarter = 0; quarter < 14 * 96; quarter++) {
    const event = { platform: 'x' as const, postId: `old${quarter}`, payload: {}, accountId: alice.account.id };
    const matches = [{ ruleId: rule_id, version: 1, highlights: [] }];
    await test.store.commit({ platform: 'x', at: clock.now(), events: [{ event, matches }] });
    clock.jump(15 * MINUTE);
  }
  await test.store.noteFeeds([{ ...feed, through: clock.now(), at: clock.now() }]);
  const post = async (count: number) => {
    const posted = test.post(alice, ...Array.from({ length: count }, () => 'a storm'));
    await clock.pass(50);
    await posted;
  };
  const hook = (name: string, input: object) =>
    test.call(alice, 'createWebhook', { url: `https://${name}.example/`, ...input });
  const agent = (ruleIds: readonly string[]): Caller => ({
    ...alice,
    grant: { scopes: ['read'], ruleIds, tokenDigest: 'd' },
  });
  return { test, clock, alice, rule_id, sent, post, hook, agent };
}

describe('alerts', () => {
  it('reach the list, streams and webhooks that want them, once when they begin and once when they end', async () => {
    const { test, clock, alice, rule_id, sent, post, hook, agent } = await stage();
    await using _ = test;
    const other = await test.call(alice, 'createRule', { ...RULE, name: 'other' });
    await hook('alerts', { events: ['alert'] });
    await hook('matches', { events: ['match'] });
    await hook('chat', { events: ['alert'], format: 'slack' });
    await hook('elsewhere', { events: ['alert'], rule_ids: [other.rule_id] });
    const frames: string[] = [];
    const outlet = {
      write: (bytes: Uint8Array) => frames.push(Buffer.from(bytes).toString()) > 0,
      end: () => {},
      destroy: () => {},
    };
    const { live } = test.service.context;
    const stream = { accountId: alice.account.id, keyId: alice.key.id, after: await test.store.latest(), outlet };
    live.subscribe(stream as never);
    const changed = await test.call(alice, 'updateRule', { rule_id, alerts: { surge: true } });
    expect(changed.alerts).toEqual({ surge: true, silence: false });
    await post(1);
    await clock.pass(2 * MINUTE);
    expect(await test.call(alice, 'listAlerts')).toEqual({ alerts: [] });
    await post(80);
    await clock.pass(2 * MINUTE);
    const { alerts } = await test.call(alice, 'listAlerts', { rule_id });
    expect(alerts).toMatchObject([{ rule_id, platform: 'x', kind: 'surge', to: null }]);
    expect(alerts[0]!.rate).toBeGreaterThan(10 * alerts[0]!.usual_rate);
    expect((await test.call(alice, 'status')).alerts).toEqual({ open: 1 });
    const told = sent.filter(({ host }) => host !== 'matches.example');
    expect(told.map(({ host }) => host).toSorted()).toEqual(['alerts.example', 'chat.example']);
    expect(told.find(({ host }) => host === 'alerts.example')!.body).toEqual({
      type: 'alert',
      webhook_id: expect.any(String),
      matches: [],
      alert: alerts[0],
    });
    expect(JSON.stringify(told)).toContain('The rule \\"Storms\\" on x surges since');
    expect(frames.join('')).toContain(`event: alert\nid: `);
    expect(frames.join('')).toContain(`"id":"${alerts[0]!.id}"`);
    // An agent hears of its own rules alone.
    expect((await test.call(agent([rule_id]), 'listAlerts')).alerts).toHaveLength(1);
    expect((await test.call(agent([other.rule_id]), 'listAlerts')).alerts).toEqual([]);
    expect((await test.call(agent([other.rule_id]), 'status')).alerts).toEqual({ open: 0 });
    await expect(test.call(agent([other.rule_id]), 'listAlerts', { rule_id })).rejects.toMatchObject({
      code: 'not_found',
    });
    const mallory = await test.caller('mallory');
    expect((await test.call(mallory, 'listAlerts')).alerts).toEqual([]);
    await expect(test.call(mallory, 'listAlerts', { rule_id })).rejects.toMatchObject({ code: 'not_found' });
    for (let minute = 0; minute < 130; minute += 10) {
      await post(1);
      await clock.pass(10 * MINUTE);
    }
    const { alerts: after } = await test.call(alice, 'listAlerts');
    expect(after).toMatchObject([{ id: alerts[0]!.id, to: expect.any(String) }]);
    expect(sent.filter(({ host }) => host === 'alerts.example')).toHaveLength(2);
  });

  it('are in the rule and its changes, and off unless they are asked for', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const plain = await test.call(alice, 'createRule', RULE);
    const watched = await test.call(alice, 'createRule', { ...RULE, alerts: { silence: true } });
    const alertsOf = async (rule_id: string) => (await test.call(alice, 'getRule', { rule_id })).alerts;
    expect(await alertsOf(plain.rule_id)).toEqual({ surge: false, silence: false });
    expect(await alertsOf(watched.rule_id)).toEqual({ surge: false, silence: true });
    await test.call(alice, 'updateRule', { rule_id: watched.rule_id, alerts: { surge: true } });
    expect(await alertsOf(watched.rule_id)).toEqual({ surge: true, silence: true });
    await test.call(alice, 'updateRule', { rule_id: watched.rule_id, name: 'New' });
    expect(await alertsOf(watched.rule_id)).toEqual({ surge: true, silence: true });
    const { changes } = await test.call(alice, 'listChanges', { id: watched.rule_id });
    expect(changes[1]).toMatchObject({
      before: { alerts: { surge: false, silence: true } },
      after: { alerts: { surge: true, silence: true } },
    });
  });

  it('refuse wrong values by name over HTTP', async () => {
    await using app = await startApp();
    const ask = async (url: string, payload: object) => {
      const answer = await app.http.inject({
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        payload,
      });
      return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
    };
    expect(await ask('/alerts', {})).toEqual({ status: 200, body: { alerts: [] } });
    const wrong: [string, object, string][] = [
      ['/alerts', { limit: 0 }, 'limit'],
      ['/alerts', { limit: 201 }, 'limit'],
      ['/alerts', { cursor: 'made up' }, 'cursor'],
      ['/alerts', { kind: 'surge' }, 'kind'],
      ['/api.CreateRule', { ...RULE, alerts: { surge: 'yes' } }, 'alerts.surge'],
      ['/api.CreateRule', { ...RULE, alerts: { burst: true } }, 'burst'],
      ['/api.CreateWebhook', { url: 'https://example.com/', events: ['alerts'] }, 'events'],
    ];
    for (const [url, payload, named] of wrong) {
      const { status, body } = await ask(url, payload);
      expect([url, payload, status]).toEqual([url, payload, 400]);
      expect(JSON.stringify(body)).toContain(named);
    }
  });
});
