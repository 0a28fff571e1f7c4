/** What one call of `match` spends of its budget, what it leaves, and how it goes on. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { createEngine, type Engine } from './engine.ts';
import { isSpent, newPatternBudget } from './pattern-budget.ts';

const word = (term: string): Query => ({ kind: 'term', field: 'text', term });
const phrase = (...terms: string[]): Query => ({ kind: 'phrase', field: 'text', terms, slop: 0 });
const wildcard = (pattern: string): Query => ({ kind: 'wildcard', field: 'text', pattern });
const prefix = (text: string): Query => ({ kind: 'prefix', field: 'text', prefix: text });
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index}`);
const SAMPLE: Query = { kind: 'sample', percent: 100 };

function engineWith(rules: Record<string, Query>): Engine {
  const engine = createEngine();
  for (const [id, query] of Object.entries(rules)) engine.put(id, query);
  return engine;
}

describe('a rule that is evaluated', () => {
  const spent = (query: Query, text: string): number => {
    const budget = newPatternBudget(1_000);
    engineWith({ rule: query }).match(textEvent(text), budget);
    return 1_000 - budget.left;
  };

  it('takes a step, and one more for each 64 of its parts', () => {
    const parts = (count: number) => any([...numbered(count - 1).map(word), SAMPLE]);
    // The join itself is a part.
    expect([spent(parts(62), 'w1'), spent(parts(63), 'w1'), spent(parts(127), 'w1')]).toEqual([1, 2, 3]);
  });

  it('takes the steps of its phrases and patterns too, and none when its words prove it', () => {
    expect(spent(all([word('a'), word('b')]), 'a b')).toBe(0);
    expect(spent(phrase('a', 'b'), 'a b')).toBe(1);
    expect(spent(phrase('a', 'b'), 'a b c d e f g h')).toBe(1 + 1);
    expect(spent(all([word('a'), wildcard('*-')]), 'a b c')).toBe(1 + 3);
  });

  it('waits when no steps are left, after the first one of each call', () => {
    const rules = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, all([word('x'), SAMPLE])]));
    const engine = engineWith({ ...rules, proven: word('x') });
    const budget = newPatternBudget(0);
    const calls: string[][] = [];
    do calls.push(engine.match(textEvent('x'), budget).matches.toSorted());
    while (isSpent(budget));
    // What words prove takes no steps.
    expect(calls.flat().toSorted()).toEqual(['a', 'b', 'c', 'proven']);
    expect(calls.length).toBeGreaterThanOrEqual(3);
  });

  it('is passed over when it is gone by the next call, and has its new query when it was changed', () => {
    const rules = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, all([word('x'), SAMPLE])]));
    const engine = engineWith(rules);
    const budget = newPatternBudget(0);
    const [first] = engine.match(textEvent('x'), budget).matches;
    const [gone, changed] = budget.rest as [string, string];
    engine.drop(gone);
    engine.put(changed, word('y'));
    const report = engine.match(textEvent('x'), budget);
    expect([report.matches, report.evaluated, isSpent(budget)]).toEqual([[], 1, false]);
    expect([first, gone, changed].toSorted()).toEqual(['a', 'b', 'c']);
  });
});

describe('a phrase', () => {
  it('is decided at once in an event of 4,096 words, and waits for steps in a longer one', () => {
    const engine = engineWith({ rule: phrase('w1', 'w2') });
    const [short, long] = [4_096, 4_097].map((count) => textEvent(numbered(count).join(' ')));
    const budget = newPatternBudget(0);
    expect([engine.match(short!, budget).matches, budget.phrases.size]).toEqual([['rule'], 0]);
    expect(engine.match(long!, budget)).toMatchObject({ matches: [], failures: [] });
    expect([budget.rest, budget.open.size, budget.phrases.size]).toEqual([['rule'], 0, 0]);
    budget.left = 10;
    expect(engine.match(long!, budget).matches).toEqual(['rule']);
    expect([budget.left, budget.phrases.size, isSpent(budget)]).toEqual([10 - 1 - (4_097 >>> 3), 1, false]);
    budget.left = 10;
    expect([engine.match(long!, budget).matches, budget.left]).toEqual([['rule'], 9]);
    engine.put('other', word('zz'));
    expect([engine.match(long!, budget).matches, budget.left]).toEqual([['rule'], 9 - 1 - (4_097 >>> 3)]);
  });

  it('and another in the same place of another rule are not taken for each other', () => {
    const engine = engineWith({ one: phrase('w1', 'w2'), other: phrase('w2', 'w1') });
    const long = textEvent(numbered(4_097).join(' '));
    const budget = newPatternBudget(1_000_000);
    for (let time = 0; time < 2; time++) expect(engine.match(long, budget).matches).toEqual(['one']);
    expect(engine.match(textEvent('w2 w1'), newPatternBudget()).matches).toEqual(['other']);
  });
});

describe('the words of an event', () => {
  it('are looked up 16,384 at a time, and the terms are good while the rules stay the same', () => {
    const engine = engineWith({ last: word('w16384'), first: word('w0') });
    const event = textEvent(numbered(16_385).join(' '));
    const budget = newPatternBudget();
    expect([...engine.lookUp(event, budget)]).toEqual([16_384, 16_384]);
    expect(budget.terms).toHaveLength(16_385);
    expect(engine.match(event, budget).matches.toSorted()).toEqual(['first', 'last']);
    engine.put('more', word('w5'));
    expect(engine.match(event, budget).matches.toSorted()).toEqual(['first', 'last', 'more']);
    expect(budget.terms).toBeUndefined();
  });

  it.each(['before the first', 'after the first', 'after the last'])(
    'are left to `match` when a rule comes %s',
    (when) => {
      const engine = engineWith({ rule: word('w7') });
      const event = textEvent(numbered(16_385).join(' '));
      const budget = newPatternBudget();
      const work = engine.lookUp(event, budget);
      const steps = when === 'before the first' ? 0 : when === 'after the first' ? 1 : 2;
      for (let step = 0; step < steps; step++) work.next();
      engine.put('new', word('w9'));
      for (const _ of work);
      expect(budget.terms === undefined).toBe(when !== 'before the first');
      expect(engine.match(event, budget).matches.toSorted()).toEqual(['new', 'rule']);
    },
  );
});

describe('patterns that rules are anchored on', () => {
  it('take a step for each sixteen words that meet them, and their field is left when none are left', () => {
    const rules = Object.fromEntries(numbered(4).map((id) => [id, wildcard(`ab*${id}`)]));
    const event = textEvent(Array.from({ length: 40 }, (_, index) => `ab${index}w${index % 3}`).join(' '));
    const whole = engineWith(rules).match(event).matches.toSorted();
    expect(whole).toEqual(['w0', 'w1', 'w2']);
    const engine = engineWith(rules);
    const budget = newPatternBudget(1);
    expect([engine.match(event, budget), [...budget.wholeFields], budget.open.size]).toEqual([
      { matches: [], evaluated: 0, failures: [] },
      ['text'],
      4,
    ]);
    for (const _ of engine.settle(event, budget));
    expect([engine.match(event, budget).matches.toSorted(), isSpent(budget)]).toEqual([whole, false]);
    // With steps enough no pattern waits.
    const ample = newPatternBudget(10_000);
    expect([engine.match(event, ample).matches.toSorted(), ample.wholeFields.size, ample.open.size]).toEqual([
      whole,
      0,
      0,
    ]);
  });

  it('are open on an event of more than 4,096 words, and reported when they are settled', () => {
    const engine = engineWith({ fits: prefix('w40'), not: all([prefix('w40'), not(word('w1'))]), none: prefix('zz') });
    const event = textEvent(numbered(4_097).join(' '));
    const budget = newPatternBudget(100_000);
    expect([engine.match(event, budget).matches, budget.open.size, budget.rest]).toEqual([[], 1, []]);
    for (const _ of engine.settle(event, budget));
    expect([engine.match(event, budget).matches, isSpent(budget)]).toEqual([['fits'], false]);
  });

  it('that cannot be made are reported by each of their rules, and the rest is matched', () => {
    const broken: Query = { kind: 'regex', field: 'text', pattern: '(' };
    const engine = engineWith({ a: broken, b: all([word('x'), broken]), fine: word('x') });
    for (const budget of [undefined, newPatternBudget(0), newPatternBudget()]) {
      const { matches, failures } = engine.match(textEvent('x'), budget);
      expect(matches).toEqual(['fine']);
      if (budget?.rest.length === 0 || budget === undefined)
        expect(failures.map(({ ruleId }) => ruleId).toSorted()).toEqual(['a', 'b']);
    }
  });
});

it('an event that makes reading it throw spends nothing, and the rules match the next', () => {
  const engine = engineWith({ rule: phrase('a', 'b') });
  const good = textEvent('a b');
  const broken = { ...good, words: { ...good.words, pieces: Int32Array.of(0, 1) } };
  expect(() => engine.match(broken, newPatternBudget())).toThrow(TypeError);
  expect(engine.match(textEvent('b a')).matches).toEqual([]);
  expect(engine.match(good).matches).toEqual(['rule']);
});
