/**
 * A curve has a fixed part, a part that grows with every tenfold size, and a part that grows with the size itself.
 * It bends at the size from which the last part outweighs the others.
 */
import { costOf, fitCosts } from '../scale-fit.ts';

export interface Fit {
  readonly fixed: number;
  readonly tenfold: number;
  readonly each: number;
}

/** A size, and its cost. */
export type Sized = readonly [size: number, cost: number];

const unitsOf = (size: number): number[] => [1, Math.log10(size), size];

export function fitCurve(points: readonly Sized[]): Fit {
  const [fixed = 0, tenfold = 0, each = 0] = fitCosts(
    points.map(([size]) => unitsOf(size)),
    points.map(([, cost]) => cost),
  );
  return { fixed, tenfold, each };
}

export const costAt = ({ fixed, tenfold, each }: Fit, size: number): number =>
  costOf([fixed, tenfold, each], unitsOf(size));

/** Beyond this nothing is told. */
const LARGEST = 1e12;
const HALVINGS = 100;

/** The size from which on the part that grows with it is the larger one; undefined when there is none, or none to speak of. */
export function bendOf(fit: Fit): number | undefined {
  const isBeyond = (size: number) => fit.each * size >= costAt({ ...fit, each: 0 }, size);
  if (!isBeyond(LARGEST)) return undefined;
  let [low, high] = [1, LARGEST];
  if (isBeyond(low)) return low;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = Math.sqrt(low * high);
    if (isBeyond(middle)) high = middle;
    else low = middle;
  }
  return high;
}
