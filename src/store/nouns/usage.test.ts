import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from '../rows/texts.ts';
import { gapOwners, newestGaps } from './coverage.ts';
import { textFilter } from './matches.ts';
import { storedSince, wantsOf } from './owed.ts';
import { agreementSums, usageSums } from './usage.ts';

const rule = (number: number, account: number) => ({ number, account });

describe('what is counted of a commit', () => {
  it('is a read for each rule and one for the account, however many of its rules caught the post', () => {
    const sums = usageSums([
      [
        { rule: rule(1, 7), verdict: 'agreed' },
        { rule: rule(2, 7), verdict: undefined },
        { rule: rule(3, 8), verdict: undefined },
      ],
      [{ rule: rule(1, 7), verdict: 'agreed' }],
    ]);
    expect(Object.fromEntries(sums)).toEqual({
      1: { owner: 7, reads: 2, matches: 2 },
      2: { owner: 7, reads: 1, matches: 1 },
      3: { owner: 8, reads: 1, matches: 1 },
      '-7': { owner: null, reads: 2, matches: 3 },
      '-8': { owner: null, reads: 1, matches: 1 },
    });
  });

  it('is how often upstream and engine agreed on a rule', () => {
    const matches = (['agreed', 'agreed', 'upstream_only', undefined] as const).map((verdict) => ({
      rule: rule(1, 7),
      verdict,
    }));
    expect(Object.fromEntries(agreementSums(matches, [1, 2, 2]))).toEqual({
      1: { agreed: 2, upstream_only: 1, engine_only: 1 },
      2: { agreed: 0, upstream_only: 0, engine_only: 2 },
    });
  });
});

describe('what a webhook wants', () => {
  it('is everything, or what is of some rules, some platforms and some sources', () => {
    const wants = (
      rules: string[] | null,
      platforms: string[] | null,
      platform: 'x' | 'firehose',
      sources: string[] | null = null,
    ) => {
      const wanted = wantsOf(
        {
          number: 1,
          rule_ids: rules && JSON.stringify(rules),
          platforms: platforms && JSON.stringify(platforms),
          sources: sources && JSON.stringify(sources),
          events: null,
        },
        platform,
      );
      return ['r1', 'r2'].filter((id) => wanted(id, id === 'r1' ? 'source_1' : null));
    };
    expect(wants(null, null, 'x')).toEqual(['r1', 'r2']);
    expect(wants(['r2'], null, 'x')).toEqual(['r2']);
    expect(wants(null, ['firehose'], 'x')).toEqual([]);
    expect(wants(['r1'], ['firehose'], 'firehose')).toEqual(['r1']);
    expect(wants(null, null, 'x', ['source_1'])).toEqual(['r1']);
    expect(wants(['r2'], null, 'x', ['source_1'])).toEqual([]);
  });

  it('of the past begins with the very millisecond that was asked for', () => {
    const { after } = storedSince(new Date('2026-11-15T08:30:00.000Z'))[0]!;
    const { after: before } = storedSince(new Date('2026-11-15T08:29:59.999Z'))[0]!;
    expect(after - before).toBe(4096);
    expect((after + 1) % 4096).toBe(0);
  });
});

describe('gaps', () => {
  it('that concern a caller are those of everybody, of its account and of the rule it asks about', () => {
    const everybody = { owner: '', rule: '' };
    expect(gapOwners({ platform: 'x', limit: 1 })).toEqual([everybody]);
    expect(gapOwners({ platform: 'x', limit: 1, accountId: 'a' })).toEqual([
      everybody,
      { owner: 'a', rule: undefined },
    ]);
    expect(gapOwners({ platform: 'x', limit: 1, accountId: 'a', ruleId: 'r' })).toEqual([
      everybody,
      { owner: 'a', rule: '' },
      { owner: 'a', rule: 'r' },
    ]);
    expect(gapOwners({ platform: 'x', limit: 1, accountId: 'a', ruleIds: ['r', 's'] })).toEqual([
      everybody,
      { owner: 'a', rule: '' },
      { owner: 'a', rule: 'r' },
      { owner: 'a', rule: 's' },
    ]);
  });

  it('are shown newest first, the newest when there are too many', () => {
    const gap = (time: number) =>
      ({ platform: 'x', from: new Date(time), to: undefined, cause: '', recovered: false }) as const;
    expect(newestGaps([gap(1), gap(3), gap(2)], 2).map(({ from }) => from.getTime())).toEqual([3, 2]);
  });
});

describe('texts', () => {
  it.each(['', 'plain', 'a "quote" \\', '\u0000\ud800', 'é\n'])('%j comes back as it was', (text) => {
    expect(decodeText(encodeText(text))).toBe(text);
  });

  it('are found in what people wrote, at any depth and in any case, and nowhere else', () => {
    const payload = JSON.stringify({
      data: { text: 'Straße', lang: 'lava' },
      includes: [{ title: 'ΟΔΟΣ' }],
      id: 'lava',
    });
    const finds = (wanted: string) => textFilter(wanted)(payload, 'x');
    expect([finds('STRASSE'), finds('οδος'), finds('stra')]).toEqual([true, true, true]);
    expect([finds('lava'), finds('text')]).toEqual([false, false]);
  });

  it.each([
    ['l\\u0061va', 'lava'],
    ['a\\/b', 'a/b'],
    ['say \\"ash\\"', '"ash"'],
    ['one\\ntwo', 'one\ntwo'],
  ])('are found however JSON writes them: %s', (written, wanted) => {
    expect(textFilter(wanted)(`{"text":"${written}"}`, 'x')).toBe(true);
  });

  it.each(['&', 'at&t', '<b> > &lt;', 'say "&'])('are found as people read what X writes: %s', (wanted) => {
    const text = 'AT&amp;T &lt;b&gt; &gt; &amp;lt; say "&amp;"';
    expect(textFilter(wanted)(JSON.stringify({ data: { text } }), 'x')).toBe(true);
  });

  it.each(['amp', 'lt;b', 'T&amp;T'])('are not found in how X writes them: %s', (wanted) => {
    expect(textFilter(wanted)(JSON.stringify({ data: { text: 'AT&amp;T &lt;b' } }), 'x')).toBe(false);
    expect(textFilter(wanted)(JSON.stringify({ added: 'AT&amp;T &lt;b' }), 'firehose')).toBe(true);
  });
});
