/** How long to wait before trying again, as data: a ladder says it for the first failure in a row, the second, … */
export type Ladder = (failures: number) => number;

/** `first`, twice that, four times, … */
export const doubling =
  (first: number, most: number): Ladder =>
  (failures) =>
    Math.min(first * 2 ** Math.min(failures - 1, 30), most);

/** Nothing, `step`, twice that, three times, … */
export const growing =
  (step: number, most: number): Ladder =>
  (failures) =>
    Math.min(step * (failures - 1), most);

/** Up to a fifth more and never less: many clients that failed together do not come back together. */
export const jittered = (milliseconds: number, random: () => number): number => milliseconds * (1 + random() / 5);
