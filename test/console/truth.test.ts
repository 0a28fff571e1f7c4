/** Trouble is said where a person looks: on Home in a sentence, on Health in words, in the navigation by a dot. */
import { expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('trouble', () => {
  it('is said when X refuses the token, and is gone when all is well', async () => {
    await using sandbox = await sandboxOfX();
    await using visit = await openConsole({
      settings: { SLUICE_X_BEARER_TOKEN: 'x-token', SLUICE_X_BASE_URL: sandbox.url },
    });
    const { page, server, go } = visit;
    const made = await server.call('POST', '/api.CreateRule', {
      name: 'Storms',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'storm' },
    });
    expect(made.status, made.text).toBe(200);
    await go('/');
    await page.reload();
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('listitem').filter({ hasText: 'X posts' }).waitFor({ state: 'detached' });

    await fetch(`${sandbox.url}/sandbox/faults`, { method: 'POST', body: JSON.stringify({ name: 'X18' }) });
    await attention.getByText('X posts: The upstream refuses the token.').waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByText('Something is wrong').first().waitFor();
    await attention.getByRole('link', { name: 'Details' }).first().click();
    const card = page.getByRole('region', { name: 'X posts' });
    await card.getByText('The upstream refuses the token.').first().waitFor();
    await card.getByText(/1 gap, one is open/).waitFor();
    expect(await card.getByText('Live', { exact: true }).count()).toBe(0);
  });
});

async function sandboxOfX() {
  const sandbox = await startSandbox({ xToken: 'x-token' });
  return { url: sandbox.url, [Symbol.asyncDispose]: () => sandbox.stop() };
}
