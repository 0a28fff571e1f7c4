import { expect, it } from 'vitest';
import { lies, metresBetween } from './geo.ts';

const circle = { kind: 'circle', longitude: -21.94, latitude: 64.14, radius: 12_000 } as const;
const box = { kind: 'box', west: -0.2, south: 51.45, east: -0.05, north: 51.55 } as const;

it('measures along the sphere', () => {
  expect(metresBetween(-21.94, 64.14, -21.9, 64.13) / 1000).toBeCloseTo(2.24, 1);
  expect(metresBetween(0, 0, 180, 0) / 1000).toBeCloseTo(Math.PI * 6371.0088, 3);
  expect(metresBetween(179.9, 0, -179.9, 0) / 1000).toBeCloseTo(22.24, 1);
});

it('a point lies in a shape or not, its edge included', () => {
  expect(lies({ kind: 'point', longitude: -21.9, latitude: 64.13 }, circle)).toBe(true);
  expect(lies({ kind: 'point', longitude: -22.9, latitude: 64.13 }, circle)).toBe(false);
  expect(lies({ kind: 'point', longitude: -0.2, latitude: 51.55 }, box)).toBe(true);
  expect(lies({ kind: 'point', longitude: -0.2, latitude: 51.56 }, box)).toBe(false);
});

it('a point on each edge of a box lies in it, and one just beyond does not', () => {
  const at = (longitude: number, latitude: number) => lies({ kind: 'point', longitude, latitude }, box);
  expect([at(-0.2, 51.5), at(-0.05, 51.5), at(-0.1, 51.45), at(-0.1, 51.55)]).toEqual([true, true, true, true]);
  expect([at(-0.21, 51.5), at(-0.04, 51.5), at(-0.1, 51.44), at(-0.1, 51.56)]).toEqual([false, false, false, false]);
});

it('a place with one corner outside does not lie in a shape, whichever corner', () => {
  const inside = { kind: 'box', west: -0.15, south: 51.5, east: -0.1, north: 51.52 } as const;
  const corner = (longitude: number, latitude: number) => ({
    kind: 'circle' as const,
    longitude,
    latitude,
    // The diagonal is 4,113 m long, and its ends are the only points so far from one another.
    radius: 3_900,
  });
  for (const [longitude, latitude] of [
    [-0.15, 51.5],
    [-0.15, 51.52],
    [-0.1, 51.5],
    [-0.1, 51.52],
  ] as const) {
    expect(lies(inside, corner(longitude, latitude))).toBe(false);
    expect(lies(inside, { ...corner(longitude, latitude), radius: 4_300 })).toBe(true);
  }
});

it('a place lies in a shape when all of it does', () => {
  expect(lies({ kind: 'box', west: -21.95, south: 64.13, east: -21.9, north: 64.15 }, circle)).toBe(true);
  expect(lies({ kind: 'box', west: -21.95, south: 64.13, east: -21.0, north: 64.15 }, circle)).toBe(false);
  expect(lies({ kind: 'box', west: -0.15, south: 51.5, east: -0.1, north: 51.52 }, box)).toBe(true);
  expect(lies({ kind: 'box', west: -0.51, south: 51.28, east: 0.33, north: 51.69 }, box)).toBe(false);
});
