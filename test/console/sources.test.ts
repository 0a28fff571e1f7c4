/** Sources in the console: from a pasted address to a first match, and what can be done with a source. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../src/service/access/caller.ts';
import { openVisiting, type Visiting } from '../stages/visiting.ts';
import { openWeb, rss, type Web } from '../stages/web.ts';
import { problemsEverywhere } from './axe.ts';
import { newProfile } from './profile.ts';
import { openSceneServer } from './scene-server.ts';
import { stepsOn } from './steps.ts';
import { consoleSuite } from './suite.ts';

let price = '40 euros';

/** A site with a feed, and the page of an offer. */
const openSite = (): Promise<Web> =>
  openWeb(({ path }) => {
    const page = (head: string, body: string) => ({
      headers: { 'content-type': 'text/html' },
      body: `<html lang="en"><head><title>Harbour News</title>${head}</head><body>${body}</body></html>`,
    });
    if (path === '/feed') return rss(['Lava reaches the sea', 'The ferry is late <b>again</b>', 'A new pier']);
    if (path === '/')
      return page('<link rel="alternate" type="application/rss+xml" href="/feed">', '<p>News of the harbour.</p>');
    if (path === '/price') return page('', `<p class="price">${price}</p>`);
    if (path === '/offer')
      return page(
        '',
        '<script>alert(1)</script><h1>Lamp</h1><p class="price">39.90 euros</p><p class="stock">Sold out &lt;img src=x&gt;</p>',
      );
    return { status: 404 };
  });

