/** The short form of the campaign `neighbours`: it asserts that both are answered, and no time. */
import { expect, it } from 'vitest';
import { neighbours } from './campaign/neighbours.ts';

it('answers every request of an account while another asks for one operation again and again', async () => {
  const { alone, rows } = await neighbours({ samples: 10, names: ['matchFacets', 'pushEvents', 'createRule'] });
  expect(alone).toHaveLength(30);
  expect(rows.map(({ operation, refused, quiet }) => [operation, refused, quiet.length])).toEqual([
    ['matchFacets', 0, 10],
    ['pushEvents', 0, 10],
    ['createRule', 0, 10],
  ]);
  // The server takes the requests that were asked for: otherwise nothing would lean on it.
  for (const { operation, statuses } of rows)
    expect({ operation, answered: statuses[200] ?? 0 }).not.toEqual({ operation, answered: 0 });
});
