/** The short form of the campaign `hostile`: it asserts answers and correctness, and no time. */
import { expect, it } from 'vitest';
import { hostile } from './campaign/hostile.ts';

it('answers whatever is sent without a 5xx, and matches and stores as before', async () => {
  const seed = 20_261_115;
  console.log(`hostile, seed ${seed}`);
  const { answers, failures, problems } = await hostile({ requests: 600, seed });
  expect({ failures, problems }).toEqual({ failures: [], problems: [] });
  expect(Object.keys(answers)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '405']));
});
