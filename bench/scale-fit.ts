/** Fits what units of work cost to what runs of several mixes took. No cost is below nothing. */

const SWEEPS = 20_000;

/**
 * The costs with which `rows` of units come closest to `totals`, each by its share: a long run counts as much as a short one.
 * One cost after the other is set to the best value that the others leave it.
 */
export function fitCosts(rows: readonly (readonly number[])[], totals: readonly number[]): number[] {
  const shares = rows.map((units, run) => units.map((count) => count / totals[run]!));
  const costs: number[] = (rows[0] ?? []).map(() => 0);
  const left = totals.map(() => 1);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const unit of costs.keys()) {
      let [along, square] = [0, 0];
      for (const [run, units] of shares.entries()) {
        along += units[unit]! * left[run]!;
        square += units[unit]! ** 2;
      }
      if (square === 0) continue;
      const cost = Math.max(0, costs[unit]! + along / square);
      for (const [run, units] of shares.entries()) left[run]! -= (cost - costs[unit]!) * units[unit]!;
      costs[unit] = cost;
    }
  return costs;
}

export const costOf = (costs: readonly number[], units: readonly number[]): number =>
  units.reduce((sum, count, unit) => sum + count * costs[unit]!, 0);
