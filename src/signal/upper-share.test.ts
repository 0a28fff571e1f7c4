import { expect, it } from 'vitest';
import { upperShare } from './exclusions.ts';

it('a share may be larger than what was seen, the more so the less was seen', () => {
  expect(upperShare(0, 0)).toBe(1);
  expect(upperShare(0, 20)).toBeCloseTo(0.161, 3);
  expect(upperShare(0, 1_000)).toBeCloseTo(0.0038, 4);
  expect(upperShare(5, 100)).toBeCloseTo(0.112, 3);
});
