/** What axe finds wrong with a page, as short lines; empty when nothing is. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** All rules about colours that axe applies by itself. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

export const axeProblems = (page: Page): Promise<string[]> => problemsFor(axeOn(page));

/** Checks both colour schemes. The page is the same in both, so axe checks only the colours a second time. */
export async function problemsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await problemsFor(axeOn(page));
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await problemsFor(axeOn(page).withRules(OF_COLOURS));
  return [...light.map((problem) => `light: ${problem}`), ...dark.map((problem) => `dark: ${problem}`)];
}

/** There are no frames in the console: only for those of others would axe need a second page to add up its findings. */
const axeOn = (page: Page): AxeBuilder => new AxeBuilder({ page }).setLegacyMode();

async function problemsFor(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
