/** Pages say what is scoped and true: which rule a gap is of, what is behind, what time it is, where a link leads. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole, type Visit } from './browser.ts';
import { dragOver, drawnIn } from './drag.ts';

import { consoleSuite } from './suite.ts';

const MINUTE = 60_000;
const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

/** Stops the clock of the page within eight seconds after the rules were asked for. On a slow machine it is loaded anew. */
async function pausedSoon(page: Page): Promise<void> {
  for (;;) {
    const since = await page.evaluate<number>('Date.now()');
    await page.reload();
    await page.getByRole('link', { name: 'Storms' }).waitFor();
    const now = await page.evaluate<number>('Date.now()');
    await page.clock.pauseAt(now + 1_000);
    if (now - since < 7_000) return;
    await page.clock.resume();
  }
}

/** The status as a server on the real X would give it, with what one of the test does not have. */
async function withUpstream({ context }: Visit, ruleId: unknown): Promise<void> {
  const from = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const to = new Date(Date.now() - 3_600_000).toISOString();
  await context.route('**/api.Status*', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { platforms: { x: object } };
    Object.assign(body.platforms.x, {
      shape: 'upstream',
      gaps: [{ from, to, cause: 'dropped', recovered: false }],
      coverage: { complete: false, complete_from: from, complete_through: to, reasons: ['token_refused'] },
      usage: {
        month: '2026-11',
        reads: 90,
        matches: 90,
        cost: 9,
        budget: 10,
        currency: 'EUR',
        rules: [{ rule_id: ruleId, reads: 90, matches: 90, cost: 9.5 }],
      },
    });
    await route.fulfill({ response, json: body });
  });
}

