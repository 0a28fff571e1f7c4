/** Short form of `npm run campaign -- jetstream`, and the cases that made it what it is. */
import { describe, expect, it } from 'vitest';
import { createComparison, SLACK } from '../../src/sources/kinds/bluesky/compare.ts';
import { blindness, isSharp } from '../campaign/jetstream.ts';

const SECOND = 1_000_000;

describe('two hosts compared', () => {
  it('finds a host that withholds within 60 seconds, and accuses none that is slow', () => {
    const seed = 20_261_115;
    const reports = blindness(6, seed);
    expect(isSharp(reports), `seed ${seed}: ${JSON.stringify(reports)}`).toBe(true);
  });

  it('keeps a bounded number of events for a host that is away', () => {
    const comparison = createComparison();
    comparison.saw(1, 'first', 0, true);
    for (let at = 0; at < 150_000; at++) comparison.saw(0, `post ${at}`, at * 1_000, true);
    comparison.saw(1, 'post 1', SECOND, true);
    expect(comparison.found()).toEqual([]);
    // An event that waits too long is dropped without a verdict, and one that still waits is compared.
    expect(comparison.saw(1, 'post 149999', SECOND, true)).toBe(false);
  });

  it('does not judge what only one host makes anew, nor what a host is known to lack', () => {
    const comparison = createComparison();
    for (const host of [0, 1]) comparison.saw(host, 'first', 0, true);
    comparison.saw(0, 'old commit', SLACK + SECOND, false);
    comparison.saw(0, 'in the gap', SLACK + 2 * SECOND, true);
    comparison.lacks(1, SLACK + 2 * SECOND);
    for (const host of [0, 1]) comparison.saw(host, 'later', 4 * SLACK, true);
    comparison.saw(0, 'after the gap', 5 * SLACK, true);
    for (const host of [0, 1]) comparison.saw(host, 'last', 7 * SLACK, true);
    expect(comparison.found()).toEqual([{ host: 1, time: 5 * SLACK }]);
  });
});
