import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bucketOf, isSampled } from './sample.ts';

/** Computes the hash in plain big integers. */
function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash;
}

it('is 64-bit FNV-1a modulo 100', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (id) => {
      expect(bucketOf(id)).toBe(Number(fnv1a(id) % 100n));
    }),
  );
});

it('takes about the share that was asked for, and all of the smaller samples', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => `17000000000${at}`);
  const share = (percent: number) => ids.filter((id) => isSampled(id, percent));
  expect(share(100)).toHaveLength(ids.length);
  expect(share(0)).toHaveLength(0);
  expect(Math.abs(share(20).length - 2000)).toBeLessThan(200);
  expect(share(20)).toEqual(expect.arrayContaining(share(10)));
});
