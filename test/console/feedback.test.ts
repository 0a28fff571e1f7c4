/** Feedback that cannot harm: what is rated, suggested, applied and taken back. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { problemsEverywhere } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { stepsOn } from './steps.ts';
import { consoleSuite } from './suite.ts';

interface Listed {
  readonly id: string;
  readonly rule_id: string;
  readonly rating: string | null;
  readonly payload: { readonly data: { readonly text: string } };
}

const post = (id: number, text: string) => ({ data: { id: String(id), text, author_id: '7026', lang: 'en' } });

async function addRule({ server }: Visit, name: string, x: string, intent = ''): Promise<string> {
  const rule = { name, intent, platforms: ['x'], overrides: { x } };
  return (await server.call('POST', '/api.CreateRule', rule)).body['rule_id'] as string;
}

async function matchesOf({ server }: Visit, filter: object = {}): Promise<Listed[]> {
  return (await server.call('POST', '/matches', { limit: 200, ...filter })).body['matches'] as Listed[];
}

const textOf = async ({ server }: Visit, ruleId: string): Promise<string> => {
  const { body } = await server.call('GET', `/api.GetRule?rule_id=${ruleId}`);
  return (body['platforms'] as { x: { translated_value: string } }).x.translated_value;
};

const PLACES = ['Oslo', 'Rome', 'Bonn', 'Lyon', 'Cork', 'Graz', 'Kiel', 'Nice'];
const WHAT = ['refund is late', 'parcel was broken', 'app does not open', 'invoice is wrong', 'shop was closed'];
/** Forty complaints that have little in common but the brand. */
const KEPT = PLACES.flatMap((place) => WHAT.map((what) => `Acme ${what} in ${place}`));
const JUNK = ['welder', 'driver', 'baker', 'nurse', 'clerk'].map((who) => `Acme is hiring a ${who}, apply today`);

const rows = (page: Page) => page.locator('article');

