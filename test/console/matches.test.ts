/** Matches in a real browser: they arrive by themselves, wait when the reader wants it, and say why they are there. */
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole, type Visit } from './browser.ts';
import { consoleSuite } from './suite.ts';

const rows = 'article button[data-match]';

/** Lists are asked for there, and no stream. */
const MATCHES = /\/matches$/;

async function addRule(server: Visit['server'], name: string, x: string): Promise<string> {
  const { body } = await server.call('POST', '/api.CreateRule', {
    name,
    intent: 'For the test.',
    platforms: ['x'],
    overrides: { x },
  });
  return body['rule_id'] as string;
}

const post = (id: number, text: string) => ({
  data: { id: String(id), text, author_id: '7', lang: 'en' },
  includes: { users: [{ id: '7', username: 'mara_quill', name: 'Mara Quill' }] },
});

consoleSuite('matches', () => {
  it('shows a match when it arrives, with its words marked, and says why it matched', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', '(volcano OR lava) lang:en -is:retweet');
    await go('/matches?view=single');
    await page.getByText('No matches yet').waitFor();
    await page.getByText('No feed', { exact: true }).waitFor();

    await server.push('x', [post(1, 'The volcano is erupting, and <b>lava</b> flows.')]);
    await page.locator('article', { hasText: 'The volcano is erupting' }).waitFor();
    expect(await page.locator('article mark').allTextContents()).toEqual(['volcano', 'lava']);

    await page.getByRole('button', { name: 'Open the match of Volcano news' }).click();
    const link = page.getByRole('link', { name: 'Open post' });
    expect(await link.getAttribute('href')).toBe('https://x.com/mara_quill/status/1');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow');

    // The parts of a payload that matched have names that are words.
    await page.getByRole('tabpanel').getByText('language', { exact: true }).waitFor();
    expect(await page.getByRole('tabpanel').innerText()).not.toContain('data.');
    await page.getByRole('tab', { name: 'Why it matched' }).click();
    const why = page.getByRole('tabpanel');
    await why.getByText('text has "volcano"').waitFor();
    // In words, and not in those of the engine.
    await why.getByText('is a repost', { exact: true }).waitFor();
    await why.getByText('language: English', { exact: true }).waitFor();
    expect(await why.getByText('en', { exact: true }).count()).toBe(0);
    expect(await why.getByRole('img', { name: 'true' }).count()).toBe(6);
    expect(await why.getByRole('img', { name: 'false' }).count()).toBe(1);

    await page.getByRole('tab', { name: 'Payload' }).click();
    expect(await page.getByRole('tabpanel').textContent()).toContain('"username": "mara_quill"');

    // The open match is in the address: it is there after a reload, Back closes it, and it is rated with one key.
    const address = page.url();
    expect(address).toMatch(/#\/matches\/match_/);
    await page.reload();
    await page.getByRole('tabpanel').getByText('The volcano is erupting').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Not relevant', pressed: true }).waitFor();
    await expect
      .poll(async () => (await server.call('POST', '/matches', {})).body)
      .toMatchObject({
        matches: [{ rating: 'irrelevant' }],
      });
    await page.goBack();
    await page.getByRole('tabpanel').waitFor({ state: 'detached' });

    // Posts that tell the same are one story, by whoever had it first.
    await server.push('x', [post(2, 'The volcano is erupting, and lava flows!')]);
    await go('/matches');
    const stories = page.getByRole('list', { name: 'Stories' }).getByRole('listitem');
    await stories.getByText('2 matches', { exact: true }).waitFor();
    expect(await stories.count()).toBe(1);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All matches of this story' }).click();
    await page.locator(rows).nth(1).waitFor();

    // A wrong match becomes an exclusion, with what it would drop.
    await page.goto(address);
    await page.getByRole('button', { name: 'Exclude' }).click();
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await page
      .getByRole('radio', { name: /lava|flows/ })
      .last()
      .click();
    await page.getByText(/^It drops \d of 2 matches/).waitFor();
    await page.getByRole('button', { name: 'Save new version' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('The text before is back.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('lets matches wait while the feed is paused, and goes on where it was', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'a volcano')]);
    await go('/matches?view=single');
    await page.locator(rows).first().waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await server.push('x', [post(2, 'another volcano'), post(3, 'a third volcano')]);
    await page.getByRole('button', { name: '2 new matches' }).waitFor();
    expect(await page.locator(rows).count()).toBe(1);

    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('article', { hasText: 'a third volcano' }).waitFor();
    expect(await page.locator(rows).count()).toBe(3);
  });

  it('can be read with the keyboard alone', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    // One by one: what arrives together is in no order.
    for (const [at, name] of ['first', 'second', 'third'].entries()) {
      await server.push('x', [post(at, `the ${name} volcano`)]);
    }
    await go('/matches?view=single');
    await page.locator(rows).nth(2).waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('tabpanel');
    await panel.getByText('the second volcano').waitFor();
    await page.keyboard.press('k');
    await panel.getByText('the third volcano').waitFor();
    await page.keyboard.press('e');
    await panel.getByText('text has "volcano"').waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('first');
    await page.waitForURL(/text=first/);
    await page.locator('article', { hasText: 'the third volcano' }).waitFor({ state: 'detached' });
    await page.locator('article', { hasText: 'the first volcano' }).waitFor();
    expect(await page.locator(rows).count()).toBe(1);
  });

  it('filters by rule, platform and text, and keeps the filter in the address', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    const volcano = await addRule(server, 'Volcano news', 'volcano');
    await addRule(server, 'Rocket news', 'rocket');
    await server.push('x', [post(1, 'a volcano'), post(2, 'a rocket'), post(3, 'a rocket at a volcano')]);
    await go('/matches?view=single');
    // The rules are newer than what the page knows.
    await page.reload();
    // A post that two rules matched is one row.
    await page.locator(rows).nth(2).waitFor();
    expect(await page.locator(rows).count()).toBe(3);
    await page.getByRole('button', { name: /Open the match of .*, / }).waitFor();

    await page.getByRole('combobox', { name: 'Rule' }).fill('volc');
    await page.getByRole('option', { name: 'Volcano news' }).click();
    await page.waitForURL(new RegExp(`rule=${volcano}`));
    await page.locator('article', { hasText: 'a rocket' }).nth(1).waitFor({ state: 'detached' });
    await page.locator(rows).nth(1).waitFor();
    expect(await page.locator(rows).count()).toBe(2);

    await page.getByRole('combobox', { name: 'Platform' }).selectOption('firehose');
    await page.getByText('No matches for this filter').waitFor();
    // Back undoes one filter after the other.
    await page.goBack();
    await page.locator(rows).nth(1).waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.locator(rows).nth(2).waitFor();

    // The chart counts what the text found, and it is marked.
    await page.getByLabel('Text in the post or page').fill('zebra');
    await page.getByText('No matches for this filter').waitFor();
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /Matches per hour: 0 in total/ }).waitFor();
    await page.getByLabel('Text in the post or page').fill('ROCKET at');
    await page.getByRole('img', { name: /Matches per hour: 2 in total/ }).waitFor();
    await page.locator('article mark', { hasText: 'rocket at' }).waitFor();

    // Clear takes away what was typed over an emptied field, too.
    const text = page.getByLabel('Text in the post or page');
    await text.fill('');
    await text.fill('zebra');
    await page.waitForURL(/text=zebra/);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect.poll(() => text.inputValue()).toBe('');
  });

  it('begins with its rows, on a phone too, with the chart and the filters behind one button each', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    const ruleId = await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'a volcano')]);
    await go('/matches?view=single');
    const top = async () => (await page.locator(rows).first().boundingBox())!.y;
    await page.locator(rows).first().waitFor();
    expect(await top()).toBeLessThan(240);
    await page.setViewportSize({ width: 380, height: 760 });
    // The title with its buttons, and the search.
    await expect.poll(top).toBeLessThan(200);
    expect(await page.getByRole('combobox', { name: 'Platform' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('combobox', { name: 'Platform' }).waitFor();
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /Matches per hour: 1 in total/ }).waitFor();
    // Rows are as dense as the reader wants there, and on the page of a rule.
    await page.getByRole('combobox', { name: 'Density' }).selectOption('Quiet');
    const height = async () => (await page.locator(rows).first().boundingBox())!.height;
    await expect.poll(height).toBe(33 - 1);
    await go(`/rules/${ruleId}`);
    await page.locator(rows).first().waitFor();
    await expect.poll(height).toBe(33 - 1);
    await page.setViewportSize({ width: 800, height: 900 });
    await go('/matches?view=single');
    await page.getByRole('button', { name: 'Dense', exact: true }).click();
    await expect.poll(height).toBe(53 - 1);
    await page.locator(rows).first().waitFor();
    await expect.poll(top).toBeLessThan(220);
  });

  it('has a chart that buttons zoom, and stays live where it ends now', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'a volcano')]);
    await go('/matches?view=single');
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /Matches per hour: 1 in total/ }).waitFor();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(() => page.url()).toMatch(/since=/);
    const sinceOf = () => Date.parse(new URLSearchParams(page.url().split('?')[1]).get('since')!);
    const day = 24 * 3_600_000;
    expect(Date.now() - sinceOf()).toBeGreaterThan(1.9 * day);
    expect(page.url()).not.toContain('until=');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await expect.poll(() => page.url()).toMatch(/until=/);
    expect(Date.now() - sinceOf()).toBeGreaterThan(2.9 * day);
    expect(visit.complaints).toEqual([]);
  });

  it('misses nothing while it is offline', async () => {
    await using visit = await openConsole();
    const { server, page, context, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'before')]);
    await go('/matches?view=single');
    await page.getByText('Live', { exact: true }).waitFor();

    await context.setOffline(true);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await server.push('x', [post(2, 'a volcano while offline')]);
    await context.setOffline(false);
    await page.locator('article', { hasText: 'a volcano while offline' }).waitFor();
    await page.getByText('You are offline.', { exact: false }).waitFor({ state: 'hidden' });
    await page.getByText('Live', { exact: true }).waitFor();
    await server.push('x', [post(3, 'a volcano afterwards')]);
    await page.locator('article', { hasText: 'a volcano afterwards' }).waitFor();
    expect(await page.locator(rows).count()).toBe(2);
  });

  it('loads by itself when the server was away as it was opened', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { server, page, context, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'a volcano')]);
    await context.route(MATCHES, (route) => route.abort());
    await page.clock.install();
    await go('/matches?view=single');
    const said = page.getByText('Loading failed. The console tries again by itself.');
    // Three retries pass before the failure is told.
    const passesUntil = async (wanted: Locator) => {
      await expect
        .poll(async () => {
          await page.clock.fastForward(5_000);
          return wanted.count();
        })
        .toBe(1);
    };
    await passesUntil(said);
    await page.getByRole('status').getByText('Reconnecting', { exact: true }).waitFor();
    await context.unroute(MATCHES);
    await passesUntil(page.locator('article', { hasText: 'a volcano' }));
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    expect(await said.count()).toBe(0);
  });

  it('lets stories wait, too, and tells of new ones below which older ones were loaded', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    // Each is a story of its own: they have but one word in common.
    const words = (at: number) =>
      ['ash', 'sea', 'ridge', 'crater', 'dome'].map((word) => `${word}${at * 7919}`).join(' ');
    await server.push(
      'x',
      Array.from({ length: 35 }, (_, at) => post(at + 1, `volcano ${words(at + 1)}`)),
    );
    await go('/matches');
    const stories = page.getByRole('list', { name: 'Stories' }).getByRole('listitem');
    await stories.first().waitFor();
    expect(await stories.count()).toBe(30);
    await page.getByRole('button', { name: 'Pause' }).click();
    await server.push('x', [post(100, `volcano ${words(100)}`)]);
    const bar = page.getByRole('button', { name: '1 story has new matches' });
    await bar.waitFor();
    expect(await stories.filter({ hasText: words(100) }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await stories.filter({ hasText: words(100) }).waitFor();
    await page.getByRole('button', { name: 'Load older stories' }).click();
    await expect.poll(() => stories.count()).toBeGreaterThan(30);
    await page.evaluate('scrollTo(0, 0)');
    await server.push('x', [post(101, `volcano ${words(101)}`)]);
    await bar.click();
    await stories.filter({ hasText: words(101) }).waitFor();
    await bar.waitFor({ state: 'detached' });
  });

  it('keeps the place in the list while the page was hidden', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    // What arrives together is in no order: the oldest comes alone.
    await server.push('x', [post(1, 'volcano number 1')]);
    await server.push(
      'x',
      Array.from({ length: 119 }, (_, at) => post(at + 2, `volcano number ${at + 2}`)),
    );
    await page.clock.install();
    await go('/matches?view=single');
    const top = page.locator('article', { hasText: /volcano number \d/ });
    await top.first().waitFor();
    // To the end, where older matches are loaded, until the very first one is there.
    const first = page.locator('article', { hasText: /volcano number 1(?!\d)/ });
    await expect
      .poll(async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        await page.clock.runFor(300);
        return first.count();
      })
      .toBe(1);
    const place = async () => (await first.boundingBox())?.y;
    const before = await place();
    const show = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show('hidden');
    await page.clock.runFor(31_000);
    await server.push('x', [post(200, 'volcano of the hidden time')]);
    await show('visible');
    await expect
      .poll(async () => {
        await page.clock.runFor(300);
        return page.getByRole('button', { name: '1 new match', exact: true }).count();
      })
      .toBe(1);
    expect(await place()).toBe(before);
    await page.getByRole('button', { name: '1 new match', exact: true }).click();
    await page.clock.runFor(300);
    await page.locator('article', { hasText: 'volcano of the hidden time' }).waitFor();
  });

  it('filters by the clock of the server where that of the device is wrong', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { server, page, go } = visit;
    await addRule(server, 'Volcano news', 'volcano');
    await server.push('x', [post(1, 'a volcano')]);
    await page.clock.setFixedTime(Date.now() + 3_600_000);
    await go('/matches?view=single&since=15m');
    await page.locator('article', { hasText: 'a volcano' }).waitFor();
    await go('/timeline?span=hour');
    await page.getByText(/^1 match came/).waitFor();
  });
});
