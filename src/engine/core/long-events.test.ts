/** Events of more words than a short post has are searched in another way: it must find what a look at every rule finds. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { all, not, type Query } from '../../rules/query.ts';
import { holds } from '../scan.ts';
import { createCoreEngine } from './core-engine.ts';

/** More words than there are chains, so that different words share one. */
const VOCABULARY = 1_500;

const term = (number: number): string => `w${number % VOCABULARY}`;
const phrase = (terms: string[], slop = 0): Query => ({ kind: 'phrase', field: 'text', terms, slop });

const rules = new Map<string, Query>();
for (let number = 0; number < VOCABULARY; number++) {
  const [one, next, far] = [term(number), term(number + 1), term(number + 1024)];
  rules.set(`neighbours ${number}`, phrase([one, next]));
  rules.set(`far neighbours ${number}`, phrase([one, far]));
  if (number % 5 === 0) rules.set(`near ${number}`, phrase([one, far, one], 3));
  if (number % 7 === 0) rules.set(`twice ${number}`, phrase([one, one, next]));
  if (number % 11 === 0) rules.set(`without ${number}`, all([phrase([one, next]), not(phrase([next, far]))]));
}

/** Runs of neighbours, repeats and words of the same chain, so that most phrases begin and few are whole. */
const step = fc.constantFrom(0, 1, 1, 1, 1024, -1024, 3);
const longText = fc
  .tuple(fc.nat(VOCABULARY - 1), fc.array(step, { minLength: 64, maxLength: 300 }))
  .map(([first, steps]) => {
    let at = first;
    const numbers = [first];
    for (const by of steps) {
      at = (at + by + VOCABULARY) % VOCABULARY;
      numbers.push(at);
    }
    return numbers.map(term).join(' ');
  });

describe('a long event in the core', () => {
  it('meets exactly the rules that a look at every rule finds', () => {
    const engine = createCoreEngine();
    for (const [id, query] of rules) engine.put(id, query);
    fc.assert(
      fc.property(longText, (text) => {
        const event = textEvent(text);
        const found = [...rules].filter(([, query]) => holds(query, event, 0)).map(([id]) => id);
        expect(engine.match(event).matches.toSorted()).toEqual(found.toSorted());
      }),
      { numRuns: 12 },
    );
  });

  it('holds more different words than there was room for at first, and loses none of them', () => {
    const text = Array.from({ length: 700 }, (_, index) => term(index * 2)).join(' ');
    const words = createCoreEngine();
    for (let number = 0; number < VOCABULARY; number++)
      words.put(`rule ${number}`, { kind: 'term', field: 'text', term: term(number) });
    const expected = Array.from({ length: 700 }, (_, index) => `rule ${index * 2}`);
    expect(words.match(textEvent(text)).matches.toSorted()).toEqual(expected.toSorted());
    expect(words.match(textEvent(term(7))).matches).toEqual(['rule 7']);
  });
});