consoleSuite('scoped truth', () => {
  it('leads from each trouble to more of it, and from Health never to Health', async () => {
    await using visit = await openConsole();
    const { page, server, context, go } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await withUpstream(visit, body['rule_id']);
    await go('/health');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('90 % of this month').waitFor();
    for (const link of await attention.getByRole('link').all())
      expect(await link.getAttribute('href'), await link.innerText()).not.toMatch(/#\/health$/);
    await page.setViewportSize({ width: 1280, height: 300 });
    const card = page.getByRole('heading', { name: 'X posts' });
    expect((await card.boundingBox())!.y).toBeGreaterThan(300);
    await attention.getByRole('link', { name: 'Details' }).click();
    await expect.poll(async () => (await card.boundingBox())!.y).toBeLessThan(300);
    await attention.getByRole('link', { name: 'Timeline' }).click();
    await page.getByRole('heading', { name: 'Timeline', level: 1 }).waitFor();
    expect(page.url()).toMatch(/since=.*&until=/);
    // The currency of the platform is that of a rule, too.
    await go(`/rules/${body['rule_id'] as string}?tab=insights`);
    await page.getByText('EUR 9.5', { exact: true }).waitFor();
    await context.unrouteAll({ behavior: 'wait' });
    expect(visit.complaints).toEqual([]);
  });

  it('tells a gap of one rule by its name, and leaves the platform alone', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    await server.call('POST', '/api.DeleteRule', { rule_id: body['rule_id'] });
    await server.call('POST', '/api.RestoreRule', { rule_id: body['rule_id'] });
    await go('/health');
    const card = page.getByRole('region', { name: 'X posts' });
    await card.getByText('Ready', { exact: true }).click();
    expect(await card.getByText('Has gaps').count()).toBe(0);
    await card.getByText('1 gap of single rules').click();
    await card.getByRole('cell', { name: 'Rule “Storms”' }).waitFor();
    expect(await card.getByText('Sluice has not listened').count()).toBe(0);
    expect(await card.getByRole('img', { name: /^Last 24 hours: / }).getAttribute('aria-label')).toContain('no gaps');
    await go('/matches');
    await page
      .getByText('Rule “Storms”: events are missing from a part of the time. The timeline shows from which.')
      .waitFor();
  });

  it('calls a source of the account by its name, where the server says its id', async () => {
    await using visit = await openConsole();
    const { page, server, context, go } = visit;
    const source = {
      kind: 'feeds',
      name: 'Evening news',
      options: { urls: ['https://news.invalid/feed'] },
      paused: true,
    };
    const { body } = await server.call('POST', '/api.CreateSource', source);
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const down = `source_down:${body['source_id'] as string}`;
    await context.route('**/api.Status*', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { platforms: { firehose: object } };
      Object.assign(json.platforms.firehose, {
        gaps: [{ from, to: null, cause: down, source: body['source_id'], recovered: false }],
        coverage: { complete: false, complete_from: from, complete_through: from, reasons: [down] },
      });
      await route.fulfill({ response, json });
    });
    await go('/health');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('A source cannot be reached (“Evening news”).').waitFor();
    await attention.getByText('It began 1h ago.').waitFor();
    const card = page.getByRole('region', { name: 'Web pages' });
    await card.getByText('1 gap', { exact: true }).first().click();
    await card.getByRole('cell', { name: 'Source “Evening news”', exact: true }).waitFor();
    await card.getByRole('cell', { name: 'A source cannot be reached (“Evening news”).' }).waitFor();
    expect(await page.getByText(/source_/).count()).toBe(0);
    await context.unrouteAll({ behavior: 'wait' });
    expect(visit.complaints).toEqual([]);
  });

  it('reads aloud what is seen, and calls nothing behind that is only pushed now and then', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await go('/health');
    const card = page.getByRole('region', { name: 'X posts' });
    const strip = card.getByRole('img', { name: /^Last 24 hours: / });
    expect(await strip.getAttribute('aria-label')).toBe('Last 24 hours: not known if anything is missing.');
    await card.getByText('not known if anything is missing', { exact: true }).waitFor();
    await card.getByText('nothing has been sent in yet', { exact: false }).waitFor();
    await server.push('x', [{ data: { id: '1', text: 'calm' } }]);
    await page.reload();
    // What needs no look is one line, which opens.
    expect(await card.getByText('All figures').isVisible()).toBe(false);
    await card
      .getByText(/^no gaps since \d\d:\d\d$/)
      .first()
      .waitFor();
    await card.getByText('Ready', { exact: true }).click();
    expect(await strip.getAttribute('aria-label')).toMatch(/^Last 24 hours: no gaps since \d\d:\d\d/);
    await card.getByText('All figures').click();
    await card.getByText('Complete through').waitFor();
    expect(await card.getByText(/^(Lag|Behind by)$/).count()).toBe(0);
    await card.getByText('Your rules, also the paused').waitFor();
  });

  it('zooms as the timeline does, by the keyboard and by a drag', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/health');
    const card = page.getByRole('region', { name: 'Your matches' });
    await card.getByText('last 24 hours').waitFor();
    const shown = card.getByText(/^\w{3} \d+ \w{3}, \d\d:\d\d to \w{3} \d+ \w{3}, \d\d:\d\d$/);
    await card.getByRole('button', { name: 'Zoom in' }).focus();
    await page.keyboard.press('Enter');
    await shown.waitFor();
    const half = await shown.innerText();
    await dragOver(drawnIn(card.getByRole('img', { name: /^Your matches/ })), 0.4, 0.6);
    await expect.poll(() => shown.innerText()).not.toBe(half);
    expect(visit.complaints).toEqual([]);
  });

  it('has a chart on Home whose times lead to the timeline', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', rule);
    await go('/');
    // The list above the chart has its height then.
    await page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first().waitFor();
    await dragOver(drawnIn(page.getByRole('img', { name: /^Matches by rule/ })), 0.4, 0.6);
    await page.getByRole('heading', { name: 'Timeline', level: 1 }).waitFor();
    expect(decodeURIComponent(page.url())).toMatch(/timeline\?since=.*&until=/);
    expect(visit.complaints).toEqual([]);
  });

  it('notices that the clock of the device is wrong, and counts by that of the server', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', rule);
    await page.clock.setFixedTime(Date.now() + 10 * MINUTE);
    await go('/matches?view=single');
    await page.getByText('The clock of this device is 10 min ahead of the server’s.', { exact: false }).waitFor();
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    await page.locator('article', { hasText: 'a storm' }).waitFor();
    expect(await page.locator('article time').first().innerText()).not.toMatch(/\dm ago/);
    await page.clock.setFixedTime(new Date());
    await page.reload();
    await page.locator('article', { hasText: 'a storm' }).waitFor();
    expect(await page.getByText('The clock of this device').count()).toBe(0);
  });

  it('tells the last change of a rule and an open gap by the clock of the server', async () => {
    // With a profile of its own: others go by the right clock.
    await using visit = await openConsole({ isFirst: true });
    const { page, server, go } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', rule);
    await server.call('POST', '/api.UpdateRule', { rule_id: body['rule_id'], overrides: { x: 'gale' } });
    await server.call('POST', '/api.UpdateRule', { rule_id: body['rule_id'], paused: true });
    await page.clock.setFixedTime(Date.now() + 9 * 60 * MINUTE);
    await go(`/rules/${body['rule_id'] as string}?tab=insights`);
    await page.getByRole('region', { name: 'The last change' }).waitFor();
    await go('/health');
    const card = page.getByRole('region', { name: 'X posts' });
    await card.getByText('1 gap of single rules').click();
    const gap = card.getByRole('row').filter({ has: page.getByRole('cell', { name: 'Rule “Storms”' }) });
    expect(await gap.getByRole('cell').nth(1).innerText()).not.toContain('h');
  });

  it('leads from a path without # into the console, and answers programs as ever', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    for (const [path, title] of [
      ['/rules?search=storm', 'Rules'],
      ['/health', 'Health'],
      ['/matches', 'Matches'],
      ['/rules/deleted', 'Deleted rules'],
    ] as const) {
      await page.goto(server.url + path);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      expect(page.url()).toBe(`${server.url}/#${path}`);
    }
    expect((await server.call('GET', '/rules')).status).toBe(404);
    expect((await server.call('GET', '/matches')).status).toBe(405);
  });

  it('shows a rule that was made elsewhere with the next status', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', rule);
    await page.clock.install();
    await go('/rules');
    await pausedSoon(page);
    await server.call('POST', '/api.CreateRule', { ...rule, name: 'Made by an agent' });
    // The status is asked for every five seconds, the rules themselves every fifteen, which are not over.
    await page.clock.runFor(5_100);
    const isShown = async () => {
      await page.clock.runFor(10);
      return page.getByRole('link', { name: 'Made by an agent' }).count();
    };
    await expect.poll(isShown, { interval: 200 }).toBe(1);
    await page.clock.resume();
  });

  it('has targets that a finger hits, and a header that reaches the edge', async () => {
    await using visit = await openConsole({ viewport: { width: 390, height: 844 } });
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    await go('/');
    const legend = page.getByRole('figure').getByRole('link', { name: 'Storms' });
    expect((await legend.boundingBox())!.height).toBeGreaterThanOrEqual(24);
    await page.setViewportSize({ width: 700, height: 800 });
    const gutter =
      "getComputedStyle(document.documentElement).scrollbarGutter + ' ' + (innerWidth - document.querySelector('header').getBoundingClientRect().right)";
    expect(await page.evaluate<string>(gutter)).toBe('auto 0');
  });

  it('says how a source is added where events come in', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/connect?to=events');
    await page.getByRole('link', { name: 'Add a source' }).click();
    await page.getByRole('heading', { name: 'Sources', level: 1 }).waitFor();
  });
});