consoleSuite('sources', () => {
  const parts = new AsyncDisposableStack();
  let server: Awaited<ReturnType<typeof openSceneServer>>;
  let page: Page;
  let web: Web;
  let test: Visiting;
  const complaints: string[] = [];
  let accounts = 0;

  beforeAll(async () => {
    web = parts.use(await openSite());
    test = parts.use(await openVisiting(web));
    server = parts.use(await openSceneServer());
    ({ page } = parts.use(await newProfile()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
  });
  afterAll(() => parts.disposeAsync());

  /** The console as a new account sees it. */
  async function as(name: string): Promise<{ caller: Caller } & AsyncDisposable> {
    const caller = await test.caller(`${name}-${++accounts}`);
    const shown = await server.show(test.service);
    await shown.as(caller.account.id);
    return { caller, [Symbol.asyncDispose]: () => shown[Symbol.asyncDispose]() };
  }

  async function go(path: string, title: string): Promise<void> {
    await page.goto(server.waiting);
    await page.goto(`${server.url}/#${path}`);
    await page.getByRole('heading', { name: title, level: 1 }).waitFor();
  }

  it('lead from an empty account to a first match within four steps', async () => {
    await using shown = await as('alice');
    await go('/', 'Home');
    const steps = stepsOn(page);
    await steps.type(page.getByLabel('What do you care about?'), web.url('harbour.example'));
    await steps.click(page.getByRole('button', { name: 'See what can be watched' }));
    const first = page.getByRole('list', { name: 'What can be watched there' }).getByRole('listitem').first();
    await first.getByText('Lava reaches the sea', { exact: true }).waitFor();
    await steps.click(page.getByRole('button', { name: 'Watch this' }).first());
    await page.getByRole('heading', { name: 'New at News', level: 1 }).waitFor();
    await test.after(0);
    await page.getByText('Lava reaches the sea').first().waitFor();
    expect(steps.taken).toBeLessThanOrEqual(4);
    expect(await test.everyMatch(shown.caller)).toHaveLength(3);
  });

  it('show a page as text, of which a part is chosen by a click', async () => {
    await using shown = await as('bob');
    await go('/sources', 'Sources');
    await page.getByText('No sources yet').waitFor();
    await page.getByLabel('Address').fill(web.url('harbour.example', '/offer'));
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Choose a part of the page').click();
    await page.getByRole('button', { name: 'Sold out <img src=x>' }).waitFor();
    await page.getByRole('button', { name: '39.90 euros' }).click();
    await page.getByText('A part of the page is chosen').waitFor();
    expect(await problemsEverywhere(page), 'candidates').toEqual([]);
    await page.getByRole('button', { name: 'Add without a rule' }).first().click();
    await page.getByRole('row').filter({ hasText: 'Harbour News' }).waitFor();
    const { sources } = await test.call(shown.caller, 'listSources');
    expect(sources).toMatchObject([{ kind: 'watch', options: { select: 'p.price' } }]);
  });

  it('show what changed on a page side by side', async () => {
    await using shown = await as('dave');
    const options = { urls: [web.url('harbour.example', '/price')], select: '.price', every: 60 };
    const { source_id } = await test.call(shown.caller, 'createSource', { kind: 'watch', name: 'Lamp', options });
    await test.after(0);
    await test.call(shown.caller, 'createRule', {
      name: 'Price',
      intent: '',
      platforms: ['firehose'],
      overrides: { firehose: '*' },
      options: { sources: [source_id] },
    });
    price = '38 euros';
    await test.after(10 * 60_000);
    const [match] = await test.everyMatch(shown.caller);
    await go(`/matches/${match?.id}`, 'Matches');
    const changed = page.getByRole('table', { name: 'What changed' });
    await changed.getByText('40 euros').waitFor();
    expect(await changed.getByRole('row').last().getByRole('cell').allInnerTexts()).toEqual([
      expect.stringContaining('40 euros'),
      expect.stringContaining('38 euros'),
    ]);
  });

  it('are paused, tested, edited, deleted, brought in and handed out', async () => {
    await using shown = await as('carol');
    const url = web.url('harbour.example', '/feed');
    await test.call(shown.caller, 'createSource', { kind: 'feeds', name: 'Harbour', options: { urls: [url] } });
    await test.call(shown.caller, 'createSource', {
      kind: 'watch',
      name: 'Broken page',
      options: { urls: [web.url('harbour.example', '/gone')] },
    });
    await test.after(0);
    await go('/sources', 'Sources');
    const row = page.getByRole('row').filter({ hasText: '/feed' });
    await row.getByText('Good').waitFor();
    await page.getByRole('row').filter({ hasText: 'Broken page' }).getByText('answered 404').waitFor();
    expect(await problemsEverywhere(page), 'the list').toEqual([]);
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions on Harbour' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Test');
    await page.getByRole('dialog').getByText('The ferry is late again', { exact: true }).waitFor();
    expect(await problemsEverywhere(page), 'what a test brought').toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Escape');
    await act('Pause');
    await row.getByText('Paused').waitFor();
    await act('Resume');
    await row.getByText('Paused').waitFor({ state: 'detached' });
    await act('Edit');
    await page.getByLabel('Name').fill('Port');
    await page.getByLabel('Visit every (minutes)').fill('30');
    expect(await problemsEverywhere(page), 'the form').toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'Port' }).waitFor();

    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export OPML' }).click();
    const saved = await (await download).createReadStream();
    expect(Buffer.concat(await saved.toArray()).toString()).toContain(`text="Port" xmlUrl="${url}"`);
    const other = web.url('other.example', '/feed');
    const opml = `<opml version="2.0"><body><outline text="F"><outline text="Other" xmlUrl="${other}"/><outline text="Port" xmlUrl="${url}"/></outline></body></opml>`;
    await page
      .getByLabel('OPML file')
      .setInputFiles({ name: 'a.opml', mimeType: 'text/xml', buffer: Buffer.from(opml) });
    await page.getByText('One feed was added.').waitFor();
    await page.getByRole('row').filter({ hasText: 'Other' }).waitFor();

    await page.getByRole('button', { name: 'Actions on Port' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    expect(await problemsEverywhere(page), 'the question before one is deleted').toEqual([]);
    await page.getByRole('button', { name: 'Delete source' }).click();
    await page.getByRole('row').filter({ hasText: 'Port' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions on Other' }).click();
    await page.getByRole('menuitem', { name: 'Write a rule on it' }).click();
    await page.getByRole('heading', { name: 'New rule', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keep each of several parts that are left out when another one is added', async () => {
    await using shown = await as('erin');
    const ignored = { ignore: ['.advert', '.stock'], ignore_text: ['[0-9]+ people', 'Today'] };
    const options = { urls: [web.url('harbour.example', '/price')], ...ignored };
    await test.call(shown.caller, 'createSource', { kind: 'watch', name: 'Lamp', options });
    await go('/sources', 'Sources');
    await page.getByRole('button', { name: 'Actions on Lamp' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('Ignore parts').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('.cookies');
    await page.getByLabel('Part of the page').fill('.price');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { sources } = await test.call(shown.caller, 'listSources');
    expect(sources).toMatchObject([
      { options: { ...ignored, ignore: [...ignored.ignore, '.cookies'], select: '.price' } },
    ]);
  });

  it('keep what others changed of one while its form was open, and take no number that is none', async () => {
    await using shown = await as('grace');
    const options = { urls: [web.url('harbour.example', '/price')], every: 600, select: '.price' };
    const made = await test.call(shown.caller, 'createSource', { kind: 'watch', name: 'Lamp', options });
    await go('/sources', 'Sources');
    await page.getByRole('button', { name: 'Actions on Lamp' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    await dialog.getByLabel('Number below').fill('19,99');
    await save.and(page.getByTitle('“Number below” takes a number, such as 19.99.')).waitFor();
    expect(await save.isDisabled()).toBe(true);
    await dialog.getByLabel('Number below').fill('19.99');
    await dialog.getByLabel('Visit every (minutes)').fill('');
    const others = { source_id: made.source_id, name: 'Lamps', options: { select: '.offer' } };
    await test.call(shown.caller, 'updateSource', others);
    await save.click();
    await dialog.waitFor({ state: 'detached' });
    const { sources } = await test.call(shown.caller, 'listSources');
    expect(sources).toMatchObject([{ name: 'Lamps', options: { select: '.offer', when: { below: 19.99 } } }]);
    expect(sources[0]!.options['every']).not.toBe(600);
  });

  it('are not left behind by a rule that is refused', async () => {
    await using shown = await as('erin');
    await go('/sources', 'Sources');
    await page.getByLabel('Address').fill(web.url('harbour.example'));
    await page.getByRole('button', { name: 'Find' }).click();
    const first = page.getByRole('list', { name: 'What can be watched there' }).getByRole('listitem').first();
    await page.getByLabel('Only when it says').first().fill('lava AND (');
    const created: string[] = [];
    page.on('request', (request) => request.url().endsWith('api.CreateSource') && created.push(request.url()));
    const checked = page.waitForResponse((answer) => answer.url().endsWith('api.ValidateRule'));
    await page.getByRole('button', { name: 'Watch this' }).first().click();
    const { issues } = (await (await checked).json()) as { issues: { message: string }[] };
    await page.getByText(issues[0]!.message).first().waitFor();
    expect(created).toEqual([]);
    // A rule may be refused for what its text does not show, too.
    const refused = { status: 409, json: { code: 'conflict', message: 'There is no room.' } };
    await page.context().route('**/api.CreateRule', (route) => route.fulfill(refused));
    await page.getByLabel('Only when it says').first().fill('lava');
    await first.getByRole('button', { name: 'Watch this' }).click();
    await page.getByText('There is no room.').first().waitFor();
    expect(created).toHaveLength(1);
    expect((await test.call(shown.caller, 'listSources', {})).sources).toEqual([]);
    await page.context().unrouteAll();
  });

  it('that are brought in go on after one that is refused, which is named', async () => {
    await using shown = await as('frank');
    await go('/sources', 'Sources');
    const [good, bad] = [web.url('other.example', '/feed'), 'https://localhost/feed'];
    const opml = `<opml version="2.0"><body><outline text="Bad" xmlUrl="${bad}"/><outline text="Other" xmlUrl="${good}"/></body></opml>`;
    await page
      .context()
      .route('**/api.CreateSource', (route) =>
        route.request().postData()?.includes(bad)
          ? route.fulfill({ status: 400, json: { code: 'invalid_argument', message: 'It is refused.' } })
          : route.continue(),
      );
    await page
      .getByLabel('OPML file')
      .setInputFiles({ name: 'a.opml', mimeType: 'text/xml', buffer: Buffer.from(opml) });
    await page.getByText('One feed was added. 1 failed: “Bad” (It is refused.)').first().waitFor();
    await page.getByRole('row').filter({ hasText: 'Other' }).waitFor();
    expect((await test.call(shown.caller, 'listSources', {})).sources).toHaveLength(1);
    await page.context().unrouteAll();
  });
});
