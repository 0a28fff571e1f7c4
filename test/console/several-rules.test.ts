/** Several rules in a real browser: selected with the keyboard, paused, deleted, restored; one rule on a second platform. */
import { expect, it } from 'vitest';
import { axeProblems } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

const newRule = async ({ server }: Visit, name: string, x: string): Promise<string> => {
  const { body } = await server.call('POST', '/api.CreateRule', {
    name,
    intent: '',
    platforms: ['x'],
    overrides: { x },
  });
  return body['rule_id'] as string;
};

const listed = async ({ server }: Visit) =>
  ((await server.call('GET', '/api.ListRules')).body['rules'] as { name: string; paused: boolean }[]).map(
    ({ name, paused }) => `${name}${paused ? ' paused' : ''}`,
  );

consoleSuite('several rules', () => {
  it('are paused, deleted and restored at once, and overlap is seen', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await newRule(visit, 'Storms', 'storm');
    await newRule(visit, 'Rain', 'rain');
    await newRule(visit, 'Snow', 'snow');
    await server.push('x', [{ data: { id: '1', text: 'storm and rain' } }, { data: { id: '2', text: 'a storm' } }]);
    await visit.go('/rules?order=name');
    const boxOf = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` });
    await boxOf('Rain').focus();
    await page.keyboard.press('Space');
    await boxOf('Storms').click({ modifiers: ['Shift'] });
    await page.getByText('3 rules selected').waitFor();
    await boxOf('Snow').click();
    await page.getByText('2 rules selected').waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('2 rules paused.').waitFor();
    expect(await listed(visit)).toEqual(['Storms paused', 'Rain paused', 'Snow']);

    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 2 rules' }).click();
    await page.getByText('2 rules deleted.').waitFor();
    expect(await listed(visit)).toEqual(['Snow']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 rules restored.').waitFor();
    expect((await listed(visit)).toSorted()).toEqual(['Rain paused', 'Snow', 'Storms paused']);

    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByText('1 shared, 100 % of the smaller').waitFor();
    await page.getByRole('img', { name: /Storms and Rain: 1 shared event|Rain and Storms: 1 shared event/ }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('that match the same post leave its author readable, whether the match is open beside the list or not', async () => {
    await using visit = await openConsole({ viewport: { width: 1280, height: 800 } });
    const { page, server } = visit;
    await newRule(visit, 'Storms of the northern coast', 'storm');
    await newRule(visit, 'Rain of the southern islands', 'rain');
    const author = { id: '7', name: 'Mara Quill', username: 'mara_quill' };
    const post = { data: { id: '1', text: 'storm and rain', author_id: '7' }, includes: { users: [author] } };
    await server.push('x', [post]);
    await visit.go('/matches?view=single');
    const row = page.locator('article').first();
    const isWhole = () =>
      row.getByText('@mara_quill').evaluate((name) => {
        const { scrollWidth, clientWidth } = name.parentElement!;
        return scrollWidth <= clientWidth;
      });
    await row.getByText('Rain of the southern islands').waitFor();
    expect(
      await row
        .getByText(/^(Storms|Rain) of the/)
        .filter({ visible: true })
        .count(),
    ).toBe(2);
    expect(await isWhole()).toBe(true);
    // Beside an open match there is room for one rule, and the number of the others.
    await row.getByRole('button', { name: 'Open the match of' }).click();
    await row.getByText('+1').waitFor();
    expect(
      await row
        .getByText(/^(Storms|Rain) of the/)
        .filter({ visible: true })
        .count(),
    ).toBe(1);
    expect(await isWhole()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });

  it('include one that is deleted, listed, restored with its matches, and put on a second platform', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const ruleId = await newRule(visit, 'Storms', 'storm');
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    await server.call('POST', '/api.DeleteRule', { rule_id: ruleId });
    await visit.go('/rules/deleted');
    await page.getByText('with 1 match.').waitFor();
    await page.getByText(/Can be restored until .*2/).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore Storms' }).click();
    await page.getByText('No deleted rules').waitFor();

    await visit.go(`/rules/${ruleId}?tab=edit`);
    await page.getByRole('button', { name: 'Also watch web pages' }).click();
    await page.getByRole('textbox', { name: 'Rule for web pages' }).click();
    await page.keyboard.type('title:storm');
    await page.getByRole('checkbox', { name: 'Recent articles only' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    const { body } = await server.call('GET', `/api.GetRule?rule_id=${ruleId}`);
    expect(body['platforms']).toMatchObject({
      x: { translated_value: 'storm', match_count: 1 },
      firehose: { translated_value: 'title:storm', options: { quality: true } },
    });
    await page.getByRole('button', { name: 'Do not watch X posts' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved as version 3.').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
