/** Predicates that rules share: held once, decided once for an event, within a budget where there is one. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { Dictionary } from './dictionary.ts';
import { Fields } from './field.ts';
import { Frequency } from './frequency.ts';
import { newPatternBudget, OUT_OF_STEPS, type PatternBudget, settlePatterns } from './pattern-budget.ts';
import { decideOnce, Predicates } from './predicates.ts';
import { Presence } from './presence.ts';
import type { SharedPredicate, Tested } from './shared-predicate.ts';

const wildcard = (pattern: string, field = 'text'): Tested => ({ kind: 'wildcard', field, pattern });
const prefix = (text: string, field = 'text'): Tested => ({ kind: 'prefix', field, prefix: text });
const part = (text: string, field = 'text'): Tested => ({ kind: 'contains', field, text });
const literal = (text: string, ...terms: string[]): Tested => ({ kind: 'literal', field: 'text', text, terms });
const regex = (pattern: string): Tested => ({ kind: 'regex', field: 'text', pattern });
const SAMPLE: Tested = { kind: 'sample', percent: 100 };
const BROKEN = regex('(');

/** Predicates whose patterns get terms from 100 on. */
function stand() {
  const terms = new Map<number, string>();
  let next = 100;
  const predicates = new Predicates({
    use: (key) => {
      terms.set(next, key);
      return next++;
    },
    release: (term) => void terms.delete(term),
  });
  return { predicates, terms, held: (predicate: Tested) => predicates.at(predicates.use(predicate)) };
}

function presenceOf(text: string): Presence {
  const presence = new Presence(new Fields(1), new Dictionary(), new Frequency());
  presence.tracksRepeats = true;
  presence.read(textEvent(text));
  return presence;
}

let epoch = 0;
const decide = (held: SharedPredicate, presence: Presence, budget?: PatternBudget): boolean =>
  decideOnce(held, presence, ++epoch, () => 0, budget);

describe('predicates', () => {
  it('are held once for all rules that have the same, and forgotten with the last of them', () => {
    const { predicates } = stand();
    const [one, two] = [predicates.use(wildcard('a*')), predicates.use(wildcard('b*'))];
    expect([one, two, predicates.use(wildcard('a*')), predicates.size]).toEqual([0, 1, 0, 2]);
    predicates.release(one);
    expect([predicates.use(wildcard('a*')), predicates.size]).toEqual([0, 2]);
    predicates.release(one);
    predicates.release(one);
    expect([predicates.size, predicates.use(SAMPLE), predicates.at(0).predicate]).toEqual([1, 0, SAMPLE]);
    expect(predicates.use(wildcard('a*'))).toBe(2);
  });

  it('have a term while some rule is anchored on them, and are found by their field', () => {
    const { predicates, terms } = stand();
    const [one, other] = [predicates.use(prefix('ab')), predicates.use(prefix('cd'))];
    const elsewhere = predicates.use(prefix('ab', 'title'));
    expect([predicates.anchor(one), predicates.anchor(one), predicates.anchor(other)]).toEqual([100, 100, 101]);
    expect(predicates.anchor(elsewhere)).toBe(102);
    expect([...predicates.patterns].map(([field, { size }]) => [field, size])).toEqual([
      ['text', 2],
      ['title', 1],
    ]);
    predicates.unanchor(one);
    expect([predicates.at(one).term, terms.size]).toEqual([100, 3]);
    predicates.unanchor(one);
    expect([predicates.at(one).term, [...terms.keys()]]).toEqual([-1, [101, 102]]);
    expect([...predicates.patterns.get('text')!.all()]).toEqual([predicates.at(other)]);
    predicates.unanchor(other);
    expect([...predicates.patterns.keys()]).toEqual(['title']);
    expect(predicates.anchor(one)).toBe(103);
  });

  it('are the same after they were saved and restored, with the numbers that are free', () => {
    const { predicates } = stand();
    const numbers = [prefix('ab'), SAMPLE, prefix('cd'), part('xyz')].map((one) => predicates.use(one));
    predicates.use(SAMPLE);
    predicates.anchor(numbers[2]!);
    predicates.release(numbers[0]!);
    const saved = predicates.save();
    expect(saved).toEqual([
      { key: JSON.stringify(SAMPLE), number: 1, uses: 2, anchored: 0, term: -1 },
      { key: JSON.stringify(prefix('cd')), number: 2, uses: 1, anchored: 1, term: 100 },
      { key: JSON.stringify(part('xyz')), number: 3, uses: 1, anchored: 0, term: -1 },
    ]);
    const { predicates: restored } = stand();
    restored.restore(saved);
    expect([restored.size, restored.save()]).toEqual([3, saved]);
    expect([...restored.patterns.get('text')!.all()]).toEqual([restored.at(2)]);
    expect(decide(restored.at(2), presenceOf('cde'))).toBe(true);
    expect([restored.use(SAMPLE), restored.use(prefix('new')), restored.use(prefix('newer'))]).toEqual([1, 0, 4]);
    const empty = stand().predicates;
    empty.restore([]);
    expect([empty.size, empty.use(SAMPLE)]).toEqual([0, 0]);
  });
});

