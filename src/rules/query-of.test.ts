import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../test/stages/corpus.ts';
import { languages } from './languages.ts';

const known = languages({ level: 'enterprise' });

describe.each(['x', 'firehose'] as const)('the query of a text in the language of %s', (platform) => {
  it('is the one that comes with its diagnostics, and none where one of them is an error', () => {
    const language = known[platform];
    const texts = readCorpus(platform).map(({ rule }) => rule);
    texts.push('', 'a'.repeat(3_000), 'a'.repeat(20_000), `(${'a OR '.repeat(10_000)} b)`);
    const queries = texts.map((text) => language.queryOf(text));
    expect(queries).toEqual(texts.map((text) => language.parse(text).query));
    expect(queries.filter((query) => query === undefined).length).toBeGreaterThan(10);
    expect(queries.filter((query) => query !== undefined).length).toBeGreaterThan(100);
  });
});
