/** What axe finds wrong with a page, as short lines; empty when nothing is. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** All rules about colours that axe applies by itself. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** A phone, a small laptop, a screen. */
const WIDTHS = [390, 1024, 1280] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

export const axeProblems = (page: Page): Promise<string[]> => run(page);

/** Checks both colour schemes. The page is the same in both, so axe checks only the colours a second time. */
async function problemsInBothSchemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await run(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run(page, OF_COLOURS);
  return [...light.map((problem) => `light: ${problem}`), ...dark.map((problem) => `dark: ${problem}`)];
}

/** Checks both schemes at every width, and that nothing reaches beyond the window. The page stays: it is only resized. */
export async function problemsEverywhere(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const problems = await problemsInBothSchemes(page);
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (beyond > 0) problems.push(`${beyond} px wider than the window`);
    found.push(...problems.map((problem) => `${width} px, ${problem}`));
  }
  return found;
}

/** Axe is put into a page once, and stays until that is loaded anew. */
async function run(page: Page, rules?: readonly string[]): Promise<string[]> {
  const isThere = await page.evaluate<boolean>("typeof axe === 'object'");
  // There are no frames in the console: only for those of others would axe need a second page to add up its findings.
  if (!isThere) await new AxeBuilder({ page }).setLegacyMode().withRules('html-has-lang').analyze();
  const options = {
    resultTypes: ['violations'],
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  };
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
