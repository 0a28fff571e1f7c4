/** Webhooks in a real browser: made, tested, failing, mended, and sent again. */
import { expect, it } from 'vitest';
import { openReceiver } from '../stages/receiver.ts';
import { openConsole } from './browser.ts';
import { consoleSuite } from './suite.ts';

consoleSuite('webhooks', () => {
  it('shows what came of a receiver that fails, and of one that works', async () => {
    await using failing = await openReceiver((response) => void response.writeHead(503).end('<h1>out of order</h1>'));
    await using working = await openReceiver();
    await using visit = await openConsole({
      settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_WEBHOOK_RETRIES: '3600' },
    });
    const { server, page, go } = visit;
    await go('/webhooks');
    await page.waitForURL(/connect\?to=webhook/);
    await page.getByText('No webhooks yet').waitFor();

    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('URL').fill(`${failing.url}/hook`);
    await page.getByLabel('Description').fill('Newsroom');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Newsroom', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const answer = page.getByRole('dialog', { name: 'The test failed' });
    await answer.getByText('503', { exact: true }).waitFor();
    await answer.getByText('<h1>out of order</h1>').waitFor();
    await page.keyboard.press('Escape');

    await server.call('POST', '/api.CreateRule', {
      name: 'Volcano news',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'volcano' },
    });
    await server.push('x', [{ data: { id: '1', text: 'a volcano' } }]);
    const log = page.getByRole('region', { name: 'Deliveries' });
    await log.getByRole('button', { name: /Volcano news · 1 match/ }).click();
    await log.getByText('<h1>out of order</h1>').first().waitFor();

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('URL').fill(`${working.url}/hook`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Redeliver since…' }).click();
    await page.getByRole('button', { name: 'Redeliver', exact: true }).last().click();
    await log.getByRole('button', { name: /^Delivered/ }).waitFor();
    expect(working.received.map(({ body }) => body)).toEqual([expect.stringContaining('a volcano')]);

    // Only the host of the address is shown. An edit that leaves it empty keeps all of it.
    await page.getByText(`${working.url}/***`).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    expect(await page.getByLabel('URL').inputValue()).toBe('');
    await page.getByLabel('Description').fill('Newsroom desk');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Newsroom desk', level: 1 }).waitFor();
    expect(await page.content()).not.toContain(`${working.url}/hook`);
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByRole('dialog', { name: 'The test was delivered' }).waitFor();
    await page.keyboard.press('Escape');
    expect(working.received.at(-1)!.path).toBe('/hook');

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Create new secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Newsroom desk' }).waitFor();
    expect((await server.call('GET', '/api.ListWebhooks')).body).toMatchObject({
      webhooks: [{ description: 'Newsroom desk' }],
    });
    expect(visit.complaints).toEqual([]);
  });

  it('says of a delivery that its template could not be used', async () => {
    await using receiver = await openReceiver();
    await using visit = await openConsole({ settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on' } });
    const { server, page, go } = visit;
    const rule = { name: 'Volcano news', intent: '', platforms: ['x'], overrides: { x: 'volcano' } };
    await server.call('POST', '/api.CreateRule', rule);
    const chat = {
      url: receiver.url,
      format: 'slack',
      template: '{{ text }}{% if text contains "bad" %}{{ time | date: "%H", text }}{% endif %}',
    };
    const { body } = await server.call('POST', '/api.CreateWebhook', chat);
    await go(`/connect/${body['webhook_id'] as string}`);
    await server.push('x', [{ data: { id: '1', text: 'a bad volcano' } }]);
    const row = page.getByRole('button', {
      name: /1 attempt\. The template was not used, and the usual message was sent\./,
    });
    await row.click();
    expect(await page.getByText(/^The template was not used/).innerText()).toContain('There is no such time zone.');
    await page.getByRole('link', { name: 'The match that it carries' }).click();
    await page.waitForURL(/matches\/match_/);
    await page.getByText('a bad volcano').first().waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('says what the server refuses where no field is', async () => {
    await using visit = await openConsole();
    const { page, go } = visit;
    await go('/connect?to=webhook');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await page.locator('summary', { hasText: 'Notifies of' }).click();
    await page.getByRole('checkbox', { name: 'Notices' }).check();
    await page.getByRole('checkbox', { name: 'Quiet hours' }).check();
    await page.getByLabel('Time zone').fill('Europe/Berln');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('alert').getByText('There is no such time zone.').waitFor();
    // Each is said once: what a field says is not said again.
    const said = await page.getByRole('dialog').getByRole('alert').allInnerTexts();
    expect(said.length).toBe(new Set(said).size);
  });

  it('that are paused, as all rules are, leave no green line on Home', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    const rule = { name: 'Volcano news', intent: '', platforms: ['x'], overrides: { x: 'volcano' } };
    const { body: made } = await server.call('POST', '/api.CreateRule', rule);
    const { body } = await server.call('POST', '/api.CreateWebhook', {
      url: 'https://example.com/',
      description: 'Newsroom',
    });
    await server.call('POST', '/api.UpdateRule', { rule_id: made['rule_id'], paused: true });
    await server.call('POST', '/api.UpdateWebhook', { webhook_id: body['webhook_id'], paused: true });
    await go('/');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByText('Webhook “Newsroom” is paused, so nothing is sent to it.').waitFor();
    await attention.getByText('Your rule is paused, so nothing new is found.').waitFor();
    expect(await attention.getByText('Nothing needs your attention').count()).toBe(0);
    // What somebody has paused is no trouble.
    expect(await attention.getByRole('img', { name: /Problem|Warning/ }).count()).toBe(0);
  });

  it('keep what others changed of one while its form was open', async () => {
    await using visit = await openConsole();
    const { server, page, go } = visit;
    const { body } = await server.call('POST', '/api.CreateWebhook', {
      url: 'https://example.com/',
      description: 'Newsroom',
    });
    const webhook = { webhook_id: body['webhook_id'] };
    await go(`/connect/${body['webhook_id'] as string}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('Newsroom desk');
    await server.call('POST', '/api.UpdateWebhook', { ...webhook, platforms: ['x'], batch: { every: '5m' } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await server.call('GET', '/api.ListWebhooks')).body).toMatchObject({
      webhooks: [{ description: 'Newsroom desk', platforms: ['x'], batch: { every: '5m' } }],
    });
  });
});
