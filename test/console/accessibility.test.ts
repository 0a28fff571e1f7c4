/** axe on every page: in use and empty, light and dark, on a phone, a small laptop and a screen. */
import { expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openReceiver } from '../stages/receiver.ts';
import { problemsAtEnds, problemsEverywhere } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { furnish, untilMatches } from './furnished.ts';
import { consoleSuite } from './suite.ts';

const PAGES = {
  '/': 'Home',
  '/matches': 'Matches',
  '/sources': 'Sources',
  '/connect?to=webhook': 'Connect',
  '/settings': 'Settings',
  '/health': 'Health',
  '/timeline?span=hour': 'Timeline',
};
/** They look the same whether the account is in use or not. */
const STILL = {
  '/rules/deleted': 'Deleted rules',
  '/rules/overlap': 'Compare rules',
  '/connect': 'Connect',
  '/connect?to=program': 'Connect',
  '/connect?to=events': 'Connect',
  '/nowhere': 'Page not found',
};

async function show({ page, go }: Visit, path: string, title: string): Promise<void> {
  await go(path);
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

consoleSuite('accessibility', () => {
  it('finds nothing wrong with pages in use', async () => {
    await using refusing = await openReceiver((response) => void response.writeHead(500).end('no'));
    await using taking = await openReceiver();
    await using server = await startServer({ SLUICE_DEMO: 'on', SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' });
    const { ruleId, webhookId } = await furnish(server, { refusing: refusing.url, taking: taking.url });
    await untilMatches(server, 5);
    await using visit = await openConsole({ server });
    const { page } = visit;
    for (const [path, title] of Object.entries(PAGES)) {
      await show(visit, path, title);
      expect(await problemsEverywhere(page), path).toEqual([]);
    }
    await show(visit, `/connect/${webhookId}`, 'Newsroom');
    expect(await problemsEverywhere(page), 'one webhook').toEqual([]);
    for (const tab of ['matches', 'insights', 'deliver', 'history']) {
      await show(visit, `/rules/${ruleId}?tab=${tab}`, 'Volcano watch');
      expect(await problemsEverywhere(page), tab).toEqual([]);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await problemsEverywhere(page), 'the list of places').toEqual([]);
    await page.keyboard.press('Escape');

    await show(visit, '/matches?view=single', 'Matches');
    await page.locator('article button[data-match]').first().click();
    await page.getByRole('tab', { name: 'Why it matched' }).click();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await problemsEverywhere(page), 'a match').toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('finds nothing wrong with empty pages and with forms', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    for (const [path, title] of Object.entries({ ...PAGES, ...STILL })) {
      await show(visit, path, title);
      expect(await problemsAtEnds(page), path).toEqual([]);
    }
    for (const [path, title] of [
      ['/connect?to=webhook', 'webhook'],
      ['/settings', 'key'],
    ] as const) {
      await show(visit, path, PAGES[path]);
      await page.getByRole('button', { name: `New ${title}` }).click();
      await page.getByRole('dialog').waitFor();
      expect(await problemsAtEnds(page), `the form of a ${title}`).toEqual([]);
      await page.keyboard.press('Escape');
    }
    expect(visit.complaints).toEqual([]);
  });
});
