/** Short form of `npm run campaign -- certificates --outages 1000`. */
import { beforeAll, expect, it } from 'vitest';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { outages } from '../campaign/outages.ts';

beforeAll(loadLanguages);

/**
 * These seeds go through a crash of the store, a rush, an outage, a host that withholds, and posts that cannot be read;
 * a list of posts of which some cannot be read, a source that was switched off, and a host that forgot what the other
 * one withholds.
 */
const SEEDS = [12, 31, 117, 5_171_768, 5_171_821, 5_171_833, 5_172_529];

it('no certificate is issued for a span that lacks a match, whatever was down, crashed or withheld', async () => {
  for (const seed of SEEDS) {
    const report = await outages(1, seed);
    expect(report.lacking, `seed ${seed}`).toEqual([]);
    expect(report.issued + report.refused).toBe(12);
  }
});
