import { describe, expect, it } from 'vitest';
import type { Diagnostic, Fix } from './diagnostic.ts';
import { applyFix, describeFix, type FixReader, keepProvenFixes } from './fix.ts';
import { languages } from './languages.ts';
import { suggestionFor, suggestionsFor } from './suggest.ts';

const { x, firehose } = languages();

/** The x language, with a remark of our own on the first word of a rule, and the fixes to be judged. */
function judged(text: string, fixes: readonly Fix[], severity: Diagnostic['severity'] = 'warning'): readonly Fix[] {
  let reads = 0;
  const remark = { code: 'test', severity, span: { start: 0, end: text.length }, message: '' };
  const reader: FixReader = {
    read: (one) => {
      reads++;
      return x.parse(one);
    },
    clause: (one) => x.parse(one).query,
    field: 'text',
  };
  const [first] = keepProvenFixes(text, [{ ...remark, fixes }, ...x.parse(text).diagnostics], reader);
  expect(reads).toBeLessThanOrEqual(64);
  return first!.fixes ?? [];
}

describe('a fix is offered', () => {
  const whole = (text: string, to: string, more: Partial<Fix> = {}): Fix => ({
    span: { start: 0, end: text.length },
    text: to,
    ...more,
  });

  it('when it means what it states', () => {
    const fix = whole('cat dog', 'cat OR dog', { intent: { any: [{ clause: 'cat' }, { clause: 'dog' }] } });
    expect(judged('cat dog', [fix])).toMatchObject([fix]);
  });

  it('with what the rule then means, said as what it finds', () => {
    const meanings = (text: string) =>
      x.parse(text).diagnostics.flatMap(({ fixes = [] }) => fixes.map(({ meaning }) => meaning));
    expect(meanings('lava has:link')).toEqual(['posts with has:links']);
    expect(meanings('lava -is:rt')).toEqual(['posts without is:retweet']);
    expect(meanings('lava since:2026-01-01')[0]).toBe('the rule without since:2026-01-01');
    expect(meanings('lava (ash OR magma')).toEqual(['the rule with ) where it is missing']);
  });

  it('and not when it means something else than it states', () => {
    const fix = whole('cat dog', 'cat OR dog', { intent: { all: [{ clause: 'cat' }, { clause: 'dog' }] } });
    expect(judged('cat dog', [fix])).toEqual([]);
    expect(
      judged('cat dog', [
        whole('cat dog', 'cat dog', { intent: { all: [{ clause: 'cat' }, { not: { clause: 'dog' } }] } }),
      ]),
    ).toEqual([]);
  });

  it('and not when it binds to its neighbours in another way than alone', () => {
    const fix: Fix = { span: { start: 4, end: 7 }, text: 'dog OR bird' };
    expect(judged('cat dog', [fix])).toEqual([]);
    expect(judged('cat dog', [{ ...fix, text: '(dog OR bird)' }])).toHaveLength(1);
  });

  it('and not when it glues two words together', () => {
    expect(judged('cat dog', [{ span: { start: 3, end: 4 }, text: '' }])).toEqual([]);
  });

  it('and not when the rule would have an error', () => {
    expect(judged('cat dog', [whole('cat dog', 'cat AND dog')])).toEqual([]);
  });

  it('and not when the rule would have a warning that it had not', () => {
    expect(judged('cat dog', [whole('cat dog', 'cat OR dog lang:en')])).toEqual([]);
  });

  it('and not when the rule would match nothing, or everything', () => {
    expect(judged('cat dog', [whole('cat dog', '#2024')])).toEqual([]);
    expect(judged('cat dog', [whole('cat dog', 'min_followers:0')])).toEqual([]);
    expect(judged('cat -cat dog', [whole('cat -cat dog', 'cat -cat')])).toEqual([]);
  });

  it('and not when it changes a rule that it promises to keep', () => {
    expect(judged('cat cat', [whole('cat cat', 'cat', { intent: 'same' })])).toHaveLength(1);
    expect(judged('cat dog', [whole('cat dog', 'cat', { intent: 'same' })])).toEqual([]);
  });

  it('in its place, whatever else is wrong with the rule', () => {
    const text = 'cat AND from:@nasa';
    const [, value] = x.parse(text).diagnostics;
    expect(value?.fixes?.map((fix) => fix.text)).toEqual(['from:nasa']);
    expect(suggestionFor(text, x.parse)).toBe('cat from:nasa');
  });
});

