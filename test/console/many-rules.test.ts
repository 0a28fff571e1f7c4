import { expect, it } from 'vitest';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

/** Far more than fit into a window. `npm run campaign -- console` has ten times as many, and says how long the page is busy. */
const RULES = 1_000;
const AT_ONCE = 50;

consoleSuite('very many rules', () => {
  it('are listed, searched and scrolled, with only those in view drawn', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const create = async (n: number) => {
      const { status, text } = await server.call('POST', '/api.CreateRule', {
        name: `Rule ${n}`,
        intent: `About word${n}`,
        platforms: ['firehose'],
        overrides: { firehose: `word${n}` },
      });
      expect(status, text).toBe(200);
    };
    for (let from = 0; from < RULES; from += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => create(from + n + 1)));

    await visit.go('/rules');
    await page.getByText('1,000 rules').first().waitFor();
    await page.getByRole('link', { name: 'Rule 1000', exact: true }).waitFor();
    const rows = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(40);

    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Rule 1', exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(40);
    await page.getByRole('img', { name: 'Last 24 hours: 0 matches' }).first().waitFor();

    await page.getByRole('searchbox').fill('word471');
    await page.getByRole('link', { name: 'Rule 471', exact: true }).waitFor();
    expect(await rows.count()).toBe(1);
    await page.getByRole('link', { name: 'Rule 471', exact: true }).click();
    await page.getByRole('heading', { name: 'Rule 471' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
