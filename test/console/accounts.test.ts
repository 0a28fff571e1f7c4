/** The operator's accounts in a real browser: who uses most, a suspension, and limits of one account. */
import { expect, it } from 'vitest';
import { DEFAULT_ACCOUNT } from '../../src/domain/account.ts';
import { openService } from '../stages/service.ts';
import { axeProblems, problemsEverywhere } from './axe.ts';
import { openConsole } from './browser.ts';
import { newProfile } from './profile.ts';
import { openSceneServer } from './scene-server.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('accounts', () => {
  it('are listed for the operator alone, suspended and resumed after a question, and get limits of their own', async () => {
    await using server = await openSceneServer();
    await using profile = await newProfile();
    const { page } = profile;
    await using test = await openService();
    const [operator, acme] = [await test.caller(DEFAULT_ACCOUNT), await test.caller('acme')];
    await test.post(acme, 'storm', 'calm');
    test.service.context.accountUses.add(acme.account.id, { cpu_ms: 41_000, turns: 3 });
    await using shown = await server.show(test.service);

    await shown.as(acme.account.id);
    await page.goto(`${server.url}/#/settings`);
    await page.getByRole('group', { name: 'Keys' }).waitFor();
    expect(await page.getByRole('region', { name: 'Accounts' }).count()).toBe(0);

    await shown.as(operator.account.id);
    await page.goto(server.waiting);
    await page.goto(`${server.url}/#/settings`);
    const row = page.getByRole('group', { name: 'Accounts' }).getByRole('row').filter({ hasText: 'acme' });
    await row.getByText('41K', { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await row.getByRole('button', { name: 'Suspend acme' }).click();
    await page.getByRole('alertdialog').or(page.getByRole('dialog')).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Suspend account' }).click();
    await row.getByText('Suspended', { exact: true }).waitFor();
    expect((await test.store.account('acme'))?.suspended).toBeDefined();

    await row.getByRole('button', { name: 'Limits of acme' }).click();
    await page.getByRole('dialog').getByLabel('Open streams').fill('7');
    await page.getByRole('dialog').getByLabel('Matches a day').fill('off');
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await test.store.account('acme'))?.limits).toEqual({ streams: 7, matches_per_day: null });

    await row.getByRole('button', { name: 'Resume acme' }).click();
    await page.getByRole('button', { name: 'Resume account' }).click();
    await row.getByText('Suspended', { exact: true }).waitFor({ state: 'detached' });
    expect((await test.store.account('acme'))?.suspended).toBeUndefined();
    await page.goto(server.waiting);
  });

  it('are asked about one at a time: no question shows why the one before failed', async () => {
    await using visit = await openConsole();
    const { page, server, context, go } = visit;
    for (const name of ['Lava', 'Ash']) await server.call('POST', '/api.CreateFeed', { name, what: 'matches' });
    await go('/connect?to=feed');
    const answered = Promise.withResolvers<void>();
    const refused = { status: 400, json: { code: 'invalid_argument', message: 'It is refused.' } };
    await context.route('**/api.DeleteFeed', async (route) => {
      await answered.promise;
      await route.fulfill(refused);
    });
    const question = page.getByRole('alertdialog');
    const ask = (name: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Delete' }).click();
    await ask('Lava');
    await question.getByRole('button', { name: 'Delete' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    // Its answer comes while the next one is asked.
    await ask('Ash');
    const told = page.waitForResponse('**/api.DeleteFeed');
    answered.resolve();
    await told;
    await question.getByRole('button', { name: 'Delete' }).click();
    await question.getByText('It is refused.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await ask('Lava');
    await question.getByText('Delete the feed “Lava”?').waitFor();
    expect(await question.getByRole('alert').count()).toBe(0);
    await context.unrouteAll({ behavior: 'wait' });
  });
});
