/** Every key that the help of a page lists does there what the help says. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string) => ({
  data: { id: String(id), text, author_id: '7', lang: 'en' },
  includes: { users: [{ id: '7', username: 'mara_quill', name: 'Mara Quill' }] },
});
let posts = 2;

const firstRow = (page: Page) => page.locator('article button[data-match]').first();
const tab = (page: Page, name: string) => page.getByRole('tab', { name, selected: true }).waitFor();
const ratedAs = async ({ server }: Visit, rating: string) => {
  await expect
    .poll(async () => ((await server.call('POST', '/matches', { rating })).body['matches'] as unknown[]).length)
    .toBe(1);
};

/** A match that waits, because one is selected, is shown as soon as none is. */
async function expectRelease({ page, server }: Visit, key: string): Promise<void> {
  const text = `volcano number ${++posts}`;
  await page.keyboard.press('j');
  await server.push('x', [post(posts, text)]);
  await page.getByRole('button', { name: '1 new match' }).waitFor();
  await page.keyboard.press(key);
  await page.locator('article', { hasText: text }).waitFor();
}

/** By key: what is to be seen after it was pressed on a fresh page with a selected match. */
const EFFECTS: Readonly<Record<string, (visit: Visit, key: string) => Promise<unknown>>> = {
  j: ({ page }) => page.locator('article:nth-child(2) button[data-match]:focus').waitFor(),
  k: ({ page }) => page.locator('article:first-child button[data-match]:focus').waitFor(),
  Enter: ({ page }) => tab(page, 'Post'),
  e: ({ page }) => tab(page, 'Why it matched'),
  r: ({ page }) => tab(page, 'Payload'),
  y: (visit) => ratedAs(visit, 'relevant'),
  n: (visit) => ratedAs(visit, 'irrelevant'),
  x: ({ page }) => page.getByRole('dialog', { name: /^Exclude from / }).waitFor(),
  m: ({ page }) => page.getByRole('dialog', { name: 'Mute' }).waitFor(),
  s: ({ page }) => page.waitForURL(/story=/),
  o: async ({ context }) => {
    await expect.poll(() => context.pages().length).toBe(2);
  },
  p: ({ page }) => page.getByText('Paused', { exact: true }).waitFor(),
  g: (visit, key) => expectRelease(visit, key),
  '/': ({ page }) => page.locator('input[type=search]:focus').waitFor(),
  Esc: (visit) => expectRelease(visit, 'Escape'),
};

consoleSuite('shortcuts', () => {
  it.each(['/matches?view=single', '/rules/ID'])('that are listed on %s all work', async (path) => {
    await using visit = await openConsole();
    const { page, server, context, go } = visit;
    const rule = { name: 'Volcano news', intent: '', platforms: ['x'], overrides: { x: 'volcano' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [post(1, 'a volcano')]);
    await server.push('x', [post(2, 'a volcano erupts')]);
    await context.route('https://x.com/**', (route) => route.fulfill({ body: 'a post' }));
    const place = path.replace('ID', body['rule_id'] as string);
    await go(place);
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    const keys = await page.getByRole('dialog').locator('kbd').allInnerTexts();
    expect(keys.length).toBeGreaterThan(12);
    for (const key of keys) {
      // Through another page, so that nothing is left of the key before.
      await go('/settings');
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
      await go(place);
      await firstRow(page).waitFor();
      await page.keyboard.press('j');
      await page.locator('article button[data-match]:focus').waitFor();
      if (key === 'k') await page.keyboard.press('j');
      if (key !== 'Esc' && key !== 'g') await page.keyboard.press(key);
      const effect = EFFECTS[key];
      expect(effect, `${key} has an effect that can be seen`).toBeDefined();
      await effect!(visit, key);
    }
  });

  it('do not reach the page behind a question', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const rule = { name: 'Volcano news', intent: '', platforms: ['x'], overrides: { x: 'volcano' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [post(1, 'a volcano')]);
    const rated: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api.RateMatch')) rated.push(request.postDataJSON());
    });
    await go(`/rules/${body['rule_id'] as string}`);
    await firstRow(page).waitFor();
    await page.keyboard.press('j');
    await page.locator('article button[data-match]:focus').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    const question = page.getByRole('alertdialog');
    // It is drawn a moment before it has the keyboard.
    await question.and(page.locator(':focus-within')).waitFor();
    for (const key of ['y', 'm', 'x']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await ratedAs(visit, 'irrelevant');
    expect(rated).toEqual([expect.objectContaining({ rating: 'irrelevant' })]);
  });
});
