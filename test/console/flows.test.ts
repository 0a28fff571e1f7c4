/** The things that people come for take few steps and no mouse, counted in a real browser. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openReceiver } from '../stages/receiver.ts';
import { openConsole } from './browser.ts';
import { stepsOn } from './steps.ts';
import { consoleSuite } from './suite.ts';

const post = (id: number, text: string) => ({ data: { id: String(id), text, author_id: '7', lang: 'en' } });
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

consoleSuite('the steps of', () => {
  it('a rule from nothing to its first match: at most 4', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await visit.go('/');
    const steps = stepsOn(page);
    await steps.type(page.getByLabel('What do you care about?'), 'storms near the coast');
    await steps.click(page.getByRole('button', { name: 'Draft the rule' }));
    await steps.click(page.getByRole('button', { name: 'Create rule' }));
    await page.getByRole('heading', { name: 'Storms near the coast', level: 1 }).waitFor();
    await server.push('x', [post(1, 'A storm off the coast.')]);
    await page.locator('article', { hasText: 'A storm off the coast.' }).waitFor();
    expect(steps.taken).toBeLessThanOrEqual(4);
    expect(visit.complaints).toEqual([]);
  });

  it('a rule from an example: at most 2', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'Broadband outages' }));
    await steps.click(page.getByRole('button', { name: 'Create rule' }));
    await page.getByText('No matches yet').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(2);
    expect(visit.complaints).toEqual([]);
  });

  it('a rule with a mistake, mended and created: at most 3', async () => {
    await using visit = await openConsole();
    const { page } = visit;
    await visit.go('/rules/write');
    const steps = stepsOn(page);
    await steps.type(page.getByRole('textbox', { name: 'Rule for X posts' }), 'storm from:@nasa');
    await page.keyboard.press('Escape');
    await steps.click(page.getByRole('list', { name: 'Diagnostics' }).getByRole('button', { name: /^Fix/ }).first());
    await steps.click(page.getByRole('button', { name: 'Create rule' }));
    await page.getByText('No matches yet').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(3);
    expect(visit.complaints).toEqual([]);
  });

  it('why a post did not match: at most 3, and the post', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', RULE);
    await server.push('x', [post(12_345, 'A gale off the coast.')]);
    await visit.go(`/rules/${String(body['rule_id'])}`);
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'Edit', exact: true }));
    await steps.type(page.getByLabel('A post that the rule should, or should not, match'), '12345');
    const card = page.getByRole('region', { name: 'Why not?' });
    await card.getByText('It does not match').waitFor();
    await card.getByText('A gale off the coast.').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(4);
    expect(visit.complaints).toEqual([]);
  });

  it('a rule that is tried on the past: at most 1', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', RULE);
    await server.push('x', [post(1, 'The storm is near.')]);
    await visit.go(`/rules/${String(body['rule_id'])}?tab=edit`);
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'Try it' }));
    await page.getByText('1 match in 1 story').waitFor();
    expect(steps.taken).toBe(1);
    expect(visit.complaints).toEqual([]);
  });

  it('a rule deleted and brought back: at most 4', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    const { body } = await server.call('POST', '/api.CreateRule', RULE);
    await visit.go(`/rules/${String(body['rule_id'])}`);
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'More' }));
    await steps.click(page.getByRole('menuitem', { name: 'Delete' }));
    await steps.click(page.getByRole('alertdialog').getByRole('button', { name: /^Delete/ }));
    await steps.click(page.getByRole('button', { name: 'Undo' }));
    await expect
      .poll(async () => (await server.call('GET', '/api.ListRules')).body)
      .toMatchObject({ rules: [{ name: 'Storms' }] });
    expect(steps.taken).toBeLessThanOrEqual(4);
    expect(visit.complaints).toEqual([]);
  });

  it('a Slack channel that is told of each story once: at most 5', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await visit.go('/connect?to=webhook');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'Slack' }));
    const dialog = page.getByRole('dialog');
    await steps.type(dialog.getByLabel('URL'), 'T0/B0/abc');
    await steps.type(dialog.getByLabel('Send', { exact: true }), 'Each');
    await steps.click(dialog.getByRole('button', { name: 'Create webhook' }));
    await dialog.waitFor({ state: 'detached' });
    expect((await server.call('GET', '/api.ListWebhooks')).body).toMatchObject({
      webhooks: [{ format: 'slack', wake: { per: 'story' } }],
    });
    expect(steps.taken).toBeLessThanOrEqual(5);
    expect(visit.complaints).toEqual([]);
  });

  it('a key with which a teammate reads: at most 5', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await visit.go('/');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'Settings' }));
    await steps.click(page.getByRole('button', { name: 'New key' }));
    await steps.type(page.getByLabel('Name'), 'Anna');
    await steps.press('Enter');
    await page.getByText(/^sk_/).waitFor();
    await steps.click(page.getByRole('button', { name: 'Done' }));
    const { body } = await server.call('GET', '/api.ListKeys');
    expect((body['keys'] as { name: string }[]).find(({ name }) => name === 'Anna')).toMatchObject({ scope: 'read' });
    expect(steps.taken).toBeLessThanOrEqual(5);
    expect(visit.complaints).toEqual([]);
  });

  it('a wrong match to its exclusion, with what that drops: at most 3', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', RULE);
    await server.push('x', [post(1, 'A storm in a teacup.'), post(2, 'The storm is near.')]);
    const { body } = await server.call('POST', '/matches', {});
    const [match] = body['matches'] as { id: string }[];
    await go(`/matches/${match!.id}`);
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'Exclude' }));
    await steps.click(page.getByRole('radio').first());
    await page.getByText(/^It drops \d of 2 matches/).waitFor();
    await steps.click(page.getByRole('button', { name: 'Save new version' }));
    await page.getByText('Saved as version 2.').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(3);
    expect(visit.complaints).toEqual([]);
  });

  it('an agent that is connected: at most 3', async () => {
    await using visit = await openConsole();
    const { page, server } = visit;
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visit.go('/');
    const steps = stepsOn(page);
    await steps.click(page.getByRole('link', { name: 'Connect' }).first());
    await steps.click(page.getByRole('button', { name: 'Create key' }));
    await page.getByText('Waiting for the first call').waitFor();
    await steps.click(page.getByRole('button', { name: 'Copy snippet' }));
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const url = /https?:\/\/[^"'\s]+\/mcp/.exec(copied)![0];
    const key = /sk_[\w-]+/.exec(copied)![0];
    expect(url.startsWith(server.url)).toBe(true);
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    expect(answer.status).not.toBe(401);
    await page.getByText('Connected: the first call came').waitFor();
    expect(steps.taken).toBeLessThanOrEqual(3);
    expect(visit.complaints).toEqual([]);
  });

  it('a webhook that fails, found and tried again: at most 2', async () => {
    let isMended = false;
    await using receiver = await openReceiver((response) => void response.writeHead(isMended ? 200 : 503).end('no'));
    await using visit = await openConsole({
      settings: { SLUICE_WEBHOOK_ALLOW_PRIVATE: 'on', SLUICE_WEBHOOK_RETRIES: '1,3600' },
    });
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', RULE);
    await server.call('POST', '/api.CreateWebhook', { url: `${receiver.url}/hook`, description: 'Newsroom' });
    await server.push('x', [post(1, 'The storm is near.')]);
    await expect.poll(() => receiver.received.length).toBe(2);
    await go('/');
    await page.getByText('Webhook “Newsroom”: every attempt to deliver has failed.').waitFor();
    await page.getByText('1 delivery waits.').waitFor();
    isMended = true;
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'Try now' }));
    await expect.poll(() => receiver.received.length).toBe(3);
    await page.getByText('Webhook “Newsroom”').waitFor({ state: 'detached' });
    expect(steps.taken).toBeLessThanOrEqual(2);
    expect(visit.complaints).toEqual([]);
  });

  it('an export of what is filtered: at most 2', async () => {
    await using visit = await openConsole();
    const { page, server, go } = visit;
    await server.call('POST', '/api.CreateRule', RULE);
    await server.push('x', [post(1, 'The storm is near.'), post(2, 'A storm in a teacup.')]);
    await go('/matches?view=single&text=teacup');
    await page.locator('article').first().waitFor();
    const steps = stepsOn(page);
    await steps.click(page.getByRole('button', { name: 'Export' }));
    const started = page.waitForEvent('download');
    await steps.click(page.getByRole('menuitem', { name: 'Download CSV' }));
    const text = await readFile(await (await started).path(), 'utf8');
    expect(text).toContain('A storm in a teacup.');
    expect(text).not.toContain('The storm is near.');
    expect(steps.taken).toBeLessThanOrEqual(2);
    expect(visit.complaints).toEqual([]);
  });
});
