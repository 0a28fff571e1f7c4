import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string) => ({ data: { id: String(id), text, lang: 'en' } });

/** The editor is in a shadow root; its role is found through it. */
const editorOf = (page: Page, of: string) => page.getByRole('textbox', { name: `Rule for ${of}` });

async function newRule({ server }: Visit, overrides: Record<string, string>, name = 'Storms') {
  const answer = await server.call('POST', '/api.CreateRule', {
    name,
    intent: 'Weather that matters.',
    platforms: Object.keys(overrides),
    overrides,
  });
  return answer.body['rule_id'] as string;
}

consoleSuite('rules', () => {
  it('are written with a mistake, which is underlined, mended and gone', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.server.push('x', [post(1, 'The storm is near'), post(2, 'calm'), post(3, 'rain and STORM')]);
    await visit.go('/rules/write');
    await page.getByLabel('Name').fill('Storms');
    await editorOf(page, 'X posts').click();
    await page.keyboard.type('storm AND (near || rain');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.getByText('2 errors').waitFor();
    expect(await page.getByRole('button', { name: 'Create rule' }).isDisabled()).toBe(true);

    const fixes = page.getByRole('list', { name: 'Diagnostics' }).getByRole('button', { name: /^Fix/ });
    // One fix mends the whole list of clauses, both of its errors.
    await fixes.first().click();
    await page.getByText('Valid', { exact: true }).waitFor();
    expect(await editorOf(page, 'X posts').innerText()).toBe('storm (near OR rain)');
    await page.locator('.cm-lintRange-error').waitFor({ state: 'detached' });

    const caught = page.getByRole('list', { name: 'Recent events that match' });
    await caught.getByRole('listitem').nth(1).waitFor();
    expect(await caught.locator('mark').allInnerTexts()).toEqual(['rain', 'STORM', 'storm', 'near']);
    await page.getByRole('img', { name: /What this rule would have matched: 2 matches/ }).waitFor();

    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Storms', level: 1 }).waitFor();
    await page.getByText('Posts and pages that match this rule appear here as they arrive.').waitFor();
    const { body } = await visit.server.call('GET', '/api.ListRules');
    expect(body).toMatchObject({ rules: [{ platforms: { x: { translated_value: 'storm (near OR rain)' } } }] });
    expect(visit.complaints).toEqual([]);
  });

  it('that match nothing show the clauses that alone kept recent events out', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.server.push('x', [post(1, 'The storm is near'), post(2, 'a storm far away'), post(3, 'calm')]);
    await visit.go('/rules/write');
    await editorOf(page, 'X posts').click();
    await page.keyboard.type('storm lang:is');
    const misses = page.getByRole('region', { name: 'Near misses' });
    await misses.waitFor();
    expect(await misses.getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/^lang:is\s+2$/)]);
    expect(visit.complaints).toEqual([]);
  });

  it('mend themselves from the underlined place too', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write');
    await editorOf(page, 'X posts').click();
    await page.keyboard.type('storm from:@nasa ');
    await page.locator('.cm-lintRange-error').first().hover();
    await page.locator('.cm-tooltip-lint').getByRole('button', { name: 'Fix' }).click();
    await page.getByText('Valid', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('say that they are slow, and why', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write');
    await editorOf(page, 'X posts').click();
    await page.keyboard.type('followers_count:1000');
    await page.getByText('checked against every event, because it asks for a number').waitFor();
    await page.keyboard.type(' volcano');
    await page.getByText('checked against every event').waitFor({ state: 'detached' });
  });

  it('are completed with the help of the language', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write');
    await editorOf(page, 'X posts').click();
    await page.keyboard.type('storm retweets_o');
    await page
      .getByRole('option', { name: /^retweets_of:/ })
      .first()
      .waitFor();
    await page.locator('.cm-completionInfo').waitFor();
    // The list takes no click in its first moment.
    const option = page.getByRole('option', { name: /^retweets_of:/ }).first();
    await expect
      .poll(async () => {
        if (await option.isVisible()) await option.click({ timeout: 1_000 }).catch(() => undefined);
        return editorOf(page, 'X posts').innerText();
      })
      .toBe('storm retweets_of:');
  });

  it('are translated, with a report of what was lost', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write?example=volcano');
    await page.getByRole('button', { name: 'Do not watch web pages' }).click();
    await page.getByRole('button', { name: 'Translate for web pages' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 of 5 clauses could not be translated exactly').waitFor();
    await dialog.getByText(/texts made for this rule, the translation misses \d+ of \d+ \(possessives/).waitFor();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: '-is:retweet' })
      .getByText('Left out', { exact: true })
      .waitFor();
    await dialog.getByRole('button', { name: 'Use translation' }).click();
    await expect
      .poll(() => editorOf(page, 'web pages').innerText())
      .toBe('(volcano OR lava OR eruption) AND language:en');
    expect(visit.complaints).toEqual([]);
  });

  it('say why a post does not match', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write?example=outages');
    const pasted = page.getByLabel('A post that the rule should, or should not, match');
    await pasted.fill('There is an outage of the telephone.');
    await page.getByText('It does not match').waitFor();
    const tree = page.getByRole('list').filter({ hasText: 'text has "broadband"' }).last();
    await tree.getByRole('img', { name: 'false' }).first().waitFor();
    await pasted.fill(JSON.stringify(post(1, 'An outage of broadband')));
    await page.getByText('It matches').waitFor();
    await page.getByLabel('Try it as').selectOption('firehose');
    await page.getByText('It does not match').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('are changed, paused, resumed and deleted after a question', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    const ruleId = await newRule(visit, { x: 'storm' });
    await visit.go(`/rules/${ruleId}`);
    await page.getByRole('link', { name: 'Edit' }).click();
    await editorOf(page, 'X posts').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' near');
    // The typed text is there again, after another page and after a reload.
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await visit.go(`/rules/${ruleId}?tab=edit`);
    await page.reload();
    await page.getByText('typed earlier').waitFor();
    expect(await editorOf(page, 'X posts').innerText()).toBe('storm near');
    // While a letter makes the text invalid, the preview stays.
    const preview = page.getByRole('region', { name: 'What this rule would have matched' });
    await preview.getByText('No recent events').waitFor();
    await editorOf(page, 'X posts').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' OR');
    await preview.getByText(/^Of the (last valid text|text with the offered fix):/).waitFor();
    await preview.getByText('No recent events').waitFor();
    await page.getByText('Fix the errors in the rule for X posts first.').first().waitFor();
    for (let at = 0; at < 3; at++) await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Version 2').first().waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByText('Rule changed: text for X posts').waitFor();
    await page.getByRole('button', { name: 'Restore the text before' }).click();
    await page.getByText('Version 3').first().waitFor();

    await page.getByRole('button', { name: 'Pause rule' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume rule' }).click();
    await page.getByText('No feed', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete rule' }).click();
    await page.getByLabel('What do you care about?').waitFor();
    expect((await visit.server.call('GET', '/api.ListRules')).body).toEqual({ rules: [] });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Storms' }).click();
    await page.getByText('Version 3').first().waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('are shown to a key that only reads, and not changed by it', async () => {
    await using visit = await openConsole({ signedIn: false });
    const { page, server } = visit;
    const ruleId = await newRule(visit, { x: 'storm' });
    const { body } = await server.call('POST', '/api.CreateKey', { name: 'reader', scope: 'read' });
    await page.goto(server.url);
    await page.getByLabel('API key').fill(body['key'] as string);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your key is read only: you see everything').waitFor();
    await visit.go(`/rules/${ruleId}?tab=edit`);
    // A grey button can be reached, and says why it does nothing.
    await page.getByRole('button', { name: 'Pause rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Your key is read only.', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect((await server.call('GET', '/api.ListRules')).body).toMatchObject({ rules: [{ paused: false }] });
  });

  it('are searched for by a text that is typed in the middle, too', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await newRule(visit, { x: 'storm' });
    await newRule(visit, { x: 'calm' }, 'Calm');
    await visit.go('/rules');
    const field = page.getByLabel('Search names, intents and texts');
    await field.click();
    await page.keyboard.type('sm');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('tor');
    await page.waitForURL(/search=storm/);
    expect(await field.inputValue()).toBe('storm');
    await field.fill('nothing like it');
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('list', { name: 'Rules' }).getByText('Calm').first().waitFor();
    expect(await field.inputValue()).toBe('');
  });
});
