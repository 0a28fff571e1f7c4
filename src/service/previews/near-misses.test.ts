import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { systemClock } from '../../base/clock.ts';
import { languages } from '../../rules/languages.ts';
import { EVERYTHING } from '../../rules/query.ts';
import type { RecentEvent } from '../../store/store.ts';
import { missesOnRecent } from './misses-on-recent.ts';

async function stage() {
  // A walk ends after some seconds: no time passes in these.
  const test = await openService({ clock: { ...systemClock, elapsed: () => 0 } });
  return Object.assign(test, { alice: await test.caller('alice') });
}

describe('near misses', () => {
  it('count for each clause the events that fail by it alone, with samples', async () => {
    await using test = await stage();
    await test.post(test.alice, 'storm rain', 'storm snow', 'storm snow lamp', 'storm rain lamp', 'calm rain', 'calm');
    const answer = await test.call(test.alice, 'nearMisses', { platform: 'x', value: ' storm rain -lamp', limit: 1 });
    expect(answer).toMatchObject({
      platform: 'x',
      value: 'storm rain -lamp',
      basis: { events: 6, span: { from: expect.any(String), to: expect.any(String) }, of: 'whole_stream' },
      matched: 1,
    });
    expect(
      answer.clauses.map(({ text, span, missed, samples }) => [
        text,
        span.start,
        span.end,
        missed,
        samples.map(({ payload }) => (payload['data'] as { text: string }).text),
      ]),
    ).toEqual([
      ['storm', 0, 5, 1, ['calm rain']],
      ['rain', 6, 10, 1, ['storm snow']],
      ['-lamp', 11, 16, 1, ['storm rain lamp']],
    ]);
    expect(answer.clauses[1]?.samples[0]?.highlights).toEqual([{ field: 'data.text', start: 0, end: 5 }]);
  });

  it('are shown as long as the samples of all clauses have about a megabyte together', async () => {
    await using test = await stage();
    const long = (word: string) => `${word} ${'so '.repeat(8_000)}`;
    const words = Array.from({ length: 20 }, (_, at) => `w${at}`);
    for (const missing of words)
      await test.post(test.alice, ...Array(10).fill(long(words.filter((word) => word !== missing).join(' '))));
    const answer = await test.call(test.alice, 'nearMisses', { platform: 'x', value: words.join(' '), limit: 10 });
    expect(answer.clauses.map(({ missed }) => missed)).toEqual(Array(20).fill(10));
    // The newest events are those of the last clauses.
    expect(answer.clauses.map(({ samples }) => samples.length)).toEqual([...Array(15).fill(0), 4, 10, 10, 10, 10]);
  });

  it('are found for a stored rule, on the platform that is asked for where it is on both', async () => {
    await using test = await stage();
    const made = await test.call(test.alice, 'createRule', {
      name: 'n',
      intent: 'i',
      platforms: ['x', 'firehose'],
      overrides: { x: 'storm rain', firehose: 'storm' },
    });
    await test.post(test.alice, 'storm');
    const ask = (input: object) => test.call(test.alice, 'nearMisses', { rule_id: made.rule_id, ...input });
    await expect(ask({})).rejects.toMatchObject({ code: 'invalid_argument' });
    expect((await ask({ platform: 'x' })).clauses.map(({ missed }) => missed)).toEqual([0, 1]);
    expect(await ask({ platform: 'firehose' })).toMatchObject({ basis: { events: 0, span: null }, matched: 0 });
    const bob = await test.caller('bob');
    const stolen = test.call(bob, 'nearMisses', { rule_id: made.rule_id, platform: 'x' });
    await expect(stolen).rejects.toMatchObject({ code: 'not_found' });
  });

  it('heed the flags of firehose, which are no clause of the text', async () => {
    await using test = await stage();
    const page = { id: '1', url: 'https://a.example/', title: 'storm', page_category: ['/Adult'] };
    await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    const missed = async (nsfw: boolean) => {
      const input = { platform: 'firehose', value: 'title:storm AND title:rain', options: { firehose: { nsfw } } };
      return (await test.call(test.alice, 'nearMisses', input)).clauses.map((clause) => clause.missed);
    };
    expect([await missed(true), await missed(false)]).toEqual([
      [0, 1],
      [0, 0],
    ]);
  });

  it('refuse a request that names no rule, two, or one that is not valid', async () => {
    await using test = await stage();
    const wrong = [{}, { value: 'a' }, { platform: 'x', value: '(' }, { rule_id: 'rule_1', platform: 'x', value: 'a' }];
    for (const input of wrong) {
      await expect(test.call(test.alice, 'nearMisses', input)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it.each([
    [{}, 'rule_id', 'Give either'],
    [{ platform: 'x' }, 'rule_id', 'Give either'],
    [{ rule_id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b', value: 'storm' }, 'rule_id', 'Give either'],
    [{ value: 'storm' }, 'platform', 'It is required'],
    [{ value: '(storm', platform: 'x' }, 'value', ''],
    [{ value: 'title:(storm', platform: 'firehose' }, 'value', ''],
    [{ value: 'storm', platform: 'x', limit: 11 }, 'limit', ''],
    [{ value: 'storm', platform: 'x', limit: -1 }, 'limit', ''],
    [{ value: 'storm', platform: 'y' }, 'platform', ''],
  ])('refuse %j, and name `%s`', async (input, path, message) => {
    await using test = await stage();
    await expect(test.call(test.alice, 'nearMisses', input)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path, message: expect.stringContaining(message) }] },
    });
  });

  it('of exactly 32 clauses leave none out', async () => {
    await using test = await stage();
    const value = Array.from({ length: 32 }, (_, at) => `w${at}`).join(' ');
    const answer = await test.call(test.alice, 'nearMisses', { platform: 'x', value });
    expect(answer.clauses).toHaveLength(32);
    expect(answer).not.toHaveProperty('clauses_left_out');
  });

  it('list the clauses that kept the most events out, and say how many more there are', async () => {
    await using test = await stage();
    const words = Array.from({ length: 40 }, (_, at) => `w${at}`);
    await test.post(test.alice, words.filter((word) => word !== 'w39').join(' '));
    const { clauses, clauses_left_out } = await test.call(test.alice, 'nearMisses', {
      platform: 'x',
      value: words.join(' '),
    });
    expect(clauses).toHaveLength(32);
    expect(clauses.at(-1)).toMatchObject({ text: 'w39', missed: 1 });
    expect(clauses_left_out).toBe(8);
  });

  it('take their turn with the previews of the account', async () => {
    await using test = await stage();
    await test.post(test.alice, 'storm');
    const preview = () => test.call(test.alice, 'previewRule', { platforms: ['x'], overrides: { x: 'storm' } });
    const asked = Array.from({ length: 5 }, preview);
    const refused = test.call(test.alice, 'nearMisses', { platform: 'x', value: 'storm' });
    await expect(refused).rejects.toMatchObject({ code: 'resource_exhausted', retryAfter: 5 });
    await Promise.all(asked);
  });

  it('hold a bounded number of samples, however many clauses there are', async () => {
    const words = Array.from({ length: 150 }, (_, at) => `w${at}`);
    const texts = words.map((left) => words.filter((word) => word !== left).join(' '));
    const events = texts.map(
      (text, at): RecentEvent => ({
        event: { platform: 'x', accountId: 'a', postId: String(at), payload: { data: { id: String(at), text } } },
        at: new Date(0),
      }),
    );
    const clauses = languages().x.clauses(words.join(' '));
    const recent = (async function* () {
      yield events;
    })();
    const trial = { platform: 'x', clauses, also: EVERYTHING, limit: 10 } as const;
    const missed = await missesOnRecent(recent, trial, { clock: { elapsed: () => 0 }, checkpoint: () => {} });
    expect(missed.clauses.every((clause) => clause.missed === 1)).toBe(true);
    expect(missed.clauses.flatMap(({ samples }) => samples)).toHaveLength(100);
  });
});
