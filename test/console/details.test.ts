/** Small promises of the pages: addresses, room, focus, and names that do not mean two things. */
import { expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openConsole } from './browser.ts';
import { untilMatches } from './furnished.ts';
import { consoleSuite } from './suite.ts';

const ruleOf = (name: string, x: string) => ({ name, intent: '', platforms: ['x'], overrides: { x } });

consoleSuite('details', () => {
  it('keeps search, state and order of the rules in the address, and Back returns to them', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    for (const word of ['storm', 'calm']) await server.call('POST', '/api.CreateRule', ruleOf(word, word));
    await go('/rules');
    await page.getByLabel('Order').selectOption({ label: 'Most matches first' });
    await page.getByLabel('State').selectOption({ label: 'Active' });
    await page.getByRole('searchbox').fill('stor');
    await page.waitForURL(/search=stor/);
    await page.getByRole('link', { name: 'storm', exact: true }).click();
    await page.getByRole('heading', { name: 'storm', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'storm', exact: true }).waitFor();
    expect(await page.getByLabel('Order').locator('option:checked').innerText()).toBe('Most matches first');
    expect(await page.getByLabel('State').locator('option:checked').innerText()).toBe('Active');
    expect(await page.getByRole('searchbox').inputValue()).toBe('stor');
  });

  it('says of a rule that is not there where the others are, and does not ask for it again', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/rules/rule_01m7rk802jwpe2jas0g8xmmdcb');
    await page.getByText('There is no such rule').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await page.locator('main .skeleton').count()).toBe(0);
    await page.getByRole('link', { name: 'Deleted rules' }).click();
    await page.getByRole('heading', { name: 'Deleted rules', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'All rules' }).click();
    await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
  });

  it('tells a paused rule from a paused feed, and promises no match of it', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', ruleOf('calm', 'calm'));
    const { body } = await server.call('POST', '/api.CreateRule', ruleOf('storm', 'storm'));
    await server.call('POST', '/api.UpdateRule', { rule_id: body['rule_id'], paused: true });
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }, { data: { id: '2', text: 'calm' } }]);
    await go('/matches');
    await page.getByText('Rule “storm” is paused.').waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText('Paused', { exact: true }).count()).toBe(0);
    await go(`/rules/${String(body['rule_id'])}`);
    await page.getByText('Once it is resumed, posts and pages that match it appear here').waitFor();
    await page.getByText('On X posts it would have matched 1 of the last 2 events.').waitFor();
    await page.getByRole('status').getByText('Rule paused', { exact: true }).waitFor();
    await page.getByText('Matches may be missing from the shaded times.').waitFor();
    expect(await page.getByText(/could not listen|came before the rule/).count()).toBe(0);
  });

  it('gives the editor room at 1024 px, has Create rule after the form, and focuses the title of what it shows', async () => {
    await using visit = await openConsole({ viewport: { width: 1024, height: 768 } });
    const { page, go } = visit;
    await go('/rules/write');
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    await editor.click();
    expect((await editor.boundingBox())!.width).toBeGreaterThan(400);
    const isAfter = await page.evaluate<boolean>(`(() => {
      const fields = [...document.querySelectorAll('main input:not([type=checkbox])')];
      const buttons = [...document.querySelectorAll('button')].filter((one) => one.textContent.trim() === 'Create rule');
      return fields.length > 0 && buttons.length > 0 && buttons.every(
        (one) => fields[0].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
      );
    })()`);
    expect(isAfter).toBe(true);
    await page.keyboard.type('storm');
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Storm', level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(visit.complaints).toEqual([]);
  });

  it('says on a phone, too, that events are invented, and estimates nothing from them', async () => {
    await using server = await startServer({ SLUICE_DEMO: 'on' });
    await server.call('POST', '/api.CreateRule', ruleOf('Volcano', 'volcano OR lava OR launch'));
    await server.call('POST', '/api.CreateRule', ruleOf('Resting', 'eruption'));
    const { body } = await server.call('GET', '/api.ListRules');
    const [resting] = body['rules'] as { id: string }[];
    await server.call('POST', '/api.UpdateRule', { rule_id: resting!.id, paused: true });
    await untilMatches(server, 1);
    await using visit = await openConsole({ server, viewport: { width: 390, height: 844 } });
    const { page, go } = visit;
    await go('/rules/write?example=volcano');
    await page.getByText('No rate: the demo feed invented most of them.').first().waitFor();
    const estimate = page.locator('dl > div', { hasText: 'Estimated per day' });
    expect((await estimate.first().innerText()).split('\n')).toContain('–');
    await go('/matches?view=single');
    await page.locator('article').first().getByText('demo', { exact: true }).waitFor();

    // The paused rule is counted where it says so, and not among those that run.
    await go('/health');
    const card = page.getByRole('region', { name: 'X posts' });
    await card.getByText('made up by the demo').click();
    await card.getByText('All figures').click();
    const fact = (name: string) => card.locator('div', { has: page.getByText(name, { exact: true }) }).last();
    expect(await fact('Your rules, also the paused').innerText()).toMatch(/\b2\b/);
    expect(await fact('Rules that run, of all accounts').innerText()).toMatch(/\b1\b/);
    expect(visit.complaints).toEqual([]);
  });
});
