/** Silences: set from a row, a rule or the list, seen with who, why and until when, and ended early. */
import { expect, it } from 'vitest';
import { problemsEverywhere } from './axe.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('silences', () => {
  it('are set from a row by keyboard, listed, and ended before their time', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    const author = { id: '7', name: 'Mara Quill', username: 'mara_quill' };
    await server.push('x', [{ data: { id: '1', text: 'a storm', author_id: '7' }, includes: { users: [author] } }]);
    await go('/matches?view=single');
    await page.locator('article').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'This story' }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('radio', { name: 'All by @mara_quill' }).check();
    await dialog.getByRole('radio', { name: 'Until tomorrow 8:00' }).check();
    await dialog.getByLabel('Why').fill('She tests her alarm.');
    await page.keyboard.press('Enter');
    await page.getByText(/^All by @mara_quill is muted until .* It is listed under Connect, Muted\.$/).waitFor();
    const listed = async () =>
      (await server.call('GET', '/api.ListSilences')).body['silences'] as { author: string; until: string }[];
    const [silence] = await listed();
    expect(silence!.author).toBe('@mara_quill');
    const morning = await page.evaluate<number>(
      'new Date(new Date().setDate(new Date().getDate() + 1)).setHours(8, 0, 0, 0)',
    );
    expect(Date.parse(silence!.until)).toBe(morning);

    // A rule is silenced from its menu.
    await go(`/rules/${body['rule_id'] as string}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Mute …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await go('/connect?to=silences');
    await page.getByText('Everything by @mara_quill').waitFor();
    await page.getByText(/She tests her alarm\. Set .* by a person in the console/).waitFor();
    await page.getByText('Rule “Storms”', { exact: true }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'End now: Everything by @mara_quill' }).click();
    await page.getByText('It is no longer muted. Held matches are sent now.').waitFor();
    await page.getByText('Everything by @mara_quill').waitFor({ state: 'detached' });
    expect((await listed()).length).toBe(1);
    expect(visit.complaints).toEqual([]);
  });

  it('are of the rule that was chosen, though the list of rules moves meanwhile', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { page, server, go } = visit;
    const ids: string[] = [];
    const add = async (name: string, text: string) => {
      const rule = { name, intent: '', platforms: ['x'], overrides: { x: text } };
      ids.push((await server.call('POST', '/api.CreateRule', rule)).body['rule_id'] as string);
    };
    await add('Gales', 'gale');
    await add('Storms', 'storm');
    await add('Gales', 'strong gale');
    await page.clock.install();
    await go('/connect?to=silences');
    await page.getByText('Nothing is muted').waitFor();
    await page.getByRole('button', { name: 'Mute something' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Rule “Storms”' }).check();
    await server.call('POST', '/api.DeleteRule', { rule_id: ids[0] });
    await server.call('POST', '/api.DeleteRule', { rule_id: ids[2] });
    const listed = page.waitForResponse('**/api.ListRules');
    await page.clock.fastForward(15_100);
    await (await listed).finished();
    await page.clock.runFor(1_000);
    await dialog.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByText(/^Rule “Storms” is muted until /).waitFor();
    const { body } = await server.call('GET', '/api.ListSilences');
    expect(body).toMatchObject({ silences: [{ rule_ids: [ids[1]] }] });
  });
});
