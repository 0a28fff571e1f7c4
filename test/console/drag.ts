/** Drags with the mouse, over what is drawn and rests. */
import type { Locator } from 'playwright-core';

/** The surface of a chart, which takes the mouse. It comes after the chart's place and figures: its code is loaded later. */
export const drawnIn = (chart: Locator): Locator => chart.locator('.u-over');

/** From one share of the width to another. */
export async function dragOver(surface: Locator, from: number, to: number): Promise<void> {
  await surface.waitFor();
  const { width } = (await surface.boundingBox())!;
  await surface.dragTo(surface, {
    sourcePosition: { x: width * from, y: 20 },
    targetPosition: { x: width * to, y: 40 },
    steps: 3,
  });
}
