import { describe, expect, it } from 'vitest';
import { newMending } from '../../rules/fix.ts';
import type { Language } from '../../rules/language.ts';
import { languages } from '../../rules/languages.ts';
import { problemsOfText, remarksOn } from './rule-problems.ts';

const { x, firehose } = languages();

/** The language, counting the characters that it reads, those of proofs included. */
function counting(language: Language): { language: Language; read: () => number } {
  let read = 0;
  const parse: Language['parse'] = (text, mending = newMending()) => {
    const before = mending.left;
    const parsed = language.parse(text, mending);
    read += text.length + before - mending.left;
    return parsed;
  };
  return { language: { ...language, parse }, read: () => read };
}

const repeated = (length: number, part: (index: number) => string) => {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text.slice(0, length);
};

const HOSTILE: Readonly<Record<string, (length: number) => string>> = {
  'lower-case or': (length) => repeated(length, (index) => `w${index} or `),
  'lower-case and': (length) => repeated(length, () => 'cat and '),
  'slips before a long list': (length) =>
    `${'cat or dog NOT fox '.repeat(6)}${repeated(length - 114, (index) => `w${index} OR `)}`,
  'unknown fields before a long list': (length) =>
    `${'titel:cat lang:english '.repeat(8)}${repeated(length - 184, (index) => `w${index} `)}`,
  'a clause said again and again': (length) => repeated(length, () => 'cat OR '),
  'mixed operators': (length) => repeated(length, (index) => `w${index} ${index % 2 === 0 ? 'OR' : 'AND'} `),
  pairs: (length) => repeated(length, (index) => `(w${index} OR v${index}) `),
  parentheses: (length) => `${'('.repeat(length / 2 - 2)}cat${')'.repeat(length / 2 - 1)}`,
  quotes: (length) => repeated(length, (index) => `"w${index} `),
  patterns: (length) => repeated(length, () => '/a/ '),
};

describe('remarks on a text', () => {
  it('carry their fixes as whole texts with what they mean, warnings too', () => {
    expect(remarksOn(firehose, 'value', 'tesla OR ford AND recall')).toMatchObject([
      {
        path: 'value',
        code: 'mixed-operators',
        severity: 'warning',
        suggestion: 'tesla OR (ford AND recall)',
        fixes: [
          { value: 'tesla OR (ford AND recall)', meaning: 'pages with tesla or (ford and recall)' },
          { value: '(tesla OR ford) AND recall', meaning: 'pages with (tesla or ford) and recall' },
        ],
      },
    ]);
  });

  it('that are errors are looked for only in a text that has some', () => {
    const { language, read } = counting(x);
    const context = { languages: { x: language, firehose } };
    expect(problemsOfText(context, 'value', 'x', 'cat OR cat')).toEqual([]);
    expect(read()).toBe(0);
    expect(problemsOfText(context, 'value', 'x', 'cat AND from:@nasa').length).toBeGreaterThan(0);
    expect(read()).toBeGreaterThan(0);
  });

  it('suggest for each error the text with all of them mended', () => {
    const remarks = remarksOn(x, 'value', 'cat AND from:@nasa');
    expect(remarks.map(({ code, suggestion }) => [code, suggestion])).toEqual([
      ['explicit-and', 'cat from:nasa'],
      ['bad-value-start', 'cat from:nasa'],
    ]);
  });

  it('begin with what is wrong and what to do, and keep the words of X', () => {
    const [remark] = remarksOn(x, 'value', 'cat or dog');
    expect(remark?.message).toBe(
      'Write OR in capitals to join alternatives, or quote "or" to look for the word. X says: Ambiguous use of or as a keyword. Use OR to logically join two clauses, or "or" to find occurrences of or in text (at position 5)',
    );
  });

  describe.each(Object.entries(HOSTILE))('%s', (_, make) => {
    it.each([x, firehose])('cost a bounded number of characters read, however long the text, in $name', (plain) => {
      for (const length of [512, 1024, 2048, 4096, 8192]) {
        const { language, read } = counting(plain);
        remarksOn(language, 'value', make(length));
        expect(read() - length).toBeLessThanOrEqual(16_384);
      }
    });
  });

  it('mend every error of a rule of ordinary length', () => {
    const slips = ['titel:tesla', 'titel:ford', 'titel:fiat', 'titel:volvo'];
    const remarks = remarksOn(firehose, 'value', `recall AND (${slips.join(' OR ')}) AND ${repeated(200, () => 'x')}`);
    expect(remarks.map(({ fixes }) => fixes?.[0]?.value.includes('title:'))).toEqual(slips.map(() => true));
  });

  it('count their places in UTF-16 units and in code points, blanks before the rule included', () => {
    const [remark] = remarksOn(x, 'value', '  🌋 🌋🌋 AND lava');
    expect(remark?.position).toEqual({ start: 10, end: 13, start_code_point: 7, end_code_point: 10 });
  });
});
