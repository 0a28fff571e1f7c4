/** The short form of the campaign `neighbours`: it asserts that both are answered, and no time. */
import { expect, it } from 'vitest';
import { neighbours } from './campaign/neighbours.ts';

it('answers every request of an account while another asks for one operation again and again', async () => {
  const { alone, rows } = await neighbours({ samples: 10, names: ['matchFacets', 'pushEvents', 'createRule'] });
  // A busy machine may have one measured again, with more requests.
  expect(alone.length).toBeGreaterThanOrEqual(30);
  expect(rows.map(({ operation, refused, quiet }) => [operation, refused, quiet.length >= 10])).toEqual([
    ['matchFacets', 0, true],
    ['pushEvents', 0, true],
    ['createRule', 0, true],
  ]);
  // The server takes the requests that were asked for: otherwise nothing would lean on it.
  for (const { operation, statuses } of rows)
    expect({ operation, answered: statuses[200] ?? 0 }).not.toEqual({ operation, answered: 0 });
});

it('finds what each operation asks for, also when a request uses it up', async () => {
  const names = ['getSource', 'deleteSource', 'endSilence', 'revokeKey', 'restoreRule', 'createSilence'] as const;
  const { rows } = await neighbours({ samples: 5, names });
  for (const { operation, statuses } of rows)
    expect({ operation, answered: statuses[200] ?? 0 }).not.toEqual({ operation, answered: 0 });
});
