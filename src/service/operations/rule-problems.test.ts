import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { remarksOn } from './rule-problems.ts';

const { x, firehose } = languages();

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

  it('count their places in UTF-16 units and in code points, blanks before the rule included', () => {
    const [remark] = remarksOn(x, 'value', '  🌋 🌋🌋 AND lava');
    expect(remark?.position).toEqual({ start: 10, end: 13, start_code_point: 7, end_code_point: 10 });
  });
});
