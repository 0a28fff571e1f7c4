/** axe on every page: in use and empty, light and dark, on a phone, a small laptop and a screen. */
import { expect, it } from 'vitest';
import { startServer } from '../black-box/server.ts';
import { openReceiver } from '../stages/receiver.ts';
import { axeProblems, problemsAtEnds, problemsEverywhere, problemsOfDialog } from './axe.ts';
import { openConsole, type Visit } from './browser.ts';
import { furnish, untilMatches } from './furnished.ts';
import { consoleSuite } from './suite.ts';

const PAGES = {
  '/': 'Home',
  '/matches': 'Matches',
  '/sources': 'Sources',
  '/connect?to=webhook': 'Connect',
  '/settings': 'Settings',
  '/health': 'Health',
  '/timeline?span=hour': 'Timeline',
};
/** They look the same whether the account is in use or not. */
const STILL = {
  '/rules/deleted': 'Deleted rules',
  '/rules/overlap': 'Compare rules',
  '/connect': 'Connect',
  '/connect?to=program': 'Connect',
  '/connect?to=events': 'Connect',
  '/connect?to=silences': 'Connect',
  '/connect?to=feed': 'Connect',
  '/nowhere': 'Page not found',
};

/** Words of our own that a stranger does not know. The API may have them; no page does, whoever wrote its sentences. */
const OWN_WORDS =
  /\b(?:told once|wake for|registrations?|idempotency|facets?|lanes?|by the intent alone|rehears\w+|held for|missed by|silenc\w+|woken|registration missing|tells? of|sends at once|goes out now|rules rest|there rest)\b/gi;

/** The words that are seen and that are read aloud. */
const ownWordsOn = async ({ page }: Visit): Promise<string[]> => {
  const words = await page.evaluate<string>(
    `[document.body.innerText, ...[...document.querySelectorAll('[aria-label], [title]')].map(
      (element) => element.getAttribute('aria-label') ?? element.title)].join('\\n')`,
  );
  return words.match(OWN_WORDS) ?? [];
};

