/** The operator's accounts in a real browser: who uses most, a suspension, and limits of one account. */
import { expect, it } from 'vitest';
import { DEFAULT_ACCOUNT } from '../../src/domain/account.ts';
import { openService } from '../stages/service.ts';
import { axeProblems, problemsEverywhere } from './axe.ts';
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
});
