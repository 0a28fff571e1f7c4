/** Keys in a real browser: shown once, and without effect from the moment they are revoked. */
import { expect, it } from 'vitest';
import { openConsole, signIn } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('keys', () => {
  it('shows a new key once, and it works', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await go('/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('dashboard');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByText(/^sk_/).textContent())!;
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'dashboard', exact: true }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(key);
    expect((await server.call('GET', '/api.ListRules', undefined, { key })).status).toBe(200);
    expect((await server.call('POST', '/api.RevokeKey', { key_id: 'none' }, { key })).status).toBe(403);
    expect(visit.complaints).toEqual([]);
  });

  it('says how an agent program is told of this server', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await go('/connect');
    const snippet = page.getByRole('region', { name: 'Give an agent the tools of Sluice' }).locator('pre');
    await page.getByLabel('Agent program').selectOption('Cursor');
    expect(JSON.parse((await snippet.textContent())!)).toEqual({
      mcpServers: { sluice: { url: `${server.url}/mcp`, headers: { Authorization: 'Bearer sk_…' } } },
    });
    await page.getByText('Put a key of this account in place of sk_…').waitFor();
    // The key is made in place, the text is whole with it, and the page says when the first call came.
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Waiting for the first call').waitFor();
    const { mcpServers } = JSON.parse((await snippet.textContent())!) as {
      mcpServers: { sluice: { headers: { Authorization: string } } };
    };
    const key = mcpServers.sluice.headers.Authorization.replace('Bearer ', '');
    expect((await server.call('GET', '/api.ListRules', undefined, { key })).status).toBe(200);
    await page.getByText('Connected: the first call came').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('ends every tab of a session when its key is revoked in one of them', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { server, page, context } = visit;
    const made = await server.call('POST', '/api.CreateKey', { name: 'borrowed', scope: 'full' });
    const borrowed = made.body['key'] as string;
    await page.goto(`${server.url}/#/matches`);
    await signIn(page, borrowed);
    await page.getByText('No feed', { exact: true }).waitFor();

    const other = await context.newPage();
    await other.goto(`${server.url}/#/settings`);
    await other.getByRole('row', { name: 'borrowed' }).getByText('this session').waitFor();
    await other.getByRole('button', { name: 'Revoke borrowed' }).click();
    await other.getByRole('button', { name: 'Revoke key' }).click();
    await other.getByText('The key “borrowed” stops working in ten seconds.').waitFor();
    await other.getByRole('button', { name: 'Undo' }).click();
    await other.getByRole('button', { name: 'Revoke borrowed' }).click();
    await other.getByRole('button', { name: 'Revoke key' }).click();

    // The first tab hears of it from its stream, without being touched.
    await page.getByLabel('API key').waitFor();
    await page.getByText('session has ended', { exact: false }).waitFor();
    await other.getByLabel('API key').waitFor();
    expect((await server.call('GET', '/api.ListRules', undefined, { key: borrowed })).status).toBe(401);
  });

  it('that were just revoked are revoked before their owner is signed out, who stays if one is not', async () => {
    await using visit = await openConsole();
    const { server, page, context, go } = visit;
    const made = await server.call('POST', '/api.CreateKey', { name: 'borrowed', scope: 'full' });
    const key = made.body['key'] as string;
    const revoke = async () => {
      await page.getByRole('button', { name: 'Revoke borrowed' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('The key “borrowed” stops working in ten seconds.').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
    };
    await go('/settings');
    const refusal = { code: 'internal', message: 'The store is full.' };
    await context.route('**/api.RevokeKey', (route) => route.fulfill({ status: 403, json: refusal }));
    await revoke();
    await page.getByText('The key “borrowed” still works: The store is full.').waitFor();
    await page.getByText('You are still signed in, because something could not be deleted.').waitFor();
    await context.unroute('**/api.RevokeKey');
    await revoke();
    await page.getByLabel('API key').waitFor();
    expect((await server.call('GET', '/api.ListRules', undefined, { key })).status).toBe(401);
    expect(visit.complaints).toEqual([]);
  });
});
