/** The reference at `/docs`, in a browser: it obeys its policy, follows the console's theme, and anyone can read it. */
import { expect, it } from 'vitest';
import { axeProblems } from './axe.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('the reference', () => {
  it('leads to an operation by its address, and asks no one for anything', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server, complaints } = visit;
    await page.goto(`${server.url}/docs/#createRule`);
    expect(await page.locator('article:target h3').innerText()).toBe('Create a rule');
    await page.locator('nav').getByRole('link', { name: 'List matches' }).click();
    expect(await page.locator('article:target h3').innerText()).toBe('List matches');
    expect(complaints).toEqual([]);
  });

  it('follows the theme that was chosen in the console', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server } = visit;
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.goto(`${server.url}/docs/`);
    const light = await ground();
    await page.evaluate("localStorage.setItem('sluice-theme', 'dark')");
    await page.reload();
    expect([light, await ground()]).toEqual(['rgb(255, 255, 255)', 'rgb(14, 16, 18)']);
  });

  it('has nothing that axe finds wrong, light or dark', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server } = visit;
    await page.goto(`${server.url}/docs/`);
    // Each section keeps its first article: the others have the same parts, and axe would take minutes for all.
    await page.evaluate("document.querySelectorAll('article ~ article, nav li + li').forEach((one) => one.remove())");
    expect(await axeProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeProblems(page)).toEqual([]);
  });
});
