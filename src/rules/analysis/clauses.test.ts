import { describe, expect, it } from 'vitest';
import { sameMeaning } from '../equivalence.ts';
import type { Language } from '../language.ts';
import { languages } from '../languages.ts';
import { all } from '../query.ts';

const { x, firehose } = languages();

function expectClauses(language: Language, text: string, texts: readonly string[]): void {
  const clauses = language.clauses(text);
  expect(clauses.map(({ start, end }) => text.slice(start, end))).toEqual(texts);
  const query = language.queryOf(text);
  expect(query && sameMeaning(all(clauses.map((clause) => clause.query)), query)).toBe(true);
}

describe('the clauses of a rule', () => {
  it('are what X joins by blanks, through parentheses that change nothing', () => {
    expectClauses(x, 'volcano (lava OR ash) -"lava lamp" lang:en', [
      'volcano',
      '(lava OR ash)',
      '-"lava lamp"',
      'lang:en',
    ]);
    expectClauses(x, '((cat (dog fox)))', ['cat', 'dog', 'fox']);
    expectClauses(x, 'cat -(dog OR fox)', ['cat', '-(dog OR fox)']);
    expectClauses(x, 'cat OR dog', ['cat OR dog']);
  });

  it('are what Lucene requires and excludes', () => {
    expectClauses(firehose, 'tesla AND title:recall AND NOT lang:de', ['tesla', 'title:recall', 'NOT lang:de']);
    expectClauses(firehose, '+tesla -ford', ['tesla', '-ford']);
    expectClauses(firehose, '(tesla OR ford) AND recent:24h', ['tesla OR ford', 'recent:24h']);
    expectClauses(firehose, 'tesla ford', ['tesla ford']);
    expectClauses(firehose, 'the', ['the']);
  });

  it('are none where the text is no rule', () => {
    expect([x.clauses('cat AND'), firehose.clauses('(tesla'), x.clauses('')]).toEqual([[], [], []]);
  });
});
