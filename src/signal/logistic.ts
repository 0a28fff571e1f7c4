/** Logistic regression that stays near what is known: Newton's method. */
import { solve } from './solve.ts';

export const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

export function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

const STEPS = 12;
/** A step that changes no weight by this much is the last. */
const SMALLEST_STEP = 1e-4;

export interface Sample {
  readonly row: readonly number[];
  readonly holds: boolean;
}

/** `inertia`: how many samples it takes to outweigh what is known of each weight. */
export function fitLogistic(
  samples: readonly Sample[],
  known: readonly number[],
  inertia: readonly number[],
): readonly number[] {
  let weights = [...known];
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight, at) => inertia[at]! * (weight - known[at]!));
    const curve = weights.map((_, at) => weights.map((__, other) => (at === other ? inertia[at]! : 0)));
    for (const sample of samples) addSample(sample, weights, slope, curve);
    const change = solve(curve, slope);
    weights = weights.map((weight, at) => weight - change[at]!);
    if (change.every((each) => Math.abs(each) < SMALLEST_STEP)) break;
  }
  return weights;
}

function addSample({ row, holds }: Sample, weights: readonly number[], slope: number[], curve: number[][]): void {
  const expected = logistic(dot(weights, row));
  const error = expected - (holds ? 1 : 0);
  const bend = expected * (1 - expected);
  for (let at = 0; at < row.length; at++) {
    const value = row[at]!;
    slope[at]! += error * value;
    const line = curve[at]!;
    for (let other = 0; other < row.length; other++) line[other]! += bend * value * row[other]!;
  }
}
