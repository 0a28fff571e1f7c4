import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerOf, openService, type TestService } from '../../../test/stages/service.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { holds } from '../../engine/scan.ts';
import { languages } from '../../rules/languages.ts';

const both = languages({ local: true });

const post = (text: string, at: number): Payload => ({ data: { id: String(at), text } });
const page = (text: string, at: number): Payload => ({ id: String(at), title: text, added: text });
const eventOf = { x: post, firehose: page };

/** How many of the events the rule matches, by the plain scan. */
function recount(platform: Platform, value: string, events: readonly Payload[]): number {
  const query = both[platform].queryOf(value)!;
  return events.filter((event) => {
    const view = newAnalyzer(platform)(event);
    return !isRejection(view) && holds(query, view, 0);
  }).length;
}

/** The words and signs of a rule in any order. */
const parts = (value: string): string[] =>
  value
    .split(/ (?:OR |AND )?|[()]/)
    .filter((part) => part !== '')
    .toSorted();

const outages = Array.from({ length: 12 }, (_, at) => `Northline outage ${at} in ${['oslo', 'rome', 'bonn'][at % 3]}`);
const jobs = Array.from({ length: 12 }, (_, at) => `Northline hiring engineers for team ${at}`);

async function draft(test: TestService, platform: Platform, wanted: readonly string[], unwanted: readonly string[]) {
  const alice = await test.caller('alice');
  const examples = { wanted: wanted.map(eventOf[platform]), unwanted: unwanted.map(eventOf[platform]) };
  const answer = await test.call(alice, 'draftRule', { platform, ...examples });
  return { answer, examples };
}

