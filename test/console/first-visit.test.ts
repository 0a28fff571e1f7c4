import { expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openConsole, signIn } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('the first visit', () => {
  it('opens with the link of the first start, once, and an example finds something in the demo feed', async () => {
    await using server = await startServer({ SLUICE_API_KEY: '', SLUICE_DEMO: 'on' });
    const link = /http:\S+#\/enter\?ticket=\S+/.exec(server.greeting.join('\n'))![0];
    await using visit = await openConsole({ server, signedIn: false, isFirst: true });
    const { page } = visit;
    await page.goto(link);
    await page.getByLabel('What do you care about?').waitFor();
    expect(new URL(page.url()).hash).toBe('#/');

    await page.getByRole('link', { name: 'Volcano news' }).click();
    await page.getByRole('list', { name: 'Examples' }).locator('mark').first().waitFor();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'A volcano erupts', level: 1 }).waitFor();

    // A link for a person who is signed in already may be another person's trap.
    await page.goto(`${server.url}/#/enter?ticket=enter_unused`);
    await page.getByRole('heading', { name: 'You are signed in already' }).waitFor();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();

    await using other = await openConsole({ server, signedIn: false, isFirst: true });
    await other.page.goto(link);
    await other.page.getByText('This link was used already').waitFor();
    expect([...visit.complaints, ...other.complaints]).toEqual([]);
  });

  it('takes a key, keeps it nowhere, and lets go again', async () => {
    await using visit = await openConsole({ signedIn: false, isFirst: true });
    const { page, context, key } = visit;
    await page.goto(visit.server.url);
    await signIn(page, 'sk_wrong-but-long-enough');
    await page.getByRole('alert').getByText('This key is not valid').waitFor();
    await signIn(page, key);
    await page.getByRole('heading', { name: 'Home' }).waitFor();

    const cookies = await context.cookies();
    expect(cookies).toMatchObject([{ name: 'sluice_session', httpOnly: true, sameSite: 'Strict' }]);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept + JSON.stringify(cookies)).not.toContain(key);

    await page.reload();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).first().click();
    await page.getByLabel('API key').waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('comes back to the page that was asked for', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page } = visit;
    await page.goto(`${visit.server.url}/#/rules`);
    await signIn(page, visit.key);
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
  });

  it('says so when the page does not exist', async () => {
    await using visit = await openConsole();
    await visit.page.goto(`${visit.server.url}/#/nowhere`);
    await visit.page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await visit.page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
