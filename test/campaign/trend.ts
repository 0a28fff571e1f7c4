/** Whether figures that were taken one after another grow, or only vary. */
interface Trend {
  /** How much they have grown from the first to the last, by the line of least squares. */
  readonly growth: number;
  /** Growth up to this much is noise: two standard errors of the line. */
  readonly noise: number;
}

export function trendOf(figures: readonly number[]): Trend {
  const count = figures.length;
  const middle = (count - 1) / 2;
  const mean = figures.reduce((sum, one) => sum + one, 0) / count;
  let spread = 0;
  let together = 0;
  for (const [at, figure] of figures.entries()) {
    spread += (at - middle) ** 2;
    together += (at - middle) * (figure - mean);
  }
  const slope = together / spread;
  const rest = figures.reduce((sum, figure, at) => sum + (figure - mean - slope * (at - middle)) ** 2, 0);
  const error = Math.sqrt(rest / (count - 2) / spread);
  return { growth: slope * (count - 1), noise: 2 * error * (count - 1) };
}