async function show({ page, go }: Visit, path: string, title: string): Promise<void> {
  await go(path);
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

consoleSuite('accessibility', () => {
  it('finds nothing wrong with pages in use', async () => {
    await using refusing = await openReceiver((response) => void response.writeHead(500).end('no'));
    await using taking = await openReceiver();
    await using server = await startServer({ SLUICE_DEMO: 'on', SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' });
    const { ruleId, webhookId } = await furnish(server, { refusing: refusing.url, taking: taking.url });
    await untilMatches(server, 5);
    await using visit = await openConsole({ server });
    const { page } = visit;
    for (const [path, title] of Object.entries(PAGES)) {
      await show(visit, path, title);
      expect(await problemsEverywhere(page), path).toEqual([]);
      expect(await ownWordsOn(visit), path).toEqual([]);
      // Home says that it plays. More of the same rows would only take longer.
      if (title === 'Home') await server.call('POST', '/api.SetDemo', { playing: false });
    }
    await show(visit, `/connect/${webhookId}`, 'Newsroom');
    expect(await problemsEverywhere(page), 'one webhook').toEqual([]);
    for (const tab of ['matches', 'insights', 'deliver', 'history']) {
      await show(visit, `/rules/${ruleId}?tab=${tab}`, 'Volcano watch');
      expect(await problemsEverywhere(page), tab).toEqual([]);
      expect(await ownWordsOn(visit), tab).toEqual([]);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await problemsEverywhere(page), 'the list of places').toEqual([]);
    await page.keyboard.press('Escape');

    await show(visit, '/matches?view=single', 'Matches');
    await page.locator('article button[data-match]').first().click();
    await page.getByRole('tab', { name: 'Why it matched' }).click();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    expect(await problemsEverywhere(page), 'a match').toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('finds nothing wrong with dialogs', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const ask = async (path: string, body: object) => (await server.call('POST', path, body)).body;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id: ruleId } = await ask('/api.CreateRule', rule);
    const { webhook_id: webhookId } = await ask('/api.CreateWebhook', { url: 'https://receiver.example/in' });
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    const [match] = (await ask('/matches', {}))['matches'] as { id: string }[];
    const item = (name: string) => async () => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const button = (name: string | RegExp) => () => page.getByRole('button', { name }).first().click();
    const view = (name: string) => async () => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await ask('/api.CreateView', { name: 'Gales', query: 'text=gale' });
    await ask('/api.CreateFeed', { name: 'Storms' });
    const dialogs: [path: string, open: () => Promise<unknown>][] = [
      ['/matches', button('Keyboard shortcuts')],
      ['/matches', () => page.getByLabel('Time', { exact: true }).selectOption('Choose dates …')],
      ['/matches?text=storm', view('Save this view')],
      ['/matches', view('All saved views')],
      [`/rules/${String(ruleId)}`, item('Delete')],
      [
        '/rules',
        async () => {
          await page.getByRole('checkbox').nth(1).check();
          await page.getByRole('button', { name: 'Delete …' }).click();
        },
      ],
      [
        `/rules/${String(ruleId)}?tab=edit`,
        async () => {
          await button('Translate for web pages')();
          // It comes last.
          await page.getByText('texts made for this rule').waitFor();
        },
      ],
      [`/connect/${String(webhookId)}`, button('Redeliver since…')],
      [`/connect/${String(webhookId)}`, item('Edit')],
      [`/connect/${String(webhookId)}`, item('New secret')],
      [`/connect/${String(webhookId)}`, item('Delete')],
      [`/connect/${String(webhookId)}`, button('Test')],
      ['/connect?to=feed', button(/^Delete/)],
      ['/settings', button(/^Revoke /)],
      [
        '/settings',
        async () => {
          await button('New key')();
          await page.getByLabel('Name').fill('dashboard');
          await button('Create key')();
          await page.getByText(/^sk_/).waitFor();
        },
      ],
      [
        `/connect/${String(webhookId)}`,
        async () => {
          await item('New secret')();
          await button('Create new secret')();
          await page.getByText(/^whsec_/).waitFor();
        },
      ],
      ['/connect?to=silences', button('Mute something')],
    ];
    for (const [path, open] of dialogs) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await go(path);
      await open();
      const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
      await dialog.last().waitFor();
      // The rest may still be on its way.
      const titleOf = async () => (await dialog.last().innerText()).split('\n')[0];
      const title = await titleOf();
      expect(await problemsOfDialog(page), `${path} ${title}`).toEqual([]);
      expect(await ownWordsOn(visit), `${path} ${title}`).toEqual([]);
      expect(await titleOf()).toBe(title);
      await page.keyboard.press('Escape');
    }
    // An open match is a dialog itself on a phone, and a part of the page on a screen: between them this one closes.
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      await go(`/matches/${match!.id}`);
      await page.getByRole('button', { name: 'Send …' }).click();
      await page.getByRole('dialog', { name: 'Send this match to a webhook' }).waitFor();
      expect(await axeProblems(page), `a match that is sent, ${width} px`).toEqual([]);
    }
    // The last: whoever looks is signed out.
    await go('/');
    const { key: other } = await ask('/api.CreateKey', { name: 'other', scope: 'full' });
    const { keys } = (await server.call('GET', '/api.ListKeys')).body as { keys: { id: string; name: string }[] };
    const own = keys.find(({ name }) => name === 'first')!;
    await server.call('POST', '/api.RevokeKey', { key_id: own.id }, { key: String(other) });
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(await problemsEverywhere(page), 'signing in again').toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('finds nothing wrong with empty pages and with forms', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    for (const [path, title] of Object.entries({ ...PAGES, ...STILL })) {
      await show(visit, path, title);
      expect(await problemsAtEnds(page), path).toEqual([]);
    }
    for (const [path, title] of [
      ['/connect?to=webhook', 'webhook'],
      ['/settings', 'key'],
    ] as const) {
      await show(visit, path, PAGES[path]);
      await page.getByRole('button', { name: `New ${title}` }).click();
      await page.getByRole('dialog').waitFor();
      expect(await problemsAtEnds(page), `the form of a ${title}`).toEqual([]);
      await page.keyboard.press('Escape');
    }
    expect(visit.complaints).toEqual([]);
  });
});
