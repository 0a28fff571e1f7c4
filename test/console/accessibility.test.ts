/** axe on the pages that are looked at all day, in use and empty, light and dark, wide and narrow. */
import { expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openReceiver } from '../receiver.ts';
import { axeProblems } from './axe.ts';
import { openConsole } from './browser.ts';
import { furnish } from './furnished.ts';
import { consoleSuite } from './suite.ts';

const PATHS = ['/', '/matches', '/webhooks', '/keys', '/status'];

consoleSuite('accessibility', () => {
  it.each(['light', 'dark'] as const)('finds nothing wrong with pages in use (%s)', async (colorScheme) => {
    await using refusing = await openReceiver((response) => void response.writeHead(500).end('no'));
    await using taking = await openReceiver();
    await using server = await startServer({ SLUICE_DEMO: 'on', SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' });
    const { webhookId } = await furnish(server, { refusing: refusing.url, taking: taking.url });
    await using visit = await openConsole({ server, colorScheme });
    const { page, go } = visit;
    for (const path of [...PATHS, `/webhooks?webhook=${webhookId}`]) {
      await go(path);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect(await axeProblems(page), path).toEqual([]);
    }

    await go('/matches');
    await page.locator('article button[data-match]').first().click();
    for (const tab of ['Why it matched', 'Payload']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect(await axeProblems(page), tab).toEqual([]);
    }
    await go('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    expect(await axeProblems(page), 'the form of a webhook').toEqual([]);
    await page.keyboard.press('Escape');
    await go('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    expect(await axeProblems(page), 'the form of a key').toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('finds nothing wrong with empty pages at 380 px (%s)', async (colorScheme) => {
    await using visit = await openConsole({ colorScheme, viewport: { width: 380, height: 760 } });
    const { page, go } = visit;
    for (const path of PATHS) {
      await go(path);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect(await axeProblems(page), path).toEqual([]);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow, `${path} is wider than the window`).toBe(0);
    }
    expect(visit.complaints).toEqual([]);
  });
});
