/** Exploring matches in a real browser: facets, saved views, copies for programs, files, and one match for a webhook. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openReceiver } from '../stages/receiver.ts';
import { axeProblems } from './axe.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

const rows = 'article button[data-match]';

const post = (id: number, username: string, text: string, lang = 'en') => ({
  data: { id: String(id), text, author_id: username, lang },
  includes: { users: [{ id: username, username, name: username }] },
});

consoleSuite('explore', () => {
  it('filters by a facet in one click, keeps it as a view, and hands it to programs, files and webhooks', async () => {
    await using receiver = await openReceiver();
    await using visit = await openConsole({ settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' } });
    const { server, page, context, go } = visit;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await server.call('POST', '/api.CreateRule', {
      name: 'Volcano news',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'volcano' },
    });
    await server.push('x', [
      post(1, 'mara', 'a volcano'),
      post(2, 'mara', 'the volcano again', 'de'),
      post(3, 'jo', 'my volcano'),
    ]);
    await go('/matches?view=single');
    await page.locator(rows).nth(2).waitFor();

    const facets = page.getByRole('region', { name: 'Filters' });
    await facets.getByText('The numbers count all 3 matches.').waitFor();
    await facets.getByRole('button', { name: /mara/ }).click();
    await page.waitForURL(/author=mara/);
    await expect.poll(() => page.locator(rows).count()).toBe(2);
    await facets.getByText('The numbers count all 2 matches.').waitFor();
    expect(await axeProblems(page)).toEqual([]);

    // Only what fits arrives.
    await server.push('x', [post(4, 'jo', 'another volcano'), post(5, 'mara', 'the last volcano')]);
    await page.locator('article', { hasText: 'the last volcano' }).waitFor();
    expect(await page.locator(rows).count()).toBe(3);

    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Copy as a sluice command' }).click();
    await page.getByText('Copied. Put your key into $KEY.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`--author 'mara'`);
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Download NDJSON' }).click();
    const lines = readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).platform_post_id)).toEqual(['5', '2', '1']);

    const parquet = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Download Parquet' }).click();
    expect(
      readFileSync(await (await parquet).path())
        .subarray(0, 4)
        .toString(),
    ).toBe('PAR1');

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill('By Mara');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('View “By Mara” saved.').waitFor();

    // Back undoes the filter; the view brings it again.
    await page.goBack();
    await page.locator(rows).nth(4).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'By Mara' }).click();
    await page.waitForURL(/author=mara/);
    await page.getByRole('button', { name: 'By Mara' }).click();
    await page.getByRole('menuitem', { name: 'All saved views' }).click();
    await page.getByRole('button', { name: 'Delete By Mara' }).click();
    await page.getByText('There are none.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Delete By Mara' }).waitFor();
    await page.keyboard.press('Escape');

    await server.call('POST', '/api.CreateWebhook', { url: `${receiver.url}/news`, description: 'Newsroom' });
    await page.locator(rows).first().click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Send to Newsroom' }).click();
    await page.getByText('Queued for “Newsroom”.').waitFor();
    await expect
      .poll(() => receiver.received.map(({ body }) => body))
      .toEqual([expect.stringContaining('the last volcano')]);
    await page.getByRole('button', { name: 'Show log' }).click();
    await page.getByText('100 % of 1 attempt succeeded').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });
});
