import { expect, it } from 'vitest';
import { madeOnce } from './made-once.ts';

function stage() {
  const steps: number[] = [];
  const table = madeOnce(function* () {
    for (let step = 1; step <= 3; step++) {
      steps.push(step);
      yield step;
    }
    return { steps: steps.length };
  });
  return { steps, table };
}

it('is made when it is first needed, and once', () => {
  const { steps, table } = stage();
  expect(steps).toEqual([]);
  const made = table.get();
  expect([made, table.get() === made, steps]).toEqual([{ steps: 3 }, true, [1, 2, 3]]);
  expect([...table.ahead()]).toEqual([]);
});

it('is made ahead in steps, and what is left at once when it is needed meanwhile', () => {
  const { steps, table } = stage();
  const ahead = table.ahead();
  expect([ahead.next().value, steps]).toEqual([1, [1]]);
  expect(table.get()).toEqual({ steps: 3 });
  expect([ahead.next().done, steps]).toEqual([true, [1, 2, 3]]);
});
