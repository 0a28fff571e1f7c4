/** The faults that axe finds on a page, as short lines; there are none when nothing is wrong. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** All rules about colours that axe applies by itself. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

interface Look {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  /** Everything else has been looked at in another scheme or another wide window. */
  readonly isOfColours?: true;
}

/** A phone, a small laptop, a screen; the phone and the wide windows in each scheme. */
const EVERYWHERE: readonly Look[] = [
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark', isOfColours: true },
  { width: 1024, colorScheme: 'light', isOfColours: true },
  { width: 1280, colorScheme: 'dark' },
];
/** The narrowest and the widest, each in a scheme of its own. */
const AT_ENDS = EVERYWHERE.filter(({ isOfColours }) => isOfColours === undefined);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

export const axeProblems = (page: Page): Promise<string[]> => run(page);

/** Checks every window, and that nothing reaches beyond it. The page stays: it is only resized. */
export const problemsEverywhere = (page: Page): Promise<string[]> => problemsIn(page, EVERYWHERE);

/** For pages whose parts are looked at everywhere on others. */
export const problemsAtEnds = (page: Page): Promise<string[]> => problemsIn(page, AT_ENDS);

/** The page behind a dialog stays as it is when that is resized: after the first window only the dialog is looked at. */
export const problemsOfDialog = (page: Page): Promise<string[]> => problemsIn(page, EVERYWHERE, DIALOG);

const DIALOG = 'dialog[open], [role=dialog], [role=alertdialog]';

async function problemsIn(page: Page, looks: readonly Look[], later?: string): Promise<string[]> {
  const found: string[] = [];
  for (const [at, { width, colorScheme, isOfColours }] of looks.entries()) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const problems = await run(page, isOfColours && OF_COLOURS, at === 0 ? undefined : later);
    found.push(...problems.map((problem) => `${width} px, ${colorScheme}: ${problem}`));
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (beyond > 0) found.push(`${width} px: ${beyond} px wider than the window`);
  }
  return found;
}

/** Axe is put into a page once, and stays until that is loaded anew. */
async function run(page: Page, rules?: readonly string[], within?: string): Promise<string[]> {
  const isThere = await page.evaluate<boolean>("typeof axe === 'object'");
  // There are no frames in the console: only for those of others would axe need a second page to add up its findings.
  if (!isThere) await new AxeBuilder({ page }).setLegacyMode().withRules('html-has-lang').analyze();
  const options = {
    resultTypes: ['violations'],
    // Only rules about recordings, which the console has none of, would read the sheets and media that this loads again.
    preload: false,
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  };
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
