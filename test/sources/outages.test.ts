/** Short form of `npm run campaign -- certificates --outages 1000`. */
import { beforeAll, expect, it } from 'vitest';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { outages } from '../campaign/outages.ts';

beforeAll(loadLanguages);

/** Those go through a crash of the store, a rush, an outage, a host that withholds, and posts that cannot be read. */
const SEEDS = [12, 31, 117];

it('no certificate is issued for a span that lacks a match, whatever was down, crashed or withheld', async () => {
  for (const seed of SEEDS) {
    const report = await outages(1, seed);
    expect(report.lacking, `seed ${seed}`).toEqual([]);
    expect(report.issued + report.refused).toBe(12);
  }
});
