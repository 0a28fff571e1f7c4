/** The upper end of the 95 % interval of a share of which `seen` of `all` were found (Wilson's interval). */
export function upperShare(seen: number, all: number): number {
  if (all === 0) return 1;
  const z = 1.96;
  const share = seen / all;
  const middle = share + (z * z) / (2 * all);
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  return Math.min(1, (middle + spread) / (1 + (z * z) / all));
}