describe('the cost of proofs', () => {
  it('is a bounded number of readings, however many diagnostics there are', () => {
    for (const count of [100, 200, 400]) {
      let reads = 0;
      const text = 'rock-n-roll '.repeat(count).trim();
      const { diagnostics } = x.parse(text);
      const reader: FixReader = {
        read: (one) => {
          reads++;
          return x.parse(one);
        },
        clause: () => undefined,
        field: 'text',
      };
      const withFixes = diagnostics.map((one) => ({ ...one, fixes: [{ span: one.span, text: 'x' }] }));
      keepProvenFixes(text, withFixes, reader);
      expect(reads * text.length).toBeLessThan(100_000);
    }
  });
});

describe('the proofs of one text', () => {
  const slips = (length: number) => `titel:p titel:q titel:r titel:s titel:u titel:v ${'x'.repeat(length)}`;
  const proofs = (text: string, left: number, warnings = true, errorAt = -1) => {
    let read = 0;
    const unmended = (one: string) => firehose.parse(one, { left: 0, warnings: false });
    const reader: FixReader = {
      read(one) {
        read += one.length;
        return unmended(one);
      },
      clause(one) {
        read += one.length;
        return unmended(one).query;
      },
      field: 'added',
    };
    const offered = [...text.matchAll(/titel/g)].map(({ index }): Diagnostic => {
      const span = { start: index, end: index + 5 };
      const severity = index === errorAt ? 'error' : 'warning';
      return { code: 'unknown-field', severity, span, message: '', fixes: [{ span, text: 'title' }] };
    });
    const kept = keepProvenFixes(text, offered, reader, { left, warnings });
    const provenAt = kept.filter(({ fixes }) => fixes !== undefined).map(({ span }) => span.start);
    return { read, provenAt, proven: provenAt.length };
  };

  it('read no more characters than they may, and what is not read is not proven', () => {
    for (const length of [100, 400, 1600, 6400]) expect(proofs(slips(length), 8_192).read).toBeLessThanOrEqual(8_192);
    const [few, many] = [proofs(slips(40), 600).proven, proofs(slips(40), 8_192).proven];
    expect(few).toBeGreaterThan(0);
    expect(many).toBeGreaterThan(few);
    expect(proofs(slips(6400), 8_192).proven).toBe(0);
  });

  it('come to errors before warnings, and leave warnings alone where they are not asked for', () => {
    const text = 'titel:cat titel:dog';
    expect(proofs(text, 8_192, true, 10).provenAt).toEqual([0, 10]);
    expect(proofs(text, 60, true, 10).provenAt).toEqual([10]);
    expect(proofs(text, 8_192, false, 10).provenAt).toEqual([10]);
  });
});

describe('a fix never puts syntax into quotes', () => {
  it.each(['storm likes>100', 'lava foo:bar', 'lava a[b]c', 'lava x%y%z', 'lava a;b=c', 'lava |x|'])('%s', (text) => {
    for (const language of [x, firehose]) {
      const offered = language
        .parse(text)
        .diagnostics.flatMap(({ fixes = [] }) => fixes.map((fix) => applyFix(text, fix)));
      expect(offered.filter((one) => /"[^"]*[=<>%[\]&;|:][^"]*"/.test(one))).toEqual([]);
    }
  });

  it('but words that people say with a sign', () => {
    expect(suggestionsFor('AT&T outage', x.parse('AT&T outage').diagnostics[0]!, x.parse)[0]?.value).toBe(
      '"AT&T" outage',
    );
  });
});

describe('a suggestion', () => {
  it('never asks for what was to be excluded', () => {
    expect(suggestionFor('cat AND NOT dog', x.parse)).toBe('cat -dog');
    expect(suggestionFor('cat -OR dog', x.parse)).toBeUndefined();
  });

  it('comes with what it means, several where several meanings are likely', () => {
    const suggestions = (text: string) => suggestionsFor(text, x.parse(text).diagnostics[0]!, x.parse);
    expect(suggestions('cat | dog')).toEqual([
      { value: 'cat OR dog', meaning: 'posts with cat or dog' },
      { value: 'cat dog', meaning: 'posts with cat and dog' },
    ]);
    expect(suggestions('$BTC-USD').map(({ value }) => value)).toEqual(['$BTC', '"BTC-USD"']);
    const [mixed] = firehose.parse('tesla OR ford AND recall').diagnostics;
    expect(suggestionsFor('tesla OR ford AND recall', mixed!, firehose.parse).map(({ value }) => value)).toEqual([
      'tesla OR (ford AND recall)',
      '(tesla OR ford) AND recall',
    ]);
  });

  it('says in words what it changes where it does not say what it means', () => {
    expect(describeFix('cat,', { span: { start: 3, end: 4 }, text: '' })).toBe('without ,');
    expect(describeFix('(cat', { span: { start: 4, end: 4 }, text: ')' })).toBe('with ) added');
    expect(describeFix('kat', { span: { start: 0, end: 3 }, text: 'cat' })).toBe('cat instead of kat');
  });
});
