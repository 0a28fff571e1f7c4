/** How the pages of rules look and behave, in both themes, at every width, and with very many rules. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeProblems, problemsEverywhere } from './axe.ts';
import { openConsole, signIn, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

const LIGHT = 'rgb(255, 255, 255)';
const DARK = 'rgb(14, 16, 18)';

const canvasOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');

/** Once what depends on the width of the window is drawn. */
async function isTooWide(page: Page): Promise<boolean> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

consoleSuite('the looks of rules', () => {
  let visit: Visit;
  let ruleId: string;

  beforeAll(async () => {
    visit = await openConsole({ signedIn: false });
    const { body } = await visit.server.call('POST', '/api.CreateRule', {
      name: 'Storms',
      intent: 'Weather that matters.',
      platforms: ['x', 'firehose'],
      overrides: { x: 'storm OR "a very long phrase that has to be broken somewhere"', firehose: 'title:storm' },
    });
    ruleId = body['rule_id'] as string;
    await visit.server.push('x', [{ data: { id: '1', text: 'The storm is near.' } }]);
    await visit.page.goto(visit.server.url);
    await signIn(visit.page, visit.key);
    await visit.page.getByRole('heading', { name: 'Home' }).waitFor();
  });
  afterAll(() => visit[Symbol.asyncDispose]());

  /** Each page with what must be there before it is looked at. */
  const PAGES = [
    {
      path: () => '/rules',
      drawn: (page: Page) => page.getByRole('list', { name: 'Rules' }).getByRole('link', { name: 'Storms' }),
    },
    { path: () => '/rules/write', drawn: (page: Page) => page.locator('.cm-editor') },
    {
      path: () => '/rules/write?example=volcano',
      drawn: (page: Page) => page.getByText('No recent event matches'),
    },
    { path: () => `/rules/${ruleId}?tab=edit`, drawn: (page: Page) => page.locator('mark').first() },
  ];

  async function show(path: string, drawn: (page: Page) => ReturnType<Page['locator']>): Promise<void> {
    await visit.go(path);
    await drawn(visit.page).waitFor();
  }

  it('are without a fault for axe, light and dark, at every width', async () => {
    for (const { path, drawn } of PAGES) {
      await show(path(), drawn);
      expect(await problemsEverywhere(visit.page), path()).toEqual([]);
    }
    expect(visit.complaints).toEqual([]);
  });

  it('are so with a dialog open and with remarks, too', async () => {
    const { page } = visit;
    await show('/rules/write', (on) => on.locator('.cm-editor'));
    await page.getByRole('textbox', { name: 'Rule for X posts' }).click();
    await page.keyboard.type('storm AND from:@nasa fr');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.getByRole('option').first().waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Operators' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Rule for X posts' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
  });

  it('never scroll sideways, down to 380 pixels', async () => {
    for (const { path, drawn } of PAGES) {
      await show(path(), drawn);
      for (const width of [380, 560, 780, 1100, 1920]) {
        await visit.page.setViewportSize({ width, height: 800 });
        expect(await isTooWide(visit.page), `${path()} at ${width}`).toBe(false);
      }
    }
    await visit.page.setViewportSize({ width: 380, height: 800 });
    await visit.page.getByRole('button', { name: 'Open menu' }).click();
    await visit.page.getByRole('link', { name: 'Rules', exact: true }).click();
    await visit.page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
    await visit.page.getByRole('button', { name: 'Open menu' }).waitFor();
    expect(await axeProblems(visit.page)).toEqual([]);
    await visit.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('follow the system, until a theme is chosen, which is kept', async () => {
    const { page } = visit;
    await visit.go('/settings');
    const isNow = async (colour: string) => {
      await expect.poll(() => canvasOf(page)).toBe(colour);
    };
    await page.emulateMedia({ colorScheme: 'light' });
    await isNow(LIGHT);
    await page.emulateMedia({ colorScheme: 'dark' });
    await isNow(DARK);
    await page.getByRole('button', { name: 'Light' }).first().click();
    await isNow(LIGHT);
    await page.reload();
    await isNow(LIGHT);
    await page.getByRole('button', { name: 'Same as system' }).first().click();
    await isNow(DARK);
  });
});
