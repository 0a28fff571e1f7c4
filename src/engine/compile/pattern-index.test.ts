/** Which patterns of a field an event's words are led to. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { PatternIndex, requiredTextOf } from './pattern-index.ts';
import { Predicates } from './predicates.ts';
import type { SharedPredicate, Tested } from './shared-predicate.ts';

const predicates = new Predicates({ use: () => 1, release: () => {} });
const held = (predicate: Tested): SharedPredicate => predicates.at(predicates.use(predicate));
const prefix = (text: string) => held({ kind: 'prefix', field: 'text', prefix: text });
const part = (text: string) => held({ kind: 'contains', field: 'text', text });
const wildcard = (pattern: string) => held({ kind: 'wildcard', field: 'text', pattern });

const lookupOf = (text: string) => new ViewLookup(textEvent(text), 0);

function met(index: PatternIndex, text: string, field = 'text'): string[] {
  const found = new Set<string>();
  const meet = ({ predicate }: SharedPredicate) => {
    found.add(
      'prefix' in predicate
        ? predicate.prefix
        : 'text' in predicate
          ? predicate.text
          : 'pattern' in predicate
            ? predicate.pattern
            : '',
    );
  };
  for (const _ of index.candidates(lookupOf(text), field, meet));
  return [...found].toSorted();
}

describe('patterns', () => {
  it('are met by words that begin as they do, up to eight characters, and by no others', () => {
    const index = new PatternIndex();
    for (const text of ['a', 'ab', 'abc', 'abcdefgh', 'abcdefghi', 'b']) index.add(prefix(text));
    expect(met(index, 'abcdef')).toEqual(['a', 'ab', 'abc']);
    // The ninth character is not looked at.
    expect(met(index, 'abcdefghx')).toEqual(['a', 'ab', 'abc', 'abcdefgh', 'abcdefghi']);
    expect(met(index, 'abx xabc')).toEqual(['a', 'ab']);
    expect(met(index, 'xb')).toEqual([]);
    expect(met(index, 'abc', 'title')).toEqual([]);
    expect(index.size).toBe(6);
  });

  it('are met once by an event, however many of its words lead to them', () => {
    const index = new PatternIndex();
    for (const pattern of [prefix('w1'), wildcard('w1*x'), part('w1w')]) index.add(pattern);
    const lookup = lookupOf(Array.from({ length: 1_000 }, (_, at) => `w1w${at}`).join(' '));
    const meetings: SharedPredicate[] = [];
    for (const _ of index.candidates(lookup, 'text', (one) => meetings.push(one)));
    expect(meetings).toHaveLength(3);
  });

  it.each([0, 8_188, 8_189, 8_190, 8_191, 8_192, 8_193, 16_383])(
    'are met once in a text that is read in parts: by a word at %i',
    (at) => {
      const index = new PatternIndex();
      for (const pattern of [prefix('xyz1'), prefix('x'), wildcard('*yz12*'), part('absent')]) index.add(pattern);
      const lookup = lookupOf(`${'a '.repeat(at / 2)}${'b'.repeat(at % 2)} xyz12 is ${'a '.repeat(9_000)}xyz12`);
      const meetings: SharedPredicate[] = [];
      for (const field of ['text', 'title'])
        for (const _ of index.candidates(lookup, field, (one) => meetings.push(one)));
      expect(meetings).toHaveLength(3);
      expect(new Set(meetings).size).toBe(3);
    },
  );

  it('are met by three characters in a row that they must hold, wherever those stand', () => {
    const index = new PatternIndex();
    for (const pattern of [part('abc'), part('b c'), wildcard('*xyz*')]) index.add(pattern);
    expect(met(index, 'zabcz')).toEqual(['abc']);
    expect(met(index, 'ab cd')).toEqual(['b c']);
    expect(met(index, 'abc')).toEqual(['abc']);
    expect(met(index, 'ab')).toEqual([]);
    expect(met(index, 'wxyz')).toEqual(['*xyz*']);
  });

  it('are met by the most telling characters: runs of one are no sign', () => {
    const index = new PatternIndex();
    index.add(part('aaaabc'));
    expect(met(index, 'aaaaaaaa')).toEqual([]);
    expect(met(index, 'xabcx')).toEqual(['aaaabc']);
    const plain = new PatternIndex();
    plain.add(part('aaaa'));
    expect([met(plain, 'aaa'), met(plain, 'xaaaa')]).toEqual([[], ['aaaa']]);
  });

  it('are gone when they are removed, and leave those beside them', () => {
    const index = new PatternIndex();
    const [one, two, three] = [prefix('abcd1'), prefix('abcd2'), part('xyz')];
    for (const pattern of [one, two, three]) index.add(pattern);
    expect([...index.all()]).toEqual([three, one, two]);
    index.remove(one);
    expect(met(index, 'abcd1 abcd2 xyz')).toEqual(['abcd2', 'xyz']);
    index.remove(three);
    index.remove(two);
    expect([met(index, 'abcd1 abcd2 xyz'), index.size, [...index.all()]]).toEqual([[], 0, []]);
  });

  it('are met by every text that fits them', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 6 }), fc.array(anyText, { maxLength: 6 }), (texts, words) => {
        const index = new PatternIndex();
        const parts = [...new Set(texts)].map(part).filter((one) => requiredTextOf(one) !== undefined);
        for (const one of parts) index.add(one);
        const line = words.join(' ');
        const expected = parts.flatMap(({ predicate }) =>
          'text' in predicate && line.includes(predicate.text) ? [predicate.text] : [],
        );
        expect(met(index, line)).toEqual(expect.arrayContaining(expected));
      }),
    );
  });
});

describe('what a pattern must hold', () => {
  it.each<[Tested, ReturnType<typeof requiredTextOf>]>([
    [
      { kind: 'contains', field: 'f', text: 'abc' },
      { at: 'inside', text: 'abc' },
    ],
    [{ kind: 'contains', field: 'f', text: 'ab' }, undefined],
    [
      { kind: 'prefix', field: 'f', prefix: 'a' },
      { at: 'start', text: 'a' },
    ],
    [{ kind: 'prefix', field: 'f', prefix: '' }, undefined],
    [
      { kind: 'wildcard', field: 'f', pattern: 'ab*cdef' },
      { at: 'inside', text: 'cdef' },
    ],
    [
      { kind: 'wildcard', field: 'f', pattern: 'abc*cdef' },
      { at: 'start', text: 'abc' },
    ],
    [{ kind: 'wildcard', field: 'f', pattern: '*ab*' }, undefined],
    [
      { kind: 'wildcard', field: 'f', pattern: '*abc*abcd*abce*' },
      { at: 'inside', text: 'abcd' },
    ],
    [{ kind: 'regex', field: 'f', pattern: '(' }, undefined],
    [{ kind: 'sample', percent: 5 }, undefined],
  ])('%j: %j', (predicate, required) => {
    expect(requiredTextOf(held(predicate))).toEqual(required);
  });
});
