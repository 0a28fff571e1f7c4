import { describe, expect, it } from 'vitest';
import { hasSharedData, sharedLines } from '../../../test/stages/shared-data.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { askedWordsIn } from '../../signal/story-text.ts';
import { comparedNumbers } from '../../signal/word-numbers.ts';
import { askedWords } from './asked-words.ts';

const { x, firehose } = languages({ local: true });
const askedBy = (text: string) => askedWords(x.queryOf(text)!);

describe('the words that a rule asks for', () => {
  it('are those of all its clauses but the excluded ones, each once', () => {
    const asked = askedBy('storm (flood OR "heavy rain") #storm -"fire drill" -(calm OR sea)')!;
    expect(asked).toHaveLength(4);
    expect(new Set(asked)).toEqual(new Set(comparedNumbers('storm flood heavy rain')));
    expect(askedBy('from:alice lang:en has:links')).toEqual(comparedNumbers('alice links'));
  });

  it('are not told by patterns, whether asked for or excluded, nor by a rule of very many clauses', () => {
    for (const text of ['storm*', 'sto?m', '/sto.m/', 'storm~1', 'flood -storm*', 'flood OR storm*'])
      expect(askedWords(firehose.queryOf(text)!), text).toBeUndefined();
    const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' OR ');
    expect(askedBy(words(64))).toHaveLength(64);
    expect(askedBy(words(65))).toBeUndefined();
  });

  it('are those of a phrase, in which a place may be open, and none where nothing is asked for', () => {
    const phrase = { kind: 'phrase', field: 'text', terms: ['heavy', null, 'rain'] } as unknown as Query;
    expect(askedWords(phrase)).toEqual(comparedNumbers('heavy  rain'));
    for (const kind of ['everything', 'nothing'] as const) expect(askedWords({ kind })).toEqual([]);
    expect(askedWords({ kind: 'exists', field: 'geo' } as unknown as Query)).toEqual([]);
  });

  it('are not told by a rule that looks at the age of a page', () => {
    expect(askedWords({ kind: 'all', of: [{ kind: 'recent', milliseconds: 1 }] })).toBeUndefined();
  });

  it.runIf(hasSharedData)('hold every word that the highlights of real posts show', () => {
    const analyze = newAnalyzer('x');
    let shown = 0;
    const posts = sharedLines<{ data: { text: string } }>('posts/x-v2-posts.ndjson.gz').slice(0, 2_000);
    for (const payload of posts) {
      const words = payload.data.text.match(/\b[a-z]{4,}\b/gi) ?? [];
      const query = x.queryOf(`${words.slice(0, 2).join(' ')} (${words.slice(2, 4).join(' OR ')} OR zz)`);
      const view = analyze(payload);
      if (query === undefined || isRejection(view)) continue;
      const asked = new Set(askedWords(query));
      for (const word of askedWordsIn(payload)(highlights(query, new ViewLookup(view, 0)))) {
        expect(asked, payload.data.text).toContain(word);
        shown++;
      }
    }
    expect(shown).toBeGreaterThan(1_000);
  });
});
