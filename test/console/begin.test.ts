/** A rule begins with a sentence, with examples or with an address, and never with a language. */
import { expect, it } from 'vitest';
import { problemsEverywhere } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { stepsOn } from './steps.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string) => ({ data: { id: String(id), text, lang: 'en' } });

const OTHER = { name: 'Other', intent: '', platforms: ['x'], overrides: { x: 'other' } };

const textsOf = async ({ server }: Visit): Promise<Record<string, string>> => {
  const { body } = await server.call('GET', '/api.ListRules');
  const rules = body['rules'] as { name: string; platforms: Record<string, { translated_value: string }> }[];
  const rule = rules.find(({ name }) => name !== OTHER.name);
  return Object.fromEntries(
    Object.entries(rule!.platforms).map(([on, { translated_value }]) => [on, translated_value]),
  );
};

const matchesOf = async ({ server }: Visit): Promise<string[]> => {
  const { body } = await server.call('POST', '/matches', {});
  return (body['matches'] as { payload: { data: { text: string } } }[]).map(({ payload }) => payload.data.text);
};

const REAL = 'The volcano erupts, and the town is told to leave';
const CAKE = 'A volcano cake that erupts: our favourite recipe';
const NEAR = 'Lava runs down the volcano since dawn';

consoleSuite('a rule begins', () => {
  it('with one sentence and at most four clicks, on both platforms', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.call('POST', '/api.CreateRule', OTHER);
    await visit.go('/');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'New rule' }));
    // The field has the focus: nothing is clicked before the sentence.
    await page.getByLabel('What do you care about?').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Tell me when a volcano erupts');
    await steps.click(page.getByRole('button', { name: 'Draft the rule' }));
    await page.getByText('Nothing like it has come lately').waitFor();
    await steps.click(page.getByRole('button', { name: 'Create rule' }));
    await page.getByRole('heading', { name: 'A volcano erupts', level: 1 }).waitFor();
    expect(steps.taken).toBeLessThanOrEqual(4);
    const texts = await textsOf(visit);
    expect(Object.keys(texts).toSorted()).toEqual(['firehose', 'x']);
    await server.push('x', [post(1, REAL), post(2, 'calm')]);
    expect(await matchesOf(visit)).toEqual([REAL]);
    expect(visit.complaints).toEqual([]);
  });

  it('and fits what is said yes and no to, by the keyboard alone', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push('x', [post(1, CAKE), post(2, REAL), post(3, NEAR), post(4, 'calm')]);
    await visit.go('/rules/new');
    await page.keyboard.type('Tell me when a volcano erupts');
    await page.keyboard.press('Enter');
    const examples = page.getByRole('list', { name: 'Examples' });
    const say = async (text: string, verdict: 'Yes' | 'No') => {
      await examples.getByRole('listitem').filter({ hasText: text }).getByRole('button', { name: verdict }).focus();
      await page.keyboard.press('Space');
    };
    await examples.getByRole('listitem').filter({ hasText: 'Nearly' }).getByText('It lacks').waitFor();
    await page.getByText('2 of 4 recent events').waitFor();
    await say('cake', 'No');
    await say('Lava', 'Yes');
    await say('told to leave', 'Yes');
    const rule = page.getByRole('region', { name: 'The rule' });
    await rule.getByText('catches 2 of 2 that you want, 0 of 1 that you do not').first().waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'A volcano erupts', level: 1 }).waitFor();
    await server.push('x', [post(11, `${REAL}!`), post(12, `${NEAR}!`), post(13, `${CAKE}!`)]);
    expect((await matchesOf(visit)).toSorted()).toEqual([`${NEAR}!`, `${REAL}!`]);
    expect(visit.complaints).toEqual([]);
  });

  it('with examples that are pasted and picked', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push('x', [post(1, 'Northline outage in Oslo'), post(2, 'Northline hires engineers')]);
    await visit.go('/rules/new');
    await page.getByRole('button', { name: 'Examples', exact: true }).click();
    const weak = page.getByText('alone cannot show which words matter');
    await page.getByLabel('Paste some').fill('Another outage of Northline');
    await weak.waitFor();
    await page.getByLabel('Paste some').fill('Another outage of Northline\nNorthline is down: outage in Rome');
    await page.getByText('2 examples alone').waitFor();
    await page.getByLabel('Words of recent posts and pages').fill('oslo');
    await page.getByRole('checkbox', { name: 'Northline outage in Oslo' }).check();
    await page.getByText('from 3 examples').waitFor();
    expect(await weak.count()).toBe(0);
    await page.getByRole('button', { name: 'Draft the rule' }).click();
    await page.getByRole('region', { name: 'The rule' }).getByText('catches 3 of 3 that you want').first().waitFor();
    await page.getByRole('checkbox', { name: 'Web pages' }).uncheck();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('heading', { name: 'Another outage of Northline', level: 1 }).waitFor();
    expect(Object.keys(await textsOf(visit))).toEqual(['x']);
    expect(visit.complaints).toEqual([]);
  });

  it('and its text is one click away', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/new?about=Outages+of+Northline');
    await page.getByRole('button', { name: 'Edit the text' }).click();
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    await expect.poll(() => editor.innerText()).toContain('northline');
    expect(await page.getByLabel('Intent').inputValue()).toBe('Outages of Northline');
    await page.getByRole('link', { name: 'Begin with a sentence' }).click();
    await page.getByLabel('What do you care about?').waitFor();
  });

  it('never with a sentence that names nothing: it says what to do', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/new?about=tell+me');
    await page.getByRole('alert').getByText('Name what the posts or pages say').waitFor();
    expect(await page.getByRole('button', { name: 'Create rule' }).count()).toBe(0);
  });

  it('without a fault for axe, light and dark, at every width', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await server.push('x', [post(1, CAKE), post(2, REAL), post(3, NEAR)]);
    await visit.go('/rules/new?from=examples');
    await page.getByLabel('Words of recent posts and pages').fill('volcano');
    await page.getByRole('checkbox').first().check();
    expect(await problemsEverywhere(page), 'examples').toEqual([]);
    await visit.go('/rules/new?from=address');
    expect(await problemsEverywhere(page), 'address').toEqual([]);
    await visit.go('/rules/new?about=Tell+me+when+a+volcano+erupts');
    await page.getByRole('button', { name: 'Yes' }).first().click();
    await page
      .getByText(/that you want/)
      .first()
      .waitFor();
    expect(await problemsEverywhere(page), 'a draft').toEqual([]);
    await visit.go('/');
    expect(await problemsEverywhere(page), 'Home').toEqual([]);
  });

  it('and the one that was begun in the editor is not lost to it unasked', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    const editor = page.getByRole('textbox', { name: 'Rule for X posts' });
    const question = page.getByRole('alertdialog', { name: 'Replace the rule that you began to write?' });
    await visit.go('/rules/write');
    await editor.click();
    await page.keyboard.type('storm near');
    await page.getByText('Valid', { exact: true }).waitFor();
    await visit.go('/rules/new?about=Outages+of+Northline');
    await page.getByRole('button', { name: 'Edit the text' }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await visit.go('/rules/write');
    await expect.poll(() => editor.innerText()).toBe('storm near');
    await visit.go('/rules/new?about=Outages+of+Northline');
    await page.getByRole('button', { name: 'Edit the text' }).click();
    await question.getByRole('button', { name: 'Replace it' }).click();
    await expect.poll(() => editor.innerText()).toContain('northline');
    expect(visit.complaints).toEqual([]);
  });

  it('never as the draft before, while the next one is being written', async () => {
    await using visit = await openConsole();
    const { page, server, context } = visit;
    await server.push('x', [post(1, CAKE), post(2, REAL)]);
    await visit.go('/rules/new?about=Tell+me+when+a+volcano+erupts');
    const yes = page.getByRole('button', { name: 'Yes' }).first();
    await yes.waitFor();
    const drafted = Promise.withResolvers<void>();
    await context.route('**/api.DraftRule', async (route) => {
      await drafted.promise;
      await route.continue();
    });
    await yes.click();
    await page.getByText('The rule is being drafted.').first().waitFor();
    await page.keyboard.press('Control+Enter');
    expect(await page.getByRole('button', { name: 'Create rule' }).isDisabled()).toBe(true);
    drafted.resolve();
    await page
      .getByText(/that you want/)
      .first()
      .waitFor();
    expect((await server.call('GET', '/api.ListRules')).body['rules']).toEqual([]);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'A volcano erupts', level: 1 }).waitFor();
    await context.unrouteAll({ behavior: 'wait' });
  });

  it('and stays as it was drafted where the next draft fails, which can be tried again', async () => {
    await using visit = await openConsole();
    const { page, server, context } = visit;
    await server.push('x', [post(1, CAKE), post(2, REAL)]);
    await visit.go('/rules/new?about=Tell+me+when+a+volcano+erupts');
    const yes = page.getByRole('button', { name: 'Yes' }).first();
    await yes.waitFor();
    const refused = { status: 400, json: { code: 'invalid_argument', message: 'No rule does that.' } };
    await context.route('**/api.DraftRule', (route) => route.fulfill(refused));
    await yes.click();
    const refusal = page.getByRole('alert').filter({ hasText: 'No rule does that. Below is the rule as it was' });
    await refusal.waitFor();
    const rule = page.getByRole('region', { name: 'The rule' });
    await rule.waitFor();
    expect(await page.getByRole('list', { name: 'Examples' }).getByRole('listitem').count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Create rule' }).isDisabled()).toBe(false);
    expect(await problemsEverywhere(page), 'a refusal').toEqual([]);
    await context.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await rule.getByText('catches 1 of 1 that you want').first().waitFor();
    await refusal.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });
});
