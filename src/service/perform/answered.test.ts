/** An operation answers when all that it asked of the store is done: what it says is true by then, and stays so. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';

/** Nobody waits for these: notes of the last use, and what feeds report by themselves. */
const BY_THE_WAY = new Set(['touchKey', 'noteFeeds']);

/** A store whose calls take some turns of the event loop, and the names of those under way. */
function slowStore(store: Store): { store: Store; underWay: string[] } {
  const underWay: string[] = [];
  const slowed = Object.entries(store).map(([name, call]: [string, unknown]) => {
    if (typeof call !== 'function' || BY_THE_WAY.has(name)) return [name, call];
    return [
      name,
      (...given: unknown[]) => {
        const answer: unknown = call(...given);
        if (!(answer instanceof Promise)) return answer;
        underWay.push(name);
        return (async () => {
          try {
            for (let turn = 0; turn < 3; turn++) await setImmediate();
            return (await answer) as unknown;
          } finally {
            underWay.splice(underWay.indexOf(name), 1);
          }
        })();
      },
    ];
  });
  return { store: Object.assign(Object.create(store) as Store, Object.fromEntries(slowed)), underWay };
}

async function stage() {
  const { store, underWay } = slowStore(await openSqlite(':memory:'));
  const test = await openService({ store, roles: ['api', 'matcher'] });
  const alice = await test.caller('alice');
  const left: Record<string, string[]> = {};
  const { call: ask } = test;
  const call: typeof ask = async (who, name, input, request) => {
    await expect.poll(() => underWay).toEqual([]);
    const answer = await ask(who, name, input, request);
    if (underWay.length > 0) left[name] = [...underWay];
    return answer;
  };
  return Object.assign(test, { alice, call, left });
}

const RULE = {
  name: 'Storms',
  intent: 'Warn me.',
  platforms: ['x', 'firehose'],
  overrides: { x: 'storm', firehose: 'title:storm' },
};
const POSTS = ['a storm', 'a storm again', 'calm'].map((text, at) => JSON.stringify({ data: { id: `${at}`, text } }));

describe('when it is answered, nothing is under way', () => {
  it('of what is done with rules and their matches', async () => {
    await using test = await stage();
    const { alice, call, left } = test;
    const { rule_id } = await call(alice, 'createRule', RULE, { idempotencyKey: 'k' });
    await call(alice, 'createRule', RULE, { idempotencyKey: 'k' });
    await call(alice, 'updateRule', { rule_id, name: 'Gales', overrides: { x: 'storm OR gale' } });
    await call(alice, 'pushEvents', { platform: 'x', lines: POSTS.join('\n') });
    const { matches } = await call(alice, 'listMatches');
    expect(matches).toHaveLength(2);
    const match_id = matches[0]!.id;
    await call(alice, 'rateMatch', { match_id, rating: 'relevant' });
    await call(alice, 'explainMatch', { match_id });
    for (const name of ['listRules', 'listStories', 'listAlerts', 'listChanges', 'matchFacets', 'status'] as const)
      await call(alice, name);
    for (const name of ['getRule', 'suggestChanges', 'matchCounts'] as const) await call(alice, name, { rule_id });
    await call(alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
    await call(alice, 'nearMisses', { platform: 'x', value: 'storm calm' });
    await call(alice, 'translateRule', { platform: 'x', value: 'storm' });
    await call(alice, 'deleteMatches', { platform: 'x', platform_post_id: '1' });
    await call(alice, 'deleteRule', { rule_id });
    await call(alice, 'restoreRule', { rule_id });
    expect((await call(alice, 'listMatches')).matches).toHaveLength(1);
    expect(left).toEqual({});
  });

  it('of what is done with webhooks, feeds, views and keys', async () => {
    await using test = await stage();
    const { alice, call, left } = test;
    await call(alice, 'createRule', RULE);
    await call(alice, 'pushEvents', { platform: 'x', lines: POSTS.join('\n') });
    const { matches } = await call(alice, 'listMatches');
    const { webhook_id } = await call(alice, 'createWebhook', { url: 'https://a.example/in' });
    await call(alice, 'updateWebhook', { webhook_id, description: 'News' });
    await call(alice, 'sendMatch', { webhook_id, match_id: matches[0]!.id });
    const { deliveries } = await call(alice, 'listDeliveries', { webhook_id });
    await call(alice, 'redeliverWebhook', { delivery_id: deliveries[0]!.id }).catch(() => {});
    await call(alice, 'webhookStats', { webhook_id });
    await call(alice, 'updateWebhook', { webhook_id, paused: true });
    await call(alice, 'deleteWebhook', { webhook_id });
    const { feed_id } = await call(alice, 'createFeed', { name: 'Storms' });
    await call(alice, 'listFeeds');
    await call(alice, 'deleteFeed', { feed_id });
    const { view_id } = await call(alice, 'createView', { name: 'Mine', query: '' });
    await call(alice, 'listViews');
    await call(alice, 'deleteView', { view_id });
    const options = { urls: ['https://a.example/'], secret: 'hush' };
    const { source_id } = await call(alice, 'createSource', { kind: 'feeds', name: 'Mine', options });
    await call(alice, 'testSource', { kind: 'feeds', options });
    await call(alice, 'listSources');
    await call(alice, 'getSource', { source_id });
    await call(alice, 'updateSource', { source_id, paused: true });
    await call(alice, 'deleteSource', { source_id });
    const { id: key_id } = await call(alice, 'createKey', { name: 'mine' });
    await call(alice, 'listKeys');
    await call(alice, 'revokeKey', { key_id });
    for (const name of ['createSession', 'createStreamTicket', 'createEntryTicket'] as const) await call(alice, name);
    expect(left).toEqual({});
  });
});
