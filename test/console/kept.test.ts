/** Nothing that was typed or shown once is lost: not when the server is away, the session ends, or the page is plain http. */
import { expect, it } from 'vitest';
import { openConsole, signIn } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('what is kept', () => {
  it('stays and recovers by itself when the server is away as a page is first visited', async () => {
    await using visit = await openConsole();
    const { page, context } = visit;
    await context.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(/#\/settings/);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await context.unroute('**/*');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'first', exact: true }).waitFor();
  });

  it('is what was typed when the session ends, and only signing in closes the question', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server, key } = visit;
    const made = await server.call('POST', '/api.CreateKey', { name: 'borrowed', scope: 'full' });
    await page.goto(`${server.url}/#/rules/new`);
    await signIn(page, made.body['key'] as string);
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    await editor.click();
    await page.keyboard.type('storm near');
    await server.call('POST', '/api.RevokeKey', { key_id: made.body['id'] });
    const question = page.getByRole('dialog', { name: 'Your session has ended' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await signIn(page, key);
    await question.waitFor({ state: 'detached' });
    expect(await editor.innerText()).toBe('storm near');
    // A rule without a name of its own is called by its text.
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Storm, near', level: 1 }).waitFor();
  });

  it('is a key that is shown once: only Done closes it, and it is copied without a clipboard object', async () => {
    await using visit = await openConsole();
    const { page, context, go } = visit;
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.reload();
    await go('/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('dashboard');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByText(/^sk_/).textContent())!;
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.getByRole('button', { name: 'Copy key' }).click();
    await page.getByText('Copied').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^sk_/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+v');
    expect(await page.getByLabel('Name').inputValue()).toBe(key);
    expect(visit.complaints).toEqual([]);
  });
});