consoleSuite('feedback', () => {
  it('of five matches and its suggestion takes at most eight acts, drops the noise, keeps all else, and is undone', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const ruleId = await addRule(visit, 'Brand', 'acme');
    for (const [at, text] of [...KEPT, ...JUNK].entries()) await server.push('x', [post(at + 1, text)]);
    await visit.go(`/rules/${ruleId}`);
    const steps = stepsOn(page);
    await rows(page).first().waitFor();
    for (const text of JUNK.toReversed()) {
      await page.keyboard.press('j');
      await rows(page)
        .filter({ hasText: text })
        .getByRole('button', { name: /^Open/ })
        .and(page.locator(':focus'))
        .waitFor();
      await steps.press('n');
    }
    await expect.poll(async () => (await matchesOf(visit, { rating: 'irrelevant' })).length).toBe(5);
    await steps.click(page.getByRole('link', { name: 'Insights' }));
    const card = page.getByRole('region', { name: 'Suggested changes' });
    await card.getByText('5 of 5 rated not relevant').first().waitFor();
    await card.getByText('40 of the newest 45').first().waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await steps.click(card.getByRole('button', { name: 'Apply' }).first());
    await page.getByText('Saved as version 2. In an hour, Insights says what it changed.').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(8);

    // The new text finds all that was kept, and nothing of the noise.
    expect(await textOf(visit, ruleId)).toMatch(/^acme -/);
    await server.push(
      'x',
      [...KEPT, ...JUNK].map((text, at) => post(1_000 + at, `${text}!`)),
    );
    const found = (await matchesOf(visit)).map(({ payload }) => payload.data.text).filter((text) => text.endsWith('!'));
    expect(found.toSorted()).toEqual(KEPT.map((text) => `${text}!`).toSorted());

    const change = page.getByRole('region', { name: 'The last change' });
    await change.getByText(/^Its effect is shown in /).waitFor();
    expect(await change.locator('del').textContent()).toBe('Before: − acme');
    expect(await change.locator('ins').textContent()).toMatch(/^After: \+ acme -/);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('The text before is back.').waitFor();
    expect(await textOf(visit, ruleId)).toBe('acme');
    await change.getByRole('button', { name: 'Go back to the text before' }).click();
    await expect.poll(() => textOf(visit, ruleId)).toMatch(/^acme -/);
    expect(visit.complaints).toEqual([]);
  });

  it('asks before a suggestion is applied that drops most matches', async () => {
    await using visit = await openConsole();
    const { page, server, context } = visit;
    const ruleId = await addRule(visit, 'Brand', 'acme');
    await server.push(
      'x',
      [...KEPT, ...JUNK].map((text, at) => post(at + 1, text)),
    );
    for (const match of await matchesOf(visit))
      if (match.payload.data.text.includes('hiring'))
        await server.call('POST', '/api.RateMatch', { match_id: match.id, rating: 'irrelevant' });
    // The server itself offers nothing so harmful: the last guard is looked at alone.
    await context.route('**/api.SuggestChanges*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { suggestions: { effect: { recent_removed: number } }[] };
      for (const { effect } of body.suggestions) effect.recent_removed = 40;
      await route.fulfill({ response, json: body });
    });
    await visit.go(`/rules/${ruleId}?tab=insights`);
    const apply = page
      .getByRole('region', { name: 'Suggested changes' })
      .getByRole('button', { name: 'Apply' })
      .first();
    await apply.click();
    const question = page.getByRole('alertdialog', { name: /^Apply .*\?$/ });
    await question.getByText('It drops 40 of the newest 45 matches.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await textOf(visit, ruleId)).toBe('acme');
    await apply.click();
    await question.getByRole('button', { name: 'Apply all the same' }).click();
    await expect.poll(() => textOf(visit, ruleId)).toMatch(/^acme -/);
    await context.unrouteAll({ behavior: 'wait' });
    expect(visit.complaints).toEqual([]);
  });

  it('never offers a word that the rule or its intent asks for, even where all of its matches are noise', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const ruleId = await addRule(visit, 'Brand', 'acme', 'Whoever waits for a refund.');
    const about = (count: number, from: number, what: string) =>
      Array.from({ length: count }, (_, at) => post(from + at, `acme ${what}${from + at}`));
    await server.push('x', about(8, 1, 'refund number'));
    for (const match of await matchesOf(visit))
      await server.call('POST', '/api.RateMatch', {
        match_id: match.id,
        rating: 'irrelevant',
      });
    await visit.go(`/rules/${ruleId}?tab=insights`);
    const card = page.getByRole('region', { name: 'Suggested changes' });
    await card.getByText('from 8 rated matches').waitFor();
    await card.getByText('There is nothing to suggest that is safe.').waitFor();
    expect(await card.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    // Among others that nobody calls noise, too: leaving out `refund` would lose none of them, and it is what the intent asks for.
    await server.push('x', about(50, 9, 'broken number'));
    await page.reload();
    await card.getByText('from 8 rated matches').waitFor();
    await card.getByText('There is nothing to suggest that is safe.').waitFor();
  });

  it('goes to the rule that the list is filtered by, with its match opened and named', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const outages = await addRule(visit, 'Outages', 'outage');
    const acme = await addRule(visit, 'Brand', 'acme');
    await server.push('x', [post(1, 'Broadband outage hits the northern harbour towns this morning')]);
    await server.push('x', [post(2, 'Broadband outage hits the northern harbour towns this morning, says Acme')]);
    expect((await server.call('POST', '/stories', {})).body).toMatchObject({ stories: [{ size: 3 }] });
    await visit.go(`/matches?rule=${acme}`);
    await page.getByRole('list', { name: 'Stories' }).getByRole('listitem').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('tabpanel');
    await panel.getByText('says Acme').waitFor();
    await panel.getByRole('link', { name: 'Brand' }).waitFor();
    await page.keyboard.press('y');
    await expect
      .poll(async () => (await matchesOf(visit, { rating: 'relevant' })).map(({ rule_id }) => rule_id))
      .toEqual([acme]);
    expect(await matchesOf(visit, { rule_id: outages, rating: 'relevant' })).toEqual([]);
  });

  it('is given by the same keys on the page of a rule, where they are shown', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const ruleId = await addRule(visit, 'Brand', 'acme');
    await server.push('x', [post(1, 'acme one')]);
    await server.push('x', [post(2, 'acme two')]);
    await visit.go(`/rules/${ruleId}`);
    await rows(page).nth(1).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('n');
    await page.keyboard.press('j');
    await page.keyboard.press('y');
    await expect
      .poll(async () => (await matchesOf(visit)).map(({ rating }) => rating))
      .toEqual(['irrelevant', 'relevant']);
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('acme one').waitFor();
  });

  it('excludes nothing that was not chosen, offers what takes the least first, and an author without a name', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await addRule(visit, 'Brand', 'acme');
    const other = { data: { id: '9', text: 'acme closes early', author_id: '5', lang: 'en' } };
    await server.push('x', [other, post(1, 'acme refund'), post(2, 'acme refund again')]);
    await server.push('x', [post(3, 'acme refund takes weeks')]);
    await visit.go('/matches?view=single');
    await rows(page)
      .filter({ hasText: 'takes weeks' })
      .getByRole('button', { name: /^Open the match/ })
      .click();
    await page.getByRole('button', { name: 'Exclude …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Exclude from “Brand”' });
    await dialog.getByText('drops 3 of 4').first().waitFor();
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0);
    const offered = await dialog.getByRole('radio').allInnerTexts();
    const drops = offered.map((text) => Number(/drops (\d)/.exec(text)![1]));
    expect(drops).toEqual(drops.toSorted((a, b) => a - b));
    // Their language is that of all: to exclude it would end the rule.
    expect(offered.filter((text) => text.startsWith('Language') || text.includes('drops 4 of 4'))).toEqual([]);
    await dialog.getByRole('radio', { name: 'Author 7026' }).click();
    await dialog.getByText('acme -from:7026', { exact: true }).waitFor();
    await dialog.getByText('It drops 3 of 4 matches').waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
  });

  it('on a change of options takes it back as on a change of a text, and says where nothing has changed', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['firehose'], overrides: { firehose: 'title:storm' } };
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    const ruleId = body['rule_id'] as string;
    const optionsOf = async () => {
      const { platforms } = (await server.call('GET', `/api.GetRule?rule_id=${ruleId}`)).body;
      return (platforms as { firehose: { options?: object } }).firehose.options;
    };
    const usual = await optionsOf();
    const change = { rule_id: ruleId, options: { firehose: { quality: true, nsfw: false } } };
    const chosen = (await server.call('POST', '/api.UpdateRule', change)).body['platforms'];
    await visit.go(`/rules/${ruleId}?tab=insights`);
    await page.getByRole('button', { name: 'Go back to the text before' }).click();
    await page.getByText('Saved as version 3.').waitFor();
    expect(await optionsOf()).toEqual(usual);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('The text before is back.').waitFor();
    expect(chosen).toMatchObject({ firehose: { options: await optionsOf() } });

    await visit.go(`/rules/${ruleId}?tab=history`);
    const oldest = page.getByRole('button', { name: 'Restore the text before' }).last();
    await oldest.click();
    await page.getByText('The text before is back, as version 5.').waitFor();
    expect(await optionsOf()).toEqual(usual);
    await oldest.click();
    await page.getByText('Nothing changed: the rule has this text already.').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
