/** One timeline for "last night": from Home to the answer, and from any moment to its matches and changes. */
import { expect, it } from 'vitest';
import { openReceiver, until } from '../stages/receiver.ts';
import { problemsEverywhere } from './axe.ts';
import { openConsole } from './browser.ts';
import { dragOver } from './drag.ts';
import { stepsOn } from './steps.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('the timeline', () => {
  it('answers "why nothing last night" in two clicks from Home', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [{ data: { id: '1', text: 'calm' } }]);
    await go('/');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'Last night' }));
    await page.getByRole('heading', { name: 'Timeline', level: 1 }).waitFor();
    // Every change of the night is shown, and nothing is said of more.
    await page.getByRole('region', { name: 'What stands out' }).waitFor();
    expect(await page.getByText('There were more changes').count()).toBe(0);
    await page
      .getByText(/^Nothing matched\. Sluice did not hear from X posts and Web pages all of this time/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Last night', pressed: true }).count()).toBe(1);
    await steps.click(page.getByRole('button', { name: 'Last hour' }));
    await page
      .getByRole('region', { name: 'What stands out' })
      .getByText(/Rule created, by a program/)
      .waitFor();
    expect(steps.taken).toBeLessThanOrEqual(3);
  });

  it('shows matches, gaps, versions, deliveries and silences on one axis, and leads to each by keyboard', async () => {
    await using refusing = await openReceiver((response) => void response.writeHead(500).end('no'));
    await using visit = await openConsole({ settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_DEMO: 'off' } });
    const { page, server, go } = visit;
    const ask = async (path: string, body: object) => (await server.call('POST', path, body)).body;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await ask('/api.CreateRule', rule);
    const { webhook_id } = await ask('/api.CreateWebhook', { url: `${refusing.url}/in`, description: 'Archive' });
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    await until(async () => {
      const { buckets } = await ask('/api.WebhookStats', { webhook_id });
      return (buckets as { failed: number }[]).some(({ failed }) => failed > 0);
    });
    await ask('/api.UpdateRule', { rule_id, paused: true });
    await ask('/api.UpdateRule', { rule_id, paused: false, overrides: { x: 'storm OR gale' } });
    const reason = 'The bot tests its alarm.';
    await ask('/api.CreateSilence', {
      rule_ids: [rule_id],
      until: new Date(Date.now() + 3_600_000).toISOString(),
      reason,
    });

    await go('/timeline?span=hour');
    const lane = (name: string) => page.getByRole('group', { name: new RegExp(`^${name}: `) });
    await lane('Storms').waitFor();
    const labelOf = (name: string) =>
      lane(name)
        .getAttribute('aria-label', { timeout: 1_000 })
        .catch(() => null);
    await expect.poll(() => labelOf('Storms')).toMatch(/The rule is paused\..*Rule changed: .*text for X posts/);
    await lane('Archive').waitFor();
    await lane('Muted').waitFor();
    expect(await lane('Archive').getAttribute('aria-label')).toMatch(/attempts? to deliver failed/);
    expect(await lane('Muted').getAttribute('aria-label')).toContain(reason);
    expect(await lane('Server').getAttribute('aria-label')).toContain('The server started.');
    // On a phone, too, the columns are wide enough to be told apart, and no name takes the room of a lane.
    await page.setViewportSize({ width: 380, height: 760 });
    await expect.poll(async () => (await lane('Storms').boundingBox())?.width ?? 0).toBeGreaterThan(300);
    const columns = page.getByRole('slider', { name: 'Moment' }).locator('..').locator('.flex-col-reverse');
    await expect.poll(async () => (await columns.first().boundingBox())?.width ?? 0).toBeGreaterThanOrEqual(6);
    const out = page.getByRole('region', { name: 'What stands out' });
    await out.getByRole('link', { name: 'Archive' }).waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });

    // The moment that is picked is said aloud as it is seen, and leads to its matches.
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus();
    await page.keyboard.press('End');
    const card = page.getByRole('region', { name: / to / });
    await card.waitFor();
    for (let at = 0; at < 5 && (await card.getByText('Show these matches').count()) === 0; at++)
      await page.keyboard.press('ArrowLeft');
    expect(await moment.getAttribute('aria-valuetext')).toContain('1 match.');
    await card.getByText('1 match: Storms 1.').waitFor();
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await card.getByRole('link', { name: 'Show these matches' }).click();
    await page.locator('article', { hasText: 'a storm' }).waitFor();
    await page.goBack();

    // A drag zooms in, and Back zooms out.
    await moment.waitFor();
    await dragOver(page.getByRole('slider', { name: 'Moment' }).locator('..'), 0.5, 0.9);
    await page.waitForURL(/since=/);
    await page.goBack();
    await page.waitForURL(/span=hour/);

    // A span says what it is, and leads there; beside it a click picks the moment.
    const span = lane('Archive')
      .getByRole('link', { name: /deliver failed/ })
      .first();
    expect(await span.getAttribute('title')).toMatch(/attempts? to deliver failed/);
    await span.click();
    await page.waitForURL(new RegExp(`connect/${webhook_id as string}`));
    await page.goBack();
    await lane('Server').click({ position: { x: 20, y: 10 } });
    await page.waitForURL(/at=/);
    expect(visit.complaints).toEqual([]);
  });

  it('says what is not shown, zooms in at a moment, and leads from there to the answer of a rule', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await server.call('POST', '/api.CreateRule', rule);
    for (let at = 0; at < 12; at++)
      await server.call('POST', '/api.CreateWebhook', { url: `https://example.com/${at}`, description: `Hook ${at}` });
    const feed = { kind: 'feeds', name: 'Town news', options: { urls: ['https://town.invalid/feed.xml'] } };
    expect((await server.call('POST', '/api.CreateSource', feed)).status).toBe(200);
    await go('/timeline?span=day');
    await page.getByText('2 more webhooks are not shown here').waitFor();
    await page.getByText('No matches.', { exact: true }).waitFor();
    // A source of the account has a lane as soon as something is wrong with it, for everybody who may see it.
    await page.getByRole('group', { name: /^Town news: .*Failing for / }).waitFor();
    const moment = page.getByRole('slider', { name: 'Moment' });
    await moment.focus();
    await page.keyboard.press('End');
    const length = () => {
      const { searchParams } = new URL(page.url().replace('#/', ''));
      return Date.parse(searchParams.get('until')!) - Date.parse(searchParams.get('since')!);
    };
    await page.getByRole('button', { name: 'Zoom in here' }).click();
    await page.waitForURL(/since=/);
    expect(length()).toBe(6 * 3_600_000);
    // By the clock of the server, whatever that of the page says: it is known to half a minute.
    const { searchParams } = new URL(page.url().replace('#/', ''));
    expect(Date.parse(searchParams.get('until')!)).toBeLessThanOrEqual(Date.now() + 30_000);
    await moment.focus();
    await page.keyboard.press('End');
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('combobox', { name: 'Rule' }).fill('Stor');
    await page.getByRole('option', { name: 'Storms' }).click();
    await page.getByRole('region', { name: 'Why not?' }).getByRole('textbox').and(page.locator(':focus')).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('says what could not be loaded, and nothing for certain while it loads', async () => {
    await using visit = await openConsole();
    const { page, context, server, go } = visit;
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await server.call('POST', '/api.CreateRule', rule);
    await server.push('x', [{ data: { id: '1', text: 'a storm' } }]);
    const refused = { status: 403, json: { code: 'forbidden', message: 'It is closed.' } };
    await context.route('**/alerts', (route) => route.fulfill(refused));
    await go('/timeline?span=hour');
    await page.getByText('surges and silences could not be loaded. It is closed.', { exact: false }).waitFor();
    await page.getByText(/^1 match came/).waitFor();
    expect(await page.getByText('Nothing else is on record').count()).toBe(0);
    // The counts of the last hour say nothing of the last week.
    const counted = Promise.withResolvers<void>();
    await context.route('**/api.MatchCounts', async (route) => {
      await counted.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByText('Updating …', { exact: true }).first().waitFor();
    await page.getByText(/^1 match came/).waitFor({ state: 'detached' });
    counted.resolve();
    await page.getByText(/^1 match came/).waitFor();
    await page.getByText('Updating …', { exact: true }).first().waitFor({ state: 'detached' });
  });
});
