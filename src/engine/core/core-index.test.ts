import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { scanWords } from '../../rules/x/words.ts';
import type { EventView } from '../events/event-view.ts';
import { addText, newViewBuilder, shownAt } from '../events/view-builder.ts';
import { holds } from '../scan.ts';
import { type CoreEngine, createCoreEngine } from './core-engine.ts';

describe('the core', () => {
  const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
  const phrase = (...terms: string[]): Query => ({ kind: 'phrase', field: 'text', terms, slop: 0 });

  function engineWith(rules: Record<string, Query>): CoreEngine {
    const engine = createCoreEngine();
    for (const [id, query] of Object.entries(rules)) engine.put(id, query);
    return engine;
  }

  describe('the index', () => {
    it('has a rule take part in the next match, and leaves out a dropped one', () => {
      const engine = engineWith({});
      engine.put('rule_1', word('a'));
      expect(engine.match(textEvent('a')).matches).toEqual(['rule_1']);
      expect(engine.drop('rule_1')).toBe(true);
      expect(engine.drop('rule_1')).toBe(false);
      expect(engine.match(textEvent('a')).matches).toEqual([]);
    });

    it('gives a rule that is put again its new query alone', () => {
      const engine = engineWith({ rule_1: word('a') });
      engine.put('rule_1', word('b'));
      expect(engine.size).toBe(1);
      expect(engine.match(textEvent('a b')).matches).toEqual(['rule_1']);
      expect(engine.match(textEvent('a')).matches).toEqual([]);
    });

    it('reports a rule with several anchors once', () => {
      const engine = engineWith({ rule_1: any([word('a'), word('b'), phrase('a', 'b')]) });
      expect(engine.match(textEvent('a b a b'))).toMatchObject({ matches: ['rule_1'], evaluated: 1 });
    });

    it('looks at no rule whose witness is missing, and evaluates none that its witnesses prove', () => {
      const engine = engineWith({
        both: all([word('rare'), word('b')]),
        without: all([word('rare'), not(word('c'))]),
        neighbours: phrase('rare', 'thing'),
      });
      expect(engine.match(textEvent('rare c thing'))).toMatchObject({ matches: [], evaluated: 0 });
      expect(engine.match(textEvent('b rare')).matches.toSorted()).toEqual(['both', 'without']);
    });

    it('takes words for neighbours that were so in the event before for no neighbours', () => {
      const engine = engineWith({ neighbours: phrase('rare', 'thing') });
      expect(engine.match(textEvent('rare thing')).matches).toEqual(['neighbours']);
      expect(engine.match(textEvent('rare other thing'))).toMatchObject({ matches: [], evaluated: 0 });
    });

    it('leaves no word of an event that made matching throw to the next event', () => {
      const engine = engineWith({ rule_1: word('a') });
      const good = textEvent('a b');
      const broken = { ...good, words: { ...good.words, pieces: Int32Array.of(0, 1) } };
      expect(() => engine.match(broken)).toThrow(TypeError);
      expect(engine.match(textEvent('b')).matches).toEqual([]);
      expect(() => engine.observe(broken)).toThrow(TypeError);
      expect(engine.match(textEvent('b')).matches).toEqual([]);
      expect(engine.match(good).matches).toEqual(['rule_1']);
    });

    // One bit a rule says that an event has met it: the counts go just beyond the bits there are.
    it.each([2_060, 4_110])('reports each of %i rules with several anchors once', (count) => {
      const engine = createCoreEngine();
      for (let number = 0; number < count; number++) engine.put(`rule_${number}`, any([word('a'), word('b')]));
      const { matches } = engine.match(textEvent('a b'));
      expect(matches).toHaveLength(count);
      expect(new Set(matches).size).toBe(count);
    });

    it('goes on when a rule throws, and says which', () => {
      const engine = engineWith({
        broken: all([word('a'), { kind: 'regex', field: 'text', pattern: '(' }]),
        alone: { kind: 'regex', field: 'text', pattern: '(' },
        fine: word('a'),
      });
      const { matches, failures } = engine.match(textEvent('a'));
      expect(matches).toEqual(['fine']);
      expect(failures.map(({ ruleId }) => ruleId).toSorted()).toEqual(['alone', 'broken']);
    });

    it('anchors on what turns out to be rare, after a while also where that has changed', () => {
      const engine = engineWith({});
      for (let times = 0; times < 200; times++) engine.observe(textEvent(times < 190 ? 'early' : 'late'));
      for (let rule = 0; rule < 50; rule++)
        engine.put(`rule_${rule}`, all([word('early'), phrase('late', `x${rule}`, 'y')]));
      for (let times = 0; times < 4_000; times++) engine.observe(textEvent('late x1'));
      expect(engine.reanchor(25) + engine.reanchor(25)).toBeGreaterThan(0);
      expect(engine.match(textEvent('early late x7 y')).matches).toEqual(['rule_7']);
      expect(engine.reanchor(50)).toBe(0);
    });

    it('gives back the memory of what is dropped', () => {
      const engine = engineWith({});
      const start = engine.stats();
      for (let rule = 0; rule < 20_000; rule++)
        engine.put(`rule_${rule}`, all([word(`w${rule}`), word('a'), phrase('b', `c${rule}`)]));
      const full = engine.stats().bytes;
      for (let rule = 0; rule < 20_000; rule++) engine.drop(`rule_${rule}`);
      expect(engine.stats()).toMatchObject({ rules: 0, terms: 0, used: start.used });
      for (let rule = 0; rule < 20_000; rule++)
        engine.put(`rule_${rule}`, all([word(`w${rule}`), word('a'), phrase('b', `c${rule}`)]));
      expect(engine.stats().bytes).toBeLessThanOrEqual(full * 1.1);
    });

    it('can have thousands of rules on one word, and drop them in any order', () => {
      const engine = engineWith({});
      for (let rule = 0; rule < 5_000; rule++) engine.put(`rule_${rule}`, word('a'));
      for (let rule = 0; rule < 5_000; rule += 2) engine.drop(`rule_${rule}`);
      expect(new Set(engine.match(textEvent('a')).matches).size).toBe(2_500);
    });
  });

  describe('cost', () => {
    const engine = createCoreEngine();

    it('names the anchors and how common they are', () => {
      const cost = engine.cost(all([word('antidisestablishment'), word('a')]));
      expect(cost.anchors).toMatchObject([{ field: 'text', term: 'antidisestablishment' }]);
      expect(cost.share).toBeLessThan(0.01);
      expect(cost.reason).toBeUndefined();
      expect(engine.stats()).toMatchObject({ terms: 0, used: 0 });
    });

    it.each<[string, Query, RegExp]>([
      ['a negation', not(word('a')), /absent/],
      ['everything', { kind: 'everything' }, /everything/],
      ['a sample', { kind: 'sample', percent: 10 }, /sample/],
      ['a number', { kind: 'number', field: 'followers', from: { value: 1, inclusive: true } }, /number/],
      ['an alternative without an anchor', any([word('a'), not(word('b'))]), /one of its alternatives/],
      ['a pattern of stars', { kind: 'wildcard', field: 'text', pattern: '*a*' }, /pattern/],
    ])('says why %s has none', (_, query, reason) => {
      expect(engine.cost(query).reason).toMatch(reason);
      engine.put('slow', query);
      expect(engine.slow()).toEqual([{ ruleId: 'slow', reason: expect.stringMatching(reason) }]);
      engine.drop('slow');
    });

    it.each<[string, Query]>([
      ['a prefix', { kind: 'prefix', field: 'text', prefix: 'ab' }],
      ['a wildcard with a hold inside', { kind: 'wildcard', field: 'text', pattern: '*abc*' }],
      ['a regular expression with a beginning', { kind: 'regex', field: 'text', pattern: 'ab[0-9]+' }],
      ['a part', { kind: 'contains', field: 'text', text: 'b c' }],
    ])('finds an anchor for %s', (_, query) => {
      engine.put('rule', query);
      expect(engine.slow()).toEqual([]);
      expect(engine.match(textEvent('nothing here')).evaluated).toBe(0);
      expect(engine.match(textEvent('xabcx ab1 b c')).matches).toEqual(['rule']);
      engine.drop('rule');
    });
  });

  describe('a run of words', () => {
    const literal = (text: string, ...terms: string[]): Query => ({ kind: 'literal', field: 'text', text, terms });
    /** So many words that the search which takes linear time is chosen from the start. */
    const LONG = 'x '.repeat(50_001);

    /** Texts that no phrase crosses. */
    function textsEvent(...texts: string[]): EventView {
      const builder = newViewBuilder();
      for (const text of texts) {
        addText(builder, { scan: scanWords, gap: 0 }, 'text', text, shownAt('text', text));
        builder.position += 100;
      }
      return { ...textEvent(''), pieces: builder.pieces, words: builder.words };
    }

    const isFound = (query: Query, view: EventView): boolean => {
      // The negation forces an evaluation, because the postings of the words alone cannot decide it.
      const found = engineWith({ rule_1: all([word('x'), not(query)]) }).match(view).matches.length === 0;
      expect(holds(query, view, 0)).toBe(found);
      return found;
    };

    it.each([
      ['a few words', 'x'],
      ['very many words', LONG],
    ])('is found among %s where its words are neighbours, and nowhere else', (_, rest) => {
      for (const query of [phrase('a', 'b', 'c'), literal('a b c', 'a', 'b', 'c')]) {
        expect(isFound(query, textsEvent(rest, 'a b c'))).toBe(true);
        expect(isFound(query, textsEvent(rest, 'a b', 'c', 'b c'))).toBe(false);
        expect(isFound(query, textsEvent(rest, 'a', 'b c', 'a b', 'x'))).toBe(false);
      }
      expect(isFound(literal('a b', 'a', 'b'), textsEvent(rest, 'a  b'))).toBe(false);
    });

    it('does not begin or end inside another word', () => {
      // A mark belongs to the letter before it.
      const mark = '\u0301';
      expect(isFound(literal(`${mark} b`, 'b'), textsEvent(`x${mark} b x`))).toBe(false);
      expect(isFound(literal('-b', 'b'), textsEvent('x-b'))).toBe(true);
      expect(isFound(literal('b ', 'b'), textsEvent('x b c'))).toBe(true);
      expect(isFound(literal('b \ud83c', 'b'), textsEvent('x b 🌋'))).toBe(false);
    });
  });
});
