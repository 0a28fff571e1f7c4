/** Everything that shows or sends matches can be limited to what one source brought. */
import { expect, it } from 'vitest';
import { agentOf } from '../../../test/mcp/in-process.ts';
import { openVisiting } from '../../../test/stages/visiting.ts';
import { openWeb, rss } from '../../../test/stages/web.ts';

it('limits webhooks, waits, counts and views to a source', async () => {
  await using web = await openWeb(({ path }) => rss([`lava ${path}`]));
  await using test = await openVisiting(web);
  const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
  const [one, two] = [
    await test.add(alice, web.url('a.example', '/1')),
    await test.add(alice, web.url('a.example', '/2')),
  ];
  await test.rule(alice, 'lava');
  const all = await test.call(alice, 'createWebhook', { url: 'https://a.example/all' });
  const limited = await test.call(alice, 'createWebhook', { url: 'https://a.example/one', sources: [one, one] });
  expect(limited.sources).toEqual([one]);
  for (const { webhook_id } of [all, limited]) await test.call(alice, 'updateWebhook', { webhook_id, paused: true });
  const { cursor } = (await agentOf(test, alice)('wait_for_matches', { wait_seconds: 0 })).value;
  await test.after(0);

  const owed = async ({ webhook_id }: { webhook_id: string }) =>
    (await test.store.owedMatches(webhook_id, new Date(8.64e15), 10))
      .map(({ source }) => source ?? '')
      .toSorted((a, b) => (a < b ? -1 : 1));
  expect(await owed(limited)).toEqual([one]);
  expect(await owed(all)).toEqual([one, two].toSorted());
  const changed = { webhook_id: limited.webhook_id, sources: [two] };
  expect(await test.call(alice, 'updateWebhook', changed)).toMatchObject({ sources: [two] });
  expect(await test.call(alice, 'updateWebhook', { ...changed, sources: null })).toMatchObject({ sources: null });
  await expect(test.call(bob, 'createWebhook', { url: 'https://b.example/', sources: [one] })).rejects.toMatchObject({
    details: { issues: [{ path: 'sources.0', message: expect.stringContaining('List Sources') }] },
  });

  const waited = await agentOf(test, alice)('wait_for_matches', { cursor, source: two, wait_seconds: 0 });
  expect(waited.value['matches']).toMatchObject([{ untrusted_content: { passage: '«lava» /2' } }]);
  const sumOf = async (source: string) =>
    (await test.call(alice, 'matchCounts', { source })).counts.reduce((sum, { count }) => sum + count, 0);
  expect([await sumOf(one), await sumOf('source_none')]).toEqual([1, 0]);
  const view = await test.call(alice, 'createView', { name: 'One', query: `source=${one}` });
  const query = Object.fromEntries(new URLSearchParams(view.query));
  expect((await test.call(alice, 'listMatches', query)).matches).toMatchObject([{ source: one }]);
});
