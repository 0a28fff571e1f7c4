/** Solves a small system of linear equations by elimination with pivots. `matrix` is symmetric and positive definite. */
export function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, values[index]!]);
  const size = rows.length;
  for (let at = 0; at < size; at++) {
    const pivot = rows
      .slice(at)
      .reduce((best, row, index) => (Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? at + index : best), at);
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let below = at + 1; below < size; below++) {
      const factor = rows[below]![at]! / rows[at]![at]!;
      for (let column = at; column <= size; column++) rows[below]![column]! -= factor * rows[at]![column]!;
    }
  }
  const solution = values.map(() => 0);
  for (let at = size - 1; at >= 0; at--) {
    const rest = rows[at]!.slice(at + 1, size).reduce(
      (sum, value, index) => sum + value * solution[at + 1 + index]!,
      0,
    );
    solution[at] = (rows[at]![size]! - rest) / rows[at]![at]!;
  }
  return solution;
}
