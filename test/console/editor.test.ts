/** The editor and its dialogs say who refuses, which text is judged, and where to begin. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { problemsEverywhere } from './axe.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string, more: object = {}) => ({ data: { id: String(id), text, lang: 'en', ...more } });
const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Rule for X posts' });
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

consoleSuite('the editor', () => {
  it('names the platform that refuses a rule, and does not call the text valid', async () => {
    await using sandbox = await startSandbox();
    const reason = 'Rules must contain at least one positive, non-stopword clause (at position 1)';
    await using visit = await openConsole({
      settings: { SLUICE_X_BEARER_TOKEN: 'token', SLUICE_X_BASE_URL: sandbox.url },
    });
    const { page } = visit;
    sandbox.throwFault('X22', { reason });
    await visit.go('/rules/write');
    await editorOf(page).click();
    await page.keyboard.type('storm');
    await page.getByText('Valid', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Create rule' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'X does not accept this rule.' });
    await refusal.getByText(`It says: “${reason}”`).waitFor();
    await refusal.getByText('Change the text, or leave this platform out, and try again.').waitFor();
    await page.getByText('Refused', { exact: true }).waitFor();
    expect(await page.getByText('Valid', { exact: true }).count()).toBe(0);
    await editorOf(page).click();
    await page.keyboard.type('s');
    await page.getByText('Valid', { exact: true }).waitFor();
  });

  it('says which text the preview judged, and follows the offered fix', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push('x', [post(1, 'broadband outage in Leeds'), post(2, 'calm')]);
    await visit.go('/rules/write');
    const preview = page.getByRole('region', { name: 'What this rule would have matched' });
    await editorOf(page).click();
    await page.keyboard.type('broadband outage from:@nasa');
    await preview.getByText('Of the text with the offered fix:').waitFor();
    await preview.getByText('broadband outage from:nasa', { exact: true }).waitFor();
    // A text that no fix mends: the last valid one is named.
    await page.keyboard.press('Control+a');
    await page.keyboard.type('broadband outage');
    await preview.getByRole('listitem').first().waitFor();
    await page.keyboard.type(' lang:e');
    await preview.getByText(/^Of the (last valid text|text with the offered fix):/).waitFor();
    expect(await preview.locator('code').first().innerText()).not.toBe('broadband outage lang:e');
    await page.keyboard.press('Escape');
    await page.keyboard.type('n');
    await preview.getByText(/^Of the /).waitFor({ state: 'detached' });
    await preview.getByText('broadband outage in Leeds').waitFor();
  });

  it('puts the reason for a grey button beside it', async () => {
    await using visit = await openConsole({ viewport: { width: 1440, height: 900 } });
    const { page } = visit;
    await visit.go('/rules/write');
    const reason = (await page.getByText('Write the rule for X posts first.').first().boundingBox())!;
    const button = (await page.getByRole('button', { name: 'Create rule' }).boundingBox())!;
    expect(button.x - (reason.x + reason.width)).toBeLessThan(40);
  });

  it('warns of a rule that can never match, and nothing calls it active', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await visit.go('/rules/write');
    await editorOf(page).click();
    await page.keyboard.type('acme refund -acme');
    await page.getByText('No post can match this rule: acme is both required and excluded.').first().waitFor();
    expect(await page.getByText('Valid', { exact: true }).count()).toBe(0);
    await server.call('POST', '/api.CreateRule', { ...RULE, overrides: { x: 'acme refund -acme' } });
    await visit.go('/rules');
    const listed = page.getByRole('list', { name: 'Rules' }).getByRole('listitem').first();
    await listed.getByText('Can never match').filter({ visible: true }).waitFor();
    expect(await listed.getByText('Active', { exact: true }).count()).toBe(0);
    await visit.go('/');
    await page.getByRole('region', { name: 'Needs attention' }).getByText('can never match').waitFor();
  });

  it('looks a post up by its address, its id and its words, and offers the smallest change', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const author = { includes: { users: [{ id: '7', username: 'mara', name: 'Mara' }] } };
    await server.push('x', [
      { ...post(123456, 'Northline unreachable since noon', { author_id: '7' }), ...author },
      post(123457, 'Northline unreachable again'),
    ]);
    await visit.go('/rules/write');
    await editorOf(page).click();
    await page.keyboard.type('northline outage');
    const asked = page.getByLabel('A post that the rule should, or should not, match');
    const card = page.getByRole('region', { name: 'Why not?' });
    await asked.fill('https://x.com/mara/status/123456');
    await card.getByText('Found among the recent events.').waitFor();
    await card.getByText('It does not match').waitFor();
    await card.getByText('Northline unreachable since noon').waitFor();
    await asked.fill('123457');
    await card.getByText('Northline unreachable again').first().waitFor();
    await asked.fill('https://x.com/mara/status/999999');
    await card.getByText('neither among the recent events nor among the stored matches').waitFor();
    await asked.fill('northline unreachable');
    await card.getByRole('region', { name: 'Recent events with these words' }).getByText('since noon').click();
    await card.getByRole('button', { name: 'Use this text' }).click();
    await card.getByText('It matches').waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('greets a new rule with what came before it, and with no word of a filter', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push('x', [post(1, 'The storm is near'), post(2, 'calm')]);
    const { body } = await server.call('POST', '/api.CreateRule', RULE);
    await visit.go(`/rules/${String(body['rule_id'])}`);
    await page.getByText('No matches yet', { exact: true }).waitFor();
    await page.getByText('it would have matched 1 of the last 2 events').waitFor();
    await page
      .getByRole('list', { name: 'Recent events that it would have matched' })
      .getByText('The storm is near')
      .waitFor();
    expect(await page.getByText('No matches for this filter').count()).toBe(0);
  });

  it('says above the form that no further rule can be created', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    // As many as an account has at first.
    for (let at = 0; at < 25; at++) await server.call('POST', '/api.CreateRule', { ...RULE, name: `Storm ${at}` });
    for (const path of ['/rules/new', '/rules/write']) {
      await visit.go(path);
      await page.getByText('All 25 rules of this account on X posts are in use.').waitFor();
    }
  });

  it('estimates no day from one burst', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push(
      'x',
      Array.from({ length: 176 }, (_, at) => post(at + 1, `storm ${at}`)),
    );
    await visit.go('/rules/write');
    await editorOf(page).click();
    await page.keyboard.type('storm');
    const estimate = page.locator('dl > div', { hasText: 'Estimated per day' }).first();
    await expect.poll(async () => (await estimate.innerText()).split('\n')).toContain('–');
    await page
      .getByText(/^No rate: /)
      .first()
      .waitFor();
  });

  it('opens its dialogs at the first field: a key is made by typing its name', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Anna');
    await page.keyboard.press('Enter');
    await page.getByText(/^sk_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await visit.go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').and(page.locator(':focus')).waitFor();
  });
});

consoleSuite('Back', () => {
  it('brings each search back', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.call('POST', '/api.CreateRule', RULE);
    await visit.go('/');
    await page.getByRole('link', { name: 'Matches' }).first().click();
    const field = page.getByLabel('Text in the post or page');
    await field.fill('rotterdam');
    await page.waitForURL(/text=rotterdam/);
    await field.fill('');
    await page.waitForURL((url) => !url.hash.includes('text='));
    await field.fill('acme');
    await page.waitForURL(/text=acme/);
    // Without clearing it, too.
    await field.fill('storm');
    await page.waitForURL(/text=storm/);
    for (const text of ['acme', '', 'rotterdam', '']) {
      await page.goBack();
      await expect.poll(() => field.inputValue()).toBe(text);
    }
  });

  it('does not let an answer stand for another text than its own', async () => {
    await using visit = await openConsole();
    const { page, context } = visit;
    await visit.go('/rules/write');
    await editorOf(page).click();
    await page.keyboard.type('storm');
    const card = page.getByRole('region', { name: 'Why not?' });
    await page.getByLabel('A post that the rule should, or should not, match').fill('a storm is near');
    await card.getByText('It matches').waitFor();
    const held = Promise.withResolvers<void>();
    await context.route('**/api.ExplainEvent', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('A post that the rule should, or should not, match').fill('calm');
    await card.getByText('Updating …').waitFor();
    held.resolve();
    await card.getByText('It does not match').waitFor();
    expect(await card.getByText('Updating …').count()).toBe(0);
  });
});
