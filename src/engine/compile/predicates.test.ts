/** Predicates that rules share. */
import { describe, expect, it } from 'vitest';
import { Predicates } from './predicates.ts';
import type { Tested } from './shared-predicate.ts';

const wildcard = (pattern: string): Tested => ({ kind: 'wildcard', field: 'text', pattern });
const prefix = (text: string, field = 'text'): Tested => ({ kind: 'prefix', field, prefix: text });
const part = (text: string): Tested => ({ kind: 'contains', field: 'text', text });
const SAMPLE: Tested = { kind: 'sample', percent: 100 };

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
  return { predicates, terms };
}

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
    expect(restored.at(2).pattern).toHaveProperty('prefix', 'cd');
    expect([restored.use(SAMPLE), restored.use(prefix('new')), restored.use(prefix('newer'))]).toEqual([1, 0, 4]);
    const empty = stand().predicates;
    empty.restore([]);
    expect([empty.size, empty.use(SAMPLE)]).toEqual([0, 0]);
  });
});
