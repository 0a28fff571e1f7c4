/** The figures that an engine states of itself, and of what a rule costs. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { createCoreEngine } from './core-engine.ts';
import { guessShare } from './core-vocabulary.ts';

const word = (term: string, field = 'text'): Query => ({ kind: 'term', field, term });
const prefix = (text: string): Query => ({ kind: 'prefix', field: 'text', prefix: text });
const sample: Query = { kind: 'sample', percent: 50 };

describe('the core', () => {
  it('says what a rule costs, by what it has seen: the share of events, and the words that lead to it', () => {
    const engine = createCoreEngine();
    expect(engine.cost(word('storm'))).toEqual({
      share: guessShare(5),
      anchors: [{ field: 'text', term: 'storm', share: guessShare(5) }],
    });
    for (let event = 0; event < 48; event++) engine.observe(textEvent(event % 2 === 0 ? 'storm ash' : 'ash'));
    const share = (seen: number, length: number) => (seen + guessShare(length) * 16) / (48 + 16);
    expect(engine.cost(any([word('storm'), word('ash')]))).toEqual({
      share: 1,
      anchors: [
        { field: 'text', term: 'ash', share: share(48, 3) },
        { field: 'text', term: 'storm', share: share(24, 5) },
      ],
    });
    expect(engine.cost(all([word('storm'), word('ash')])).anchors).toMatchObject([{ term: 'storm' }]);
    expect(engine.cost(word('storm', 'title')).anchors).toEqual([
      { field: 'title', term: 'storm', share: share(0, 5) },
    ]);
  });

  it('says what a pattern is found by: its beginning, or the longest part that it must hold', () => {
    const engine = createCoreEngine();
    const anchors = (query: Query) => engine.cost(query).anchors;
    expect(anchors(prefix('abcd'))).toEqual([{ field: 'text', term: 'abcd', share: guessShare(4) }]);
    expect(anchors({ kind: 'wildcard', field: 'title', pattern: '*abc*defg*' })).toEqual([
      { field: 'title', term: 'defg', share: guessShare(4) },
    ]);
    expect(anchors({ kind: 'wildcard', field: 'text', pattern: 'ab*defg' })).toMatchObject([{ term: 'defg' }]);
    expect(anchors({ kind: 'wildcard', field: 'text', pattern: 'abc*defg' })).toMatchObject([{ term: 'abc' }]);
    expect(anchors({ kind: 'wildcard', field: 'text', pattern: 'a*' })).toMatchObject([{ term: 'a' }]);
    expect(anchors({ kind: 'contains', field: 'text', text: 'abc' })).toMatchObject([{ term: 'abc' }]);
    expect(anchors({ kind: 'contains', field: 'text', text: 'ab' })).toEqual([]);
  });

  it('counts rules, words, predicates, and rules without an anchor', () => {
    const engine = createCoreEngine();
    const start = engine.stats();
    engine.put('a', all([word('storm'), sample]));
    engine.put('b', all([word('storm'), word('ash'), sample]));
    engine.put('c', sample);
    engine.put('d', not(word('rain')));
    expect(engine.stats()).toMatchObject({ rules: 4, terms: 3, predicates: 1, slow: 2 });
    expect(engine.slow().map(({ ruleId }) => ruleId)).toEqual(['c', 'd']);
    engine.put('c', word('storm'));
    engine.drop('a');
    expect(engine.stats()).toMatchObject({ rules: 3, terms: 3, predicates: 1, slow: 1 });
    expect(engine.slow()).toEqual([{ ruleId: 'd', reason: 'it only says what must be absent' }]);
    expect(engine.size).toBe(3);
    for (const id of ['b', 'c', 'd']) engine.drop(id);
    expect(engine.stats()).toMatchObject({ rules: 0, terms: 0, predicates: 0, slow: 0, used: start.used });
  });

  it('counts the rules that it has looked at', () => {
    const engine = createCoreEngine();
    engine.put('proven', all([word('a'), word('b'), not(word('c'))]));
    engine.put('evaluated', all([word('a'), word('b'), { kind: 'sample', percent: 0 }]));
    engine.put('slow', not(word('z')));
    engine.put('elsewhere', word('a', 'title'));
    expect(engine.match(textEvent('a b'))).toEqual({
      matches: expect.arrayContaining(['proven', 'slow']) as string[],
      evaluated: 3,
      failures: [],
    });
    expect(engine.match(textEvent('a b c z')).evaluated).toBe(2);
    expect(engine.match(textEvent('q')).evaluated).toBe(1);
  });

  it('moves a rule to a better anchor when that halves what it costs, a few rules at a time', () => {
    const engine = createCoreEngine();
    for (let rule = 0; rule < 10; rule++) engine.put(`rule_${rule}`, all([word('storms'), word(`w${rule}`)]));
    expect(engine.reanchor(100)).toBe(0);
    // The longer word was taken for the rarer one, and turns out to be everywhere.
    for (let event = 0; event < 2_000; event++) engine.observe(textEvent('storms'));
    const moved = [engine.reanchor(4), engine.reanchor(4), engine.reanchor(4), engine.reanchor(100)];
    expect(moved).toEqual([4, 4, 2, 0]);
    expect(engine.match(textEvent('storms w3'))).toMatchObject({ matches: ['rule_3'], evaluated: 1 });
    expect(engine.reanchor(0)).toBe(0);
    expect(createCoreEngine().reanchor(10)).toBe(0);
  });

  it('passes over rules that are gone when it moves others', () => {
    const engine = createCoreEngine();
    for (let rule = 0; rule < 6; rule++) engine.put(`rule_${rule}`, all([word('storms'), word(`w${rule}`)]));
    for (const rule of [1, 3]) engine.drop(`rule_${rule}`);
    for (let event = 0; event < 2_000; event++) engine.observe(textEvent('storms'));
    expect(engine.reanchor(6)).toBe(4);
  });

  it('counts the first 4,096 words of an event that no rule asks about', () => {
    const engine = createCoreEngine();
    engine.observe(textEvent(Array.from({ length: 4_200 }, (_, index) => `w${index}`).join(' ')));
    const isCounted = (term: string) => engine.cost(word(term)).share > (guessShare(term.length) * 16) / 17;
    expect(['w0', 'w4095', 'w4096', 'w4199'].map(isCounted)).toEqual([true, true, false, false]);
    expect(engine.match(textEvent('w1')).matches).toEqual([]);
    engine.put('rule', word('w4199'));
    expect(engine.match(textEvent(Array.from({ length: 4_200 }, (_, index) => `w${index}`).join(' '))).matches).toEqual(
      ['rule'],
    );
  });
});
