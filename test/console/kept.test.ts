/** Nothing that was typed or shown once is lost: not when the server is away, the session ends, or the page is plain http. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openConsole, signIn } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('what is kept', () => {
  it('stays and recovers by itself when the server is away as a page is first visited', async () => {
    await using visit = await openConsole({ isFirst: true });
    const { page, context } = visit;
    await visit.go('/');
    await context.route('**/*', (route) => route.abort());
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL(/#\/settings/);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await context.unroute('**/*');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByText('this session', { exact: true }).waitFor();
  });

  it('is what was typed when the session ends, and only signing in closes the question', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server, key } = visit;
    const made = await server.call('POST', '/api.CreateKey', { name: 'borrowed', scope: 'full' });
    await page.goto(`${server.url}/#/rules/write`);
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
    await using visit = await openConsole({ isFirst: true });
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

  it('is what was typed when the server is lost, and the page is loaded anew', async () => {
    await using visit = await openConsole({ isFirst: true });
    const { page, context, go } = visit;
    await go('/rules/write');
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    await editor.click();
    await page.keyboard.type('storm near');
    await page.getByText('Valid', { exact: true }).waitFor();
    await context.route('**/*', (route) => route.abort());
    await page.getByText('The server does not answer.', { exact: false }).waitFor();
    expect(await editor.innerText()).toBe('storm near');
    await page.reload().catch(() => undefined);
    await context.unroute('**/*');
    await page.goto(`${visit.server.url}/#/rules/write`);
    await page.getByText('typed earlier').waitFor();
    expect(await editor.innerText()).toBe('storm near');
  });

  it('is every page: their code is loaded while the browser is idle', async () => {
    await using visit = await openConsole({ isFirst: true });
    const { page, context } = visit;
    const pages = pagesOfConsole();
    await visit.go('/');
    await expect
      .poll(() => page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)"))
      .toEqual(expect.arrayContaining(pages.map((file) => `${visit.server.url}/${file}`)));
    await context.route('**/assets/**', (route) => route.abort());
    for (const name of ['Matches', 'Rules', 'Connect', 'Health', 'Settings']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
    }
    expect(visit.complaints).toEqual([]);
  });

  it('is the secret of a webhook: only Done closes it', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('https://example.com/hook');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await page.getByText(/^whsec_/).count()).toBe(1);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
  });

  it('is unchanged by a key that only reads, and every page says so', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server, go } = visit;
    const { body } = await server.call('POST', '/api.CreateKey', { name: 'reader', scope: 'read' });
    await page.goto(server.url);
    await signIn(page, body['key'] as string);
    for (const path of ['/', '/matches', '/rules', '/rules/new', '/connect', '/health', '/settings']) {
      await go(path);
      await page.getByText('Your key is read only: you see everything and can change nothing.').waitFor();
    }
    await page.getByRole('button', { name: 'New key' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Your key is read only.', { exact: true }).first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('is what others saved of a rule meanwhile: only what was typed is sent', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const rule = { name: 'Storms', intent: 'Weather.', platforms: ['x'], overrides: { x: 'storm' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    const ruleId = body['rule_id'] as string;
    await go(`/rules/${ruleId}?tab=edit`);
    await page.getByLabel('Intent').fill('Weather that matters.');
    await go('/settings');
    await server.call('POST', '/api.UpdateRule', { rule_id: ruleId, name: 'Gales', overrides: { x: 'gale' } });
    await go(`/rules/${ruleId}?tab=edit`);
    await page.reload();
    await page.getByText('typed earlier').waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: 'Rule for X posts' }).innerText()).toBe('gale');
    expect(await page.getByLabel('Name').inputValue()).toBe('Gales');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    expect((await server.call('GET', `/api.GetRule?rule_id=${ruleId}`)).body).toMatchObject({
      name: 'Gales',
      intent: 'Weather that matters.',
      platforms: { x: { translated_value: 'gale' } },
    });
  });

  it('is what was typed into a rule that others change while it is watched, and what they change is shown', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { page, server, go } = visit;
    const rule = { name: 'Storms', intent: 'Weather.', platforms: ['x'], overrides: { x: 'storm' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    const ruleId = body['rule_id'] as string;
    await page.clock.install();
    await go(`/rules/${ruleId}?tab=edit`);
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    await expect.poll(() => editor.innerText()).toBe('storm');
    await page.getByLabel('Intent').fill('Weather that matters.');
    await server.call('POST', '/api.UpdateRule', { rule_id: ruleId, name: 'Gales', overrides: { x: 'gale' } });
    await page.clock.fastForward(15_100);
    await expect.poll(() => editor.innerText()).toBe('gale');
    await page.getByRole('heading', { name: 'Gales', level: 1 }).waitFor();
    expect(await page.getByLabel('Intent').inputValue()).toBe('Weather that matters.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Saved/).waitFor();
    expect((await server.call('GET', `/api.GetRule?rule_id=${ruleId}`)).body).toMatchObject({
      name: 'Gales',
      intent: 'Weather that matters.',
      platforms: { x: { translated_value: 'gale' } },
    });
    expect(visit.complaints).toEqual([]);
  });

  it('is what is typed while a rule is being saved', async () => {
    await using visit = await openConsole();
    const { page, server, context, go } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await go(`/rules/${body['rule_id'] as string}?tab=edit`);
    const asked = Promise.withResolvers<void>();
    const typed = Promise.withResolvers<void>();
    await context.route('**/api.UpdateRule', async (route) => {
      asked.resolve();
      await typed.promise;
      await route.continue();
    });
    await page.getByLabel('Intent').fill('Weather');
    await page.getByRole('button', { name: 'Save' }).click();
    await asked.promise;
    await page.getByLabel('Intent').fill('Weather that matters.');
    typed.resolve();
    await page.getByText(/^Saved/).waitFor();
    expect(await page.getByLabel('Intent').inputValue()).toBe('Weather that matters.');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => page.getByLabel('Intent').inputValue()).toBe('Weather');
    await context.unrouteAll({ behavior: 'wait' });
  });

  it('is what was discarded or taken away by mistake: Undo brings it back', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const overrides = { x: 'storm', firehose: 'title:storm' };
    const rule = { name: 'Storms', intent: '', platforms: ['x', 'firehose'], overrides };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await go(`/rules/${body['rule_id'] as string}?tab=edit`);
    const pages = page.getByRole('textbox', { name: 'Rule for web pages' });
    await pages.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' AND title:rain');
    await page.getByRole('button', { name: 'Do not watch web pages' }).click();
    await pages.waitFor({ state: 'detached' });
    // What is typed after it stays as well.
    await page.getByLabel('Intent').fill('Weather');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => pages.innerText()).toBe('title:storm AND title:rain');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => pages.innerText()).toBe('title:storm');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => pages.innerText()).toBe('title:storm AND title:rain');
    expect(await page.getByLabel('Intent').inputValue()).toBe('Weather');
    expect(visit.complaints).toEqual([]);
  });

  it('is what was typed into a form that a click misses', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/settings');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New key' }).click();
    await dialog.waitFor();
    // Nothing is lost yet.
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('dashboard');
    await page.mouse.click(5, 5);
    await page.keyboard.press('Tab');
    expect(await page.getByLabel('Name').inputValue()).toBe('dashboard');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});

/** The scripts of the pages that the navigation leads to, as they are built. */
function pagesOfConsole(): string[] {
  const manifest = resolve(import.meta.dirname, '../../console/dist/.vite/manifest.json');
  const chunks = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, { file: string }>;
  const files = Object.entries(chunks).filter(([name]) =>
    /^src\/(?:[a-z]+\/(?:list-)?page|chart\/plot|exclude\/exclude-dialog)\.tsx$/.test(name),
  );
  return files.map(([, { file }]) => file);
}