describe('a predicate', () => {
  it('is decided once for an event, and again for the next', () => {
    const held = stand().held(wildcard('*z'));
    const presence = presenceOf('a b c');
    expect(decideOnce(held, presence, 7, () => 0, undefined)).toBe(false);
    const { steps } = presence;
    expect(decideOnce(held, presenceOf('z'), 7, () => 0, undefined)).toBe(false);
    expect(decideOnce(held, presenceOf('z'), 8, () => 0, undefined)).toBe(true);
    expect(presence.steps).toBe(steps);
  });

  it.each<[string, Tested, string, boolean, number]>([
    ['a pattern takes a step for each word', wildcard('*-'), 'a b c', false, 3],
    ['and one for each eight that it passes', wildcard('*-'), 'a b c d e f g h', false, 8 + 1],
    ['a word that it has met is passed', wildcard('*-'), 'a a a b', false, 2],
    ['a word of sixteen characters takes two', wildcard('*-'), 'x'.repeat(16), false, 2],
    ['a word of fifteen takes one', wildcard('*-'), 'x'.repeat(15), false, 1],
    ['a word that is too short is passed', prefix('abc'), 'a ab xyz abcd', true, 2],
    ['a word just long enough is tried', prefix('abc'), 'abc', true, 1],
    ['the stars of a wildcard may stand for nothing', wildcard('a*b*'), 'x ab', true, 1],
    ['an escaped star counts', wildcard('a\\*'), 'a ab', false, 1],
    ['it ends with the first that fits', wildcard('b*'), 'a b c d', true, 2],
    ['another field is passed', wildcard('a*', 'title'), 'a b', false, 0],
    ['a text is looked at eight words a step', part('zz'), 'a b c d e f g h', false, 1],
    ['seven words are none', SAMPLE, 'a b c d e f g', true, 0],
  ])('is decided in steps that are counted: %s', (_, predicate, text, verdict, steps) => {
    const presence = presenceOf(text);
    expect([decide(stand().held(predicate), presence), presence.steps]).toEqual([verdict, steps]);
  });

  it.each<[Tested, string, boolean]>([
    [literal('--'), 'a -- b', true],
    [literal('--'), 'a - b', false],
    [literal('. a .', 'a'), '. a .', true],
    [literal('. a .', 'a'), 'x . a . x', true],
    [literal('a .', 'a'), 'ba . a .', true],
    [literal('a .', 'a'), 'ba .', false],
    [literal('. a', 'a'), '. ab', false],
    [literal('. a', 'b'), '. a', false],
    [literal('a b', 'a'), 'a b', false],
    [literal('a', 'a', 'b'), 'a', false],
  ])('that is the text %j stands in %j: %j', (predicate, text, verdict) => {
    // The words of these literals are not found in them by a program.
    expect(decide(stand().held(predicate), presenceOf(text))).toBe(verdict);
  });

  it('that no pattern can be made of throws, with a budget and without', () => {
    const held = stand().held(BROKEN);
    const presence = presenceOf('a');
    for (const budget of [undefined, newPatternBudget(0), newPatternBudget()])
      expect(() => decide(held, presence, budget)).toThrow('/(/: The pattern ends');
  });
});

describe('within a budget', () => {
  const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
  const SHORT = presenceOf(words(4_096));
  const LONG = presenceOf(words(4_097));
  const isLeft = (held: SharedPredicate, presence: Presence, budget: PatternBudget): boolean => {
    try {
      decide(held, presence, budget);
      return false;
    } catch (error) {
      expect(error).toBe(OUT_OF_STEPS);
      return true;
    }
  };

  it('a pattern takes its steps from it, and waits when none are left', () => {
    const held = stand().held(wildcard('*-'));
    const budget = newPatternBudget(1);
    expect([isLeft(held, SHORT, budget), budget.left]).toEqual([false, 1 - 4_096 - 512]);
    expect([isLeft(held, SHORT, budget), budget.settled.size]).toEqual([true, 0]);
    expect(isLeft(held, SHORT, newPatternBudget(0))).toBe(true);
  });

  it('a regular expression takes steps to be compiled, for the first event that it is decided on', () => {
    const held = stand().held(regex('(a+)+1'));
    const spent = [1, 2].map(() => {
      const budget = newPatternBudget(1_000);
      expect(isLeft(held, presenceOf('a b'), budget)).toBe(false);
      return 1_000 - budget.left;
    });
    expect(spent).toEqual([expect.any(Number), 2]);
    expect(spent[0]).toBeGreaterThan(20);
  });

  it('a regular expression that is too large throws on every event, also on one that is decided in parts', () => {
    const held = stand().held(regex('.*a.{30}'));
    const budget = newPatternBudget();
    expect(isLeft(held, LONG, budget)).toBe(true);
    budget.open.add(held);
    for (const _ of settlePatterns(LONG.event, budget));
    for (const presence of [LONG, SHORT])
      expect(() => decide(held, presence, budget)).toThrow('/.*a.{30}/ is too large.');
  });

  it('a pattern waits on an event of more than 4,096 words, however many steps are left', () => {
    expect(isLeft(stand().held(wildcard('*-')), LONG, newPatternBudget(1_000_000))).toBe(true);
  });

  it('other predicates wait on such an event alone, when none are left, and are decided once', () => {
    const held = stand().held(part('w7'));
    expect(isLeft(held, SHORT, newPatternBudget(0))).toBe(false);
    expect(isLeft(held, LONG, newPatternBudget(0))).toBe(true);
    const budget = newPatternBudget(1);
    expect([decide(held, LONG, budget), budget.left, budget.settled.get(held)]).toEqual([true, 1 - 512, true]);
    expect([decide(held, LONG, budget), budget.left]).toEqual([true, 1 - 512]);
    const short = newPatternBudget(1);
    expect([decide(held, SHORT, short), short.settled.size]).toEqual([true, 0]);
  });

  it('what is settled is not decided again', () => {
    const held = stand().held(wildcard('*-'));
    const budget = newPatternBudget(0);
    budget.settled.set(held, true);
    expect([decide(held, LONG, budget), budget.left]).toEqual([true, 0]);
    budget.settled.set(held, false);
    expect(decide(held, presenceOf('a-'), budget)).toBe(false);
  });
});
