/** Charts count by the minute. */
export const MINUTE = 60_000;

export const minuteOf = (time: number): number => Math.floor(time / MINUTE);
