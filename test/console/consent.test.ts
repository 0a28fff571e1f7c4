/** The page that asks whether an agent may connect, in a real browser. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type Served, serve } from '../oauth/served.ts';
import { challengeOf, VERIFIER } from '../oauth/stage.ts';
import { OPERATOR_KEY } from '../stages/http-app.ts';
import { signIn } from './browser.ts';
import { newProfile } from './profile.ts';
import { consoleSuite } from './suite.ts';

const CONSOLE = resolve(import.meta.dirname, '../../console/dist');

const GOODBYE = 'You can close this window.';

/** A program that registered, with the address that it is answered at. */
async function program({ url }: Served) {
  const answered = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(GOODBYE);
    if (request.url!.startsWith('/callback')) answered.resolve(new URL(request.url!, 'http://a').searchParams);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  const registered = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Cursor <b>bold</b>', redirect_uris: [redirect_uri] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    resource: `${url}/mcp`,
    scope: 'read full events',
    state: 'st-1',
  });
  return {
    authorizationUrl: `${url}/oauth/authorize?${query.toString()}`,
    answered: answered.promise,
    redeem: (code: string) =>
      fetch(`${url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id,
          code,
          redirect_uri,
          code_verifier: VERIFIER,
        }),
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const call = async (url: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' };
  const answer = await fetch(
    url + path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  );
  return (await answer.json()) as Record<string, unknown>;
};

/** A page, and what the browser complained of: errors and violations of the policy. */
async function openPage() {
  const { context, page } = await newProfile();
  const complaints: string[] = [];
  // The first question after the cookie is answered with 401, and the browser notes that.
  page.on('console', (line) => line.type() === 'error' && !line.text().includes('401') && complaints.push(line.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/**
 * Goes somewhere, and waits for no more than the answer: what the test looks for next says that the page is there. The
 * event `load` may never come, where another navigation is still under way: to the program's own address, or by the hash
 * alone, which loads nothing.
 */
const go = (page: Page, url: string) => page.goto(url, { waitUntil: 'commit' });

/** The program has its answer before the browser has left the page of the console: that must be over first. */
const leave = (page: Page) => page.getByText(GOODBYE).waitFor();

const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env['SLUICE_TEST_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: resolve(folder, `${name}.png`), fullPage: true });
};

consoleSuite('consent', () => {
  it('asks after the sign-in, and gives the agent what was chosen and no more', async () => {
    await using served = await serve({ realTime: true, consoleDir: CONSOLE });
    const rule = { intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const chosen = await call(served.url, '/api.CreateRule', { ...rule, name: 'Storms' });
    await call(served.url, '/api.CreateRule', { ...rule, name: 'Secrets' });
    await using agent = await program(served);
    await using visit = await openPage();
    const { page } = visit;
    await go(page, agent.authorizationUrl);
    await page.getByText('An agent asks to connect to your account.', { exact: false }).waitFor();
    await signIn(page, OPERATOR_KEY);
    await page.getByText('It calls itself “Cursor <b>bold</b>”.').waitFor();
    await page.getByText('Not verified').waitFor();
    await page.getByText('A program on this computer', { exact: true }).waitFor();
    await shot(page, 'consent');

    await page.getByLabel('Only these rules').check();
    await page.getByRole('combobox', { name: 'Rules' }).fill('Stor');
    await page.getByRole('option', { name: 'Storms' }).click();
    await page.getByRole('button', { name: 'Remove Storms' }).waitFor();
    await page.getByLabel('Read rules and matches').check();
    await shot(page, 'consent-rules');
    await page.getByRole('button', { name: 'Allow' }).click();
    const answer = await agent.answered;
    await leave(page);
    expect([answer.get('state'), answer.get('iss')]).toEqual(['st-1', served.url]);
    expect(await (await agent.redeem(answer.get('code')!)).json()).toMatchObject({ scope: 'read events' });
    const { grants } = await call(served.url, '/api.ListGrants');
    expect(grants).toMatchObject([{ client_name: 'Cursor <b>bold</b>', rule_ids: [chosen['rule_id']] }]);

    await go(page, `${served.url}/#/keys`);
    await page
      .getByRole('row', { name: /Cursor/ })
      .getByText('Storms')
      .waitFor();
    await shot(page, 'connected-agents');
    await page.getByRole('button', { name: /^Disconnect Cursor/ }).click();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByRole('region', { name: 'Connected agents' }).waitFor({ state: 'detached' });
    // A page that closes before the ten seconds are over ends the access at once.
    await page.goto('about:blank');
    await expect.poll(async () => (await call(served.url, '/api.ListGrants'))['grants']).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('takes a no as an answer, and says what is wrong with a request that cannot be answered', async () => {
    await using served = await serve({ realTime: true, consoleDir: CONSOLE });
    await using agent = await program(served);
    await using visit = await openPage();
    const { page } = visit;
    await go(page, agent.authorizationUrl);
    await signIn(page, OPERATOR_KEY);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect((await agent.answered).get('error')).toBe('access_denied');
    await leave(page);

    await go(page, `${served.url}/consent#/authorize?request=client_id%3Dunknown`);
    await page.getByRole('heading', { name: 'This agent cannot be connected' }).waitFor();
    await page.getByText('This program is not registered here', { exact: false }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('cannot be framed, and takes no click in the moment in which it appears', async () => {
    await using served = await serve({ realTime: true, consoleDir: CONSOLE });
    await using agent = await program(served);
    await using visit = await openPage();
    const { page } = visit;
    const framing = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${agent.authorizationUrl.replaceAll('&', '&amp;')}"></iframe>`);
    });
    await new Promise<void>((ready) => framing.listen(0, '127.0.0.1', ready));
    const refused = page.waitForEvent('console', (line) => /frame-ancestors|X-Frame-Options/i.test(line.text()));
    await go(page, `http://127.0.0.1:${(framing.address() as AddressInfo).port}/`);
    await refused;
    framing.closeAllConnections();
    framing.close();

    await go(page, agent.authorizationUrl);
    await signIn(page, OPERATOR_KEY);
    const button = page.getByRole('button', { name: 'Allow' });
    await button.waitFor();
    // Another window comes to the front and this one back again, as a page does that wants a click to land here.
    await page.evaluate("document.hasFocus = () => false; window.dispatchEvent(new Event('blur'))");
    await page.locator('button:disabled', { hasText: 'Allow' }).waitFor();
    await page.evaluate("document.hasFocus = () => true; window.dispatchEvent(new Event('focus'))");
    await button.click();
    expect((await agent.answered).get('code')).toBeTruthy();
  });
});
