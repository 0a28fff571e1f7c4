import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { RecentEvent } from '../../store/store.ts';

/** A service that takes two seconds and a half for each of its ten recent events. */
async function slowService() {
  const clock = fakeClock();
  const test = await openService({ clock });
  const alice = await test.caller('alice');
  const eventOf = (at: number): RecentEvent => ({
    event: { platform: 'x', accountId: 'a', postId: String(at), payload: { data: { id: String(at), text: 'storm' } } },
    at: new Date(Date.parse('2026-11-15T08:00:00.000Z') - at),
  });
  Object.assign(test.store, {
    async *recentEvents() {
      for (let at = 0; at < 10; at++) {
        clock.jump(2_500);
        yield [eventOf(at)];
      }
    },
  });
  return Object.assign(test, { alice });
}

it('a preview that takes long answers for the newest events, and says so', async () => {
  await using test = await slowService();
  const asked = { platforms: ['x'], overrides: { x: 'storm' }, instead_of: { overrides: { x: 'calm' } } };
  const { x } = (await test.call(test.alice, 'previewRule', asked)).platforms;
  expect(x).toMatchObject({ events: 3, complete: false, matched: 3, difference: { added: { matched: 3 } } });
  expect(x?.estimate).toMatch(/; only the newest events were tried, because the rule takes long$/);
  expect(x?.from).toBe('2026-11-15T07:59:59.998Z');
});

it('so do near misses and why an event does not match', async () => {
  await using test = await slowService();
  const missed = await test.call(test.alice, 'nearMisses', { platform: 'x', value: 'storm calm' });
  expect(missed).toMatchObject({ basis: { events: 3, complete: false }, matched: 0 });
  const explained = await test.call(test.alice, 'explainEvent', { platform: 'x', value: 'calm', text: 'storm' });
  expect(explained.basis).toMatchObject({ events: 3, complete: false });
});

it('an event of some days ago is judged as of when it arrived, by every walk', async () => {
  await using test = await openService({ clock: fakeClock() });
  const alice = await test.caller('alice');
  const pages = [0, 2, 4].map((days): RecentEvent => {
    const at = new Date(Date.parse('2026-11-15T08:00:00.000Z') - days * 24 * 60 * 60 * 1_000);
    const text = { title: 'volcano', added: ['volcano'], publish_time: at.toISOString().slice(0, 19) };
    const payload = { id: String(days), url: 'https://a.example/', ...text };
    return { event: { platform: 'firehose', accountId: 'a', postId: String(days), payload }, at };
  });
  Object.assign(test.store, {
    async *recentEvents() {
      yield pages;
    },
  });
  const [platform, value] = ['firehose', 'volcano AND recent:1d'];
  const before = { overrides: { firehose: 'calm' } };
  const asked = { platforms: [platform], overrides: { firehose: value }, instead_of: before };
  const { firehose } = (await test.call(alice, 'previewRule', asked)).platforms;
  expect(firehose).toMatchObject({ matched: 3, difference: { added: { matched: 3 } } });
  const missed = await test.call(alice, 'nearMisses', { platform, value: 'calm AND recent:1d' });
  expect(missed.clauses.map(({ text, missed: events }) => [text, events])).toEqual([
    ['calm', 3],
    ['recent:1d', 0],
  ]);
  const explained = await test.call(alice, 'explainEvent', { platform, value, text: 'calm' });
  expect(explained.basis).toMatchObject({ events: 3, matched: 3 });
  const translated = await test.call(alice, 'translateRule', { platform, value });
  expect(translated.measured!.recent).toMatchObject({ events: 3, original: 3 });
});
