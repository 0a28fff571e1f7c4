/** The predicates that the core asks back are decided on the analysed event, within a budget where there is one. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { Predicates } from '../compile/predicates.ts';
import type { SharedPredicate, Tested } from '../compile/shared-predicate.ts';
import { ViewLookup } from '../one-rule/view-lookup.ts';
import { decide, decideOpen, decideWithin, OUT_OF_STEPS } from './decide.ts';
import { type MatchBudget, newMatchBudget } from './match-budget.ts';

const wildcard = (pattern: string, field = 'text'): Tested => ({ kind: 'wildcard', field, pattern });
const prefix = (text: string): Tested => ({ kind: 'prefix', field: 'text', prefix: text });
const part = (text: string): Tested => ({ kind: 'contains', field: 'text', text });
const literal = (text: string, ...terms: string[]): Tested => ({ kind: 'literal', field: 'text', text, terms });
const regex = (pattern: string): Tested => ({ kind: 'regex', field: 'text', pattern });

const shared = (predicate: Tested): SharedPredicate => {
  const predicates = new Predicates({ use: () => 1, release: () => {} });
  return predicates.at(predicates.use(predicate));
};
const lookupOf = (text: string) => new ViewLookup(textEvent(text), 0);

describe('a predicate', () => {
  it.each<[Tested, string, boolean]>([
    [wildcard('*z'), 'a b c', false],
    [wildcard('*z'), 'a bz c', true],
    [wildcard('a*b*'), 'x ab', true],
    [wildcard('a\\*'), 'a ab', false],
    [wildcard('a*', 'title'), 'a b', false],
    [prefix('abc'), 'a ab xyz abcd', true],
    [prefix('abc'), 'a ab xyz', false],
    [part('b c'), 'ab cd', true],
    [{ kind: 'sample', percent: 100 }, 'a', true],
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
  ])('%j on %j: %j', (predicate, text, verdict) => {
    expect(decide(shared(predicate), lookupOf(text))).toBe(verdict);
  });

  it('that no pattern can be made of throws, with a budget and without', () => {
    const held = shared(regex('('));
    expect(() => decide(held, lookupOf('a'))).toThrow('/(/: The pattern ends');
    for (const budget of [newMatchBudget(0), newMatchBudget()])
      expect(() => decideWithin(budget, held, lookupOf('a'))).toThrow('/(/: The pattern ends');
  });
});

describe('within a budget', () => {
  const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
  const SHORT = textEvent(words(4_096));
  const LONG = textEvent(words(4_097));
  const [short, long] = [() => new ViewLookup(SHORT, 0), () => new ViewLookup(LONG, 0)];
  const waits = (held: SharedPredicate, lookup: ViewLookup, budget: MatchBudget): boolean => {
    try {
      decideWithin(budget, held, lookup);
      return false;
    } catch (error) {
      expect(error).toBe(OUT_OF_STEPS);
      return true;
    }
  };

  it('a pattern takes its steps from it, and waits when none are left', () => {
    const held = shared(wildcard('*-'));
    const budget = newMatchBudget(1);
    expect([waits(held, short(), budget), budget.left <= 1 - 4_096]).toEqual([false, true]);
    expect([waits(held, short(), budget), budget.decided.size]).toEqual([true, 0]);
    expect(waits(held, short(), newMatchBudget(0))).toBe(true);
  });

  it('a regular expression takes steps to be compiled, for the first event that it is decided on', () => {
    const held = shared(regex('(a+)+1'));
    const [first, second] = [1, 2].map(() => {
      const budget = newMatchBudget(1_000);
      expect(waits(held, lookupOf('a b'), budget)).toBe(false);
      return 1_000 - budget.left;
    });
    expect(first! - second!).toBeGreaterThan(20);
  });

  it('a regular expression that is too large throws on every event, also on one that is decided in parts', () => {
    const held = shared(regex('.*a.{30}'));
    const budget = newMatchBudget();
    expect(waits(held, long(), budget)).toBe(true);
    budget.open.add(held);
    for (const _ of decideOpen(LONG, budget, 0));
    for (const lookup of [long(), short()])
      expect(() => decideWithin(budget, held, lookup)).toThrow('/.*a.{30}/ is too large.');
    expect(() => decide(shared(regex('.*a.{30}')), short())).toThrow('is too large.');
  });

  it('a pattern waits on an event of more than 4,096 words, however many steps are left', () => {
    expect(waits(shared(wildcard('*-')), long(), newMatchBudget(1_000_000))).toBe(true);
  });

  it('other predicates wait on such an event alone, when none are left, and are decided once', () => {
    const held = shared(part('w7'));
    expect(waits(held, short(), newMatchBudget(0))).toBe(false);
    expect(waits(held, long(), newMatchBudget(0))).toBe(true);
    const budget = newMatchBudget(1);
    expect([decideWithin(budget, held, long()), budget.decided.get(held)]).toEqual([true, true]);
    expect(budget.left).toBeLessThan(1);
    const { left } = budget;
    expect([decideWithin(budget, held, long()), budget.left]).toEqual([true, left]);
  });

  it('what is decided is not decided again', () => {
    const held = shared(wildcard('*-'));
    const budget = newMatchBudget(0);
    budget.decided.set(held, true);
    expect([decideWithin(budget, held, long()), budget.left]).toEqual([true, 0]);
    budget.decided.set(held, false);
    expect(decideWithin(budget, held, lookupOf('a-'))).toBe(false);
  });

  it('open patterns are decided in parts, each a share of the words', () => {
    const fits = [
      wildcard('*?96'),
      wildcard('*?x'),
      part('w77 w78'),
      { kind: 'fuzzy', field: 'text', term: 'w4O96', edits: 1 },
    ] as const;
    const budget = newMatchBudget();
    const held = fits.map((predicate) => shared(predicate));
    const view = textEvent(words(50_000));
    for (const one of held) budget.open.add(one);
    const steps = [...decideOpen(view, budget, 0)];
    expect(held.map((one) => budget.decided.get(one))).toEqual([true, false, true, true]);
    expect([budget.open.size, Math.max(...steps) < 30_000]).toEqual([0, true]);
  });
});
