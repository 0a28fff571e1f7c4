/** Back-off ladders: how many milliseconds to wait after the first failure in a row, the second, and so on. */
export type Ladder = (failures: number) => number;

/** `first`, 2 × `first`, 4 × `first` and so on, up to `most`. */
export const doubling =
  (first: number, most: number): Ladder =>
  (failures) =>
    Math.min(first * 2 ** Math.min(failures - 1, 30), most);

/** 0, `step`, 2 × `step`, 3 × `step` and so on, up to `most`. */
export const growing =
  (step: number, most: number): Ladder =>
  (failures) =>
    Math.min(step * (failures - 1), most);

/** Adds up to a fifth, so that clients that failed together do not come back together. */
export const jittered = (milliseconds: number, random: () => number): number => milliseconds * (1 + random() / 5);