function expectTrue(
  platform: Platform,
  { value, fit, alternatives }: AnswerOf<'draftRule'>,
  { wanted, unwanted }: { wanted: readonly Payload[]; unwanted: readonly Payload[] },
): void {
  for (const one of [{ value, fit }, ...alternatives]) {
    expect(both[platform].parse(one.value).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(one.fit).toEqual({
      wanted: wanted.length,
      wanted_matched: recount(platform, one.value, wanted),
      unwanted: unwanted.length,
      unwanted_matched: recount(platform, one.value, unwanted),
    });
  }
}

describe('draft rule', () => {
  it.each(['x', 'firehose'] as const)('finds the word that parts the examples, on %s', async (platform) => {
    await using test = await openService();
    const { answer, examples } = await draft(test, platform, outages, jobs);
    expect(answer.value).toBe('outage');
    expect(answer.fit).toEqual({ wanted: 12, wanted_matched: 12, unwanted: 12, unwanted_matched: 0 });
    expectTrue(platform, answer, examples);
  });

  it.each([
    [
      'Japanese',
      '地震',
      ['大きな地震が発生しました', '今朝の地震はすごかった', '東京で地震、電車が止まる'],
      ['電車が遅れています', '大きな犬が来た', '今朝はすごかった'],
    ],
    [
      'Chinese',
      '地震',
      ['今天早上发生了地震', '四川地震救援正在进行', '昨晚的地震很强烈'],
      ['今天早上吃了面条', '四川火锅真好吃', '昨晚的电影很好看'],
    ],
    [
      'Thai',
      'แผ่นดินไหว',
      ['เกิดแผ่นดินไหวใหญ่เมื่อเช้า', 'แผ่นดินไหวทำให้ตึกสั่น', 'แผ่นดินไหวอีกแล้ว'],
      ['เมื่อเช้ากินข้าวต้ม', 'ตึกใหม่สวยมาก', 'ฝนตกอีกแล้ว'],
    ],
  ])('finds a word, and not a sentence, in %s', async (_, word, wanted, unwanted) => {
    await using test = await openService();
    const { answer, examples } = await draft(test, 'x', wanted, unwanted);
    expect(answer.value).toBe(word);
    expectTrue('x', answer, examples);
  });

  it('excludes what several unwanted events have and no wanted one, where no word parts them', async () => {
    await using test = await openService();
    const wanted = Array.from({ length: 12 }, (_, at) => `northline word${at}`);
    const { answer, examples } = await draft(test, 'x', wanted, jobs);
    expect(answer.value).toMatch(/^northline -/);
    expect(answer.fit).toMatchObject({ wanted_matched: 12, unwanted_matched: 0 });
    expectTrue('x', answer, examples);
  });

  it('joins two words where either alone is in what is unwanted', async () => {
    await using test = await openService();
    const wanted = Array.from({ length: 12 }, (_, at) => `bridge ${at} and then a collapse`);
    const unwanted = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0 ? `bridge ${at} opens` : `${at} collapse of talks`,
    );
    const { answer } = await draft(test, 'x', wanted, unwanted);
    expect(answer.fit).toMatchObject({ wanted_matched: 12, unwanted_matched: 0 });
    expect(answer.value).toBe('bridge collapse');
  });

  it('prefers a word that several wanted events share to rare ones', async () => {
    await using test = await openService();
    const { answer } = await draft(test, 'x', [...outages, 'something else entirely'], jobs);
    expect(answer.value).toBe('outage');
  });

  it('starts over from the rated matches of a rule', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const rule = { name: 'N', intent: '', platforms: ['x'], overrides: { x: 'northline' } };
    const { rule_id } = await test.call(alice, 'createRule', rule);
    await expect(test.call(alice, 'draftRule', { rule_id })).rejects.toMatchObject({ code: 'failed_precondition' });
    await test.post(alice, ...outages, ...jobs);
    for (const { id, payload } of (await test.call(alice, 'listMatches', { limit: 100 })).matches) {
      const rating = JSON.stringify(payload).includes('outage') ? 'relevant' : 'irrelevant';
      await test.call(alice, 'rateMatch', { match_id: id, rating });
    }
    expect(await test.call(alice, 'draftRule', { rule_id })).toMatchObject({ platform: 'x', value: 'outage' });
  });

  it.each([
    ['x', 'Tell me when a volcano erupts', '(volcano OR volcanoes) (erupt OR erupts OR eruption OR erupting)'],
    ['x', 'Complaints about Acme refunds, not jobs', 'acme (complaint OR complaints OR refund OR refunds) -job -jobs'],
    ['x', 'posts in French on "open source"', '"open source" lang:fr'],
    ['x', 'People with no internet in Leeds', 'leeds (internet OR internets)'],
    ['x', '火山の噴火を知りたい', '噴火 火山'],
    [
      'firehose',
      'Outages of Northline',
      '(northline OR title:northline) AND (outage OR outages OR title:outage OR title:outages)',
    ],
  ] as const)('writes a rule for %s from the sentence: %s', async (platform, intent, value) => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const seen = ['The volcano is erupting', 'An eruption of the volcano', 'Eruption over', 'internet is down'];
    await test.post(alice, ...seen);
    const answer = await test.call(alice, 'draftRule', { platform, intent });
    expect(parts(answer.value)).toEqual(parts(value));
    expect(answer).toMatchObject({ platform, fit: { wanted: 0, unwanted: 0 } });
    for (const one of [answer, ...answer.alternatives])
      expect(both[platform].parse(one.value).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('makes the rule of a sentence wider and narrower by examples, and never by a word that the sentence names', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const cake = 'A volcano that erupts: our chocolate cake recipe';
    const real = ['The volcano erupts in Iceland', 'Etna, a volcano, erupts again in Italy'];
    await test.post(alice, cake, ...real, 'a chocolate volcano erupts over Hawaii');
    const sentence = { platform: 'x', intent: 'Tell me when a volcano erupts' };
    const wanted = real.map(post);
    const narrowed = await test.call(alice, 'draftRule', { ...sentence, wanted, unwanted: [post(cake, 9)] });
    // "chocolate" would take a further event.
    expect(narrowed.value).toMatch(/^\(volcano OR volcanoes\) .* -(cake|recipe)$/);
    expect(narrowed.fit).toEqual({ wanted: 2, wanted_matched: 2, unwanted: 1, unwanted_matched: 0 });

    const lava = post('Lava reaches the town', 10);
    const widened = await test.call(alice, 'draftRule', { ...sentence, wanted: [...wanted, lava] });
    expect(widened.value).toContain('(volcano OR volcanoes)');
    expect(recount('x', widened.value, [...wanted, lava])).toBe(3);

    const alone = await test.call(alice, 'draftRule', { ...sentence, unwanted: [post('volcano erupts', 11)] });
    expect(alone.value).not.toMatch(/-/);
  });

  it('leaves out a form that many events would have if it were used', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await test.post(alice, ...Array.from({ length: 50 }, (_, at) => `internet ${at}`));
    const { value } = await test.call(alice, 'draftRule', { platform: 'x', intent: 'internet' });
    expect(value).toBe('internet');
  });

  it('says so when a sentence names nothing', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const nothing = test.call(alice, 'draftRule', { platform: 'x', intent: 'tell me' });
    await expect(nothing).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('Name what'),
    });
  });

  it('refuses what is no event by its place, too many examples, and a rule beside examples', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const refused = (input: object) =>
      test.call(alice, 'draftRule', input).then(
        () => 'accepted',
        ({ details }: { details: { issues: { path: string }[] } }) => details.issues.map(({ path }) => path),
      );
    const one = post('lava', 1);
    expect(await refused({ platform: 'x', wanted: [one, { nothing: 1 }] })).toEqual(['wanted.1']);
    expect(await refused({ platform: 'x', wanted: Array.from({ length: 501 }, () => one) })).toEqual(['wanted']);
    const broken = Array.from({ length: 101 }, () => ({ nothing: 1 }));
    expect(await refused({ platform: 'x', wanted: broken })).toEqual(
      Array.from({ length: 100 }, (_, at) => `wanted.${at}`),
    );
    expect(await refused({ platform: 'x', wanted: [one], unwanted: [one, broken[0], broken[1]] })).toEqual([
      'unwanted.1',
      'unwanted.2',
    ]);
    expect(await refused({ wanted: [one] })).toEqual(['platform']);
    expect(await refused({ platform: 'x' })).toEqual(['wanted']);
    expect(await refused({ rule_id: 'rule_1', wanted: [one] })).toEqual(['rule_id']);
    const noWord = test.call(alice, 'draftRule', { platform: 'x', wanted: [post('?!', 1)] });
    await expect(noWord).rejects.toMatchObject({ code: 'failed_precondition' });
  });

  it('answers valid rules whose fit is a recount, on any examples', async () => {
    await using test = await openService();
    const word = fc.constantFrom(
      'lava',
      '#ash',
      '@usgs',
      "don't",
      'the',
      'or',
      'storm_1',
      'éa',
      '熔岩',
      'NOT',
      '"x"',
      '-a',
      'rain',
    );
    const texts = fc.array(
      fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
      { maxLength: 8 },
    );
    const some = texts.filter((one) => one.length > 0);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('x' as const, 'firehose' as const),
        some,
        texts,
        async (platform, wanted, unwanted) => {
          const drafted = await draft(test, platform, wanted, unwanted).catch(({ code }: { code: string }) => code);
          if (typeof drafted !== 'string') return expectTrue(platform, drafted.answer, drafted.examples);
          expect(drafted).toBe('failed_precondition');
        },
      ),
      { numRuns: 60 },
    );
  });
});
