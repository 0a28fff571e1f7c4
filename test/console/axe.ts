/** What axe finds wrong with a page, as short lines; empty when nothing is. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** All rules about colours that axe applies by itself. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * A phone, a small laptop, a screen. Axe looks at each of them, and at the phone and at one of the wide ones in each scheme:
 * what there is only in a wide window is there in both.
 */
const WINDOWS = [
  { width: 390, schemes: ['light', 'dark'] },
  { width: 1024, schemes: ['light'] },
  { width: 1280, schemes: ['dark'] },
] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

export const axeProblems = (page: Page): Promise<string[]> => run(page);

/** Checks every window, and that nothing reaches beyond it. The page stays: it is only resized. */
export async function problemsEverywhere(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { width, schemes } of WINDOWS) {
    await page.setViewportSize({ width, height: 800 });
    for (const [turn, colorScheme] of schemes.entries()) {
      await page.emulateMedia({ colorScheme });
      // The page is the same in both schemes, so axe checks only the colours a second time.
      const problems = await run(page, turn === 0 ? undefined : OF_COLOURS);
      found.push(...problems.map((problem) => `${width} px, ${colorScheme}: ${problem}`));
    }
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (beyond > 0) found.push(`${width} px: ${beyond} px wider than the window`);
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
