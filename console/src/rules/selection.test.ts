import { describe, expect, it } from 'vitest';
import { inTurn, outcomeWords } from './in-turn.ts';
import { NONE_SELECTED, selectedOf, toggled } from './selection.ts';

const order = ['a', 'b', 'c', 'd'];
const rules = order.map((id) => ({ id, name: id.toUpperCase() }));
const click = (from: typeof NONE_SELECTED, id: string, isRange = false) => toggled(from, id, { isRange, order });

describe('several rules', () => {
  it('are selected one by one, and as a range with Shift, in both directions', () => {
    const one = click(NONE_SELECTED, 'c');
    expect([...one.ids]).toEqual(['c']);
    expect([...click(one, 'c').ids]).toEqual([]);
    expect([...click(one, 'a', true).ids].toSorted()).toEqual(['a', 'b', 'c']);
    expect([...click(NONE_SELECTED, 'b', true).ids]).toEqual(['b']);
    // A range takes back what it goes over when it ends on a selected one.
    const all = click(click(NONE_SELECTED, 'a'), 'd', true);
    expect([...click(click(all, 'b'), 'c', true).ids].toSorted()).toEqual(['a', 'd']);
  });

  it('are acted on only where the list shows them', () => {
    const both = click(click(NONE_SELECTED, 'a'), 'b');
    expect(selectedOf(rules.slice(1), both).map(({ id }) => id)).toEqual(['b']);
  });

  it('are changed one after the other, and one that fails does not stop the rest', async () => {
    const seen: string[] = [];
    const counts: number[] = [];
    const outcome = await inTurn(
      rules,
      async ({ id }) => {
        seen.push(id);
        if (id === 'b') throw new Error('There is no slot left.');
      },
      (count) => counts.push(count),
    );
    expect(seen).toEqual(order);
    expect(counts).toEqual([1, 2, 3, 4]);
    expect(outcome.done).toEqual(['a', 'c', 'd']);
    expect(outcomeWords(outcome, 'resumed')).toBe('3 rules resumed. 1 failed: “B” (There is no slot left.)');
    expect(outcomeWords({ done: ['a'], failed: [] }, 'paused')).toBe('1 rule paused.');
    const many = { done: [], failed: order.map((name) => ({ name, message: 'No.' })) };
    expect(outcomeWords(many, 'deleted')).toBe(
      '0 rules deleted. 4 failed: “a” (No.), “b” (No.), “c” (No.), and 1 more',
    );
  });
});
