import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';

const HOUR = 3_600_000;

it('says when a contract would have woken, and what it would have held, on what is stored', async () => {
  const clock = fakeClock();
  const relevance = {
    basis: () => undefined,
    score: async () => 0.4,
    judge: async () => ({ relevance: 0.4 }),
    words: async () => [],
  };
  await using test = await openService({ clock, relevance });
  const alice = await test.caller('alice');
  const rule = (word: string) => ({ name: word, intent: '', platforms: ['x'], overrides: { x: word } });
  const { rule_id } = await test.call(alice, 'createRule', rule('storm'));
  const other = await test.call(alice, 'createRule', rule('flood'));
  const push = async (...texts: string[]) => {
    const pushed = test.post(alice, ...texts);
    await clock.pass(20);
    await pushed;
  };
  const began = clock.now().toISOString();
  await push('storm one', 'storm two', 'flood three');
  await clock.pass(2 * HOUR);
  await push('storm four');
  const quiet = { from: '10:00', to: '12:00', zone: 'UTC' };
  const ask = (input: object) => test.call(alice, 'rehearseWake', { rule_ids: [rule_id], wake: { quiet }, ...input });
  expect(await ask({})).toEqual({
    matches: 3,
    wake_count: 1,
    wakes: [{ at: expect.stringContaining('2026-11-15T08:30:01'), matches: 2, because: '2 matches' }],
    held: 1,
    digest_count: 1,
    digests: [{ at: '2026-11-16T00:00:00.000Z', matches: 1 }],
    counted: 3,
    complete: true,
    counted_from: null,
  });
  expect(await ask({ rule_ids: [rule_id, other.rule_id] })).toMatchObject({ matches: 4, wakes: [{ matches: 3 }] });
  expect(await ask({ rule_ids: [rule_id, rule_id] })).toEqual(await ask({}));
  expect(await ask({ to: began })).toMatchObject({ matches: 0, wakes: [], held: 0, digests: [] });
  expect(await ask({ wake: { min_relevance: 0.5 } })).toMatchObject({ matches: 3, wake_count: 0, held: 3 });
  expect(await ask({ wake: { min_relevance: 0.4 } })).toMatchObject({ matches: 3, wake_count: 2, held: 0 });
  await expect(ask({ wake: { quiet: { ...quiet, zone: 'Mars' } } })).rejects.toMatchObject({
    code: 'invalid_argument',
  });
  const bob = await test.caller('bob');
  await expect(test.call(bob, 'rehearseWake', { rule_ids: [rule_id], wake: {} })).rejects.toMatchObject({
    code: 'not_found',
  });
});
