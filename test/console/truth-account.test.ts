/** The pages' words for webhooks, deliveries, budgets, limits, surges, keys, and for a store that is away. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCOPES } from '../../console/src/words/access.ts';
import { DELIVERY_STATES, FAILING, WEBHOOK_STATES } from '../../console/src/words/delivery.ts';
import { LIMITS } from '../../console/src/words/limits.ts';
import { NOT_READY_STATES } from '../../console/src/words/platform-states.ts';
import type { Send } from '../../src/delivery/webhooks/transport.ts';
import { DEFAULT_ACCOUNT } from '../../src/domain/account.ts';
import { StoreError } from '../../src/store/error.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { openService } from '../stages/service.ts';
import { upstreamService } from '../stages/upstream-service.ts';
import { newProfile } from './profile.ts';
import { openSceneServer } from './scene-server.ts';
import { consoleSuite } from './suite.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RULE = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };

consoleSuite('the truth about an account', () => {
  const parts = new AsyncDisposableStack();
  let server: Awaited<ReturnType<typeof openSceneServer>>;
  let page: Page;

  beforeAll(async () => {
    server = parts.use(await openSceneServer());
    ({ page } = parts.use(await newProfile()));
  });
  afterAll(() => parts.disposeAsync());

  /** Loads a page anew, at the time of the scene. */
  async function show(path: string, now: Date): Promise<void> {
    await page.clock.setFixedTime(now);
    await page.goto(server.waiting);
    await page.goto(`${server.url}/#${path}`);
    await page.locator('h1').first().waitFor();
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  }
  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
  const attention = () => page.getByRole('region', { name: 'Needs attention' });

  it('names the state of each webhook and of each delivery, and calls only one of them Active', async () => {
    const clock = fakeClock();
    const send: Send = async ({ url }) => {
      const statusCode = url.includes('refusing') ? 503 : url.includes('gone') ? 410 : 200;
      const error = statusCode === 200 ? undefined : `It answered ${statusCode}.`;
      return { statusCode, error, response: '', milliseconds: 1 } as never;
    };
    await using test = await openService({ clock, delivery: { send, allowPrivate: true, schedule: [30, 3_600] } });
    const alice = await test.caller('alice');
    const { rule_id } = await test.call(alice, 'createRule', RULE);
    const ids: Record<string, string> = {};
    for (const description of ['Taking', 'Refusing', 'Gone', 'Resting']) {
      const url = `https://${description.toLowerCase()}.example/`;
      ids[description] = (await test.call(alice, 'createWebhook', { url, description })).webhook_id;
    }
    await test.call(alice, 'updateWebhook', { webhook_id: ids['Resting'], paused: true });
    const posted = test.post(alice, 'a storm');
    await clock.pass(2 * SECOND);
    await posted;
    await clock.pass(MINUTE);

    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    const states = {
      Taking: WEBHOOK_STATES.active,
      Refusing: FAILING,
      Gone: WEBHOOK_STATES.disabled,
      Resting: WEBHOOK_STATES.paused,
    };
    for (const path of ['/connect?to=webhook', `/rules/${rule_id}?tab=deliver`]) {
      await show(path, clock.now());
      for (const [name, { words, about }] of Object.entries(states)) {
        await rowOf(name).getByText(words, { exact: true }).waitFor();
        if (name !== 'Taking') await rowOf(name).getByText(about).waitFor();
        expect(await rowOf(name).getByText('Active', { exact: true }).count()).toBe(name === 'Taking' ? 1 : 0);
      }
    }
    await rowOf('Refusing').getByText('1 delivery waits.').waitFor();
    await show('/', clock.now());
    await attention().getByText('Webhook “Refusing”: every attempt to deliver has failed.').waitFor();
    await attention().getByText('Webhook “Gone” is disabled, so nothing is sent to it.').waitFor();
    await show('/health', clock.now());
    await attention().getByText('Webhook “Refusing”: every attempt to deliver has failed.').waitFor();
    expect(await rowOf('Taking').count()).toBe(0);

    const log = page.getByRole('region', { name: 'Deliveries' });
    const says = async (name: string, status: keyof typeof DELIVERY_STATES) => {
      await show(`/connect/${ids[name]}`, clock.now());
      await log.getByRole('button', { name: new RegExp(`^${DELIVERY_STATES[status].words}`) }).click();
      await log.getByText(DELIVERY_STATES[status].about).waitFor();
    };
    await says('Taking', 'delivered');
    await says('Refusing', 'pending');
    await clock.pass(90 * MINUTE);
    // The session has ended meanwhile.
    await shown.as(alice.account.id);
    await says('Refusing', 'failed');
    await show(`/connect/${ids['Gone']}`, clock.now());
    await page.getByText(WEBHOOK_STATES.disabled.about).waitFor();
    await show(`/connect/${ids['Resting']}`, clock.now());
    await page.getByText(WEBHOOK_STATES.paused.about).waitFor();
    await page.goto(server.waiting);
  });

  it('says that a budget is nearly spent, before it is, and names the currency of each amount', async () => {
    const prices = { x: 1, firehose: 0 };
    await using stage = await upstreamService({ upstreams: ['x'], prices, currency: 'EUR' });
    await stage.rule('storm', ['x']);
    await stage.live('x');
    await stage.store.changeAccount(stage.alice.account.id, { xBudget: 5 });
    for (const id of ['1', '2', '3', '4']) stage.sandbox.post('x', { data: { id, text: 'a storm' } });
    await stage.stored(4);
    await stage.pass(MINUTE, 10 * SECOND);
    await using shown = await server.show(stage.test.service);
    await shown.as(stage.alice.account.id);
    await show('/', stage.clock.now());
    await attention().getByText("80 % of this month's budget are used.").waitFor();
    await show('/health', stage.clock.now());
    await page.getByRole('region', { name: 'X posts' }).getByText('EUR 4 of EUR 5').waitFor();
    await show('/rules/new?about=Storms', stage.clock.now());
    await page.getByText('EUR 1 a match; how many come is not known beforehand').waitFor();
    await page.goto(server.waiting);
  });

  it('estimates no day from a few bursts, however much time lies between them', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock, prices: { x: 0.005, firehose: 0 }, currency: 'EUR' });
    const alice = await test.caller('alice');
    let posts = 0;
    const burst = async (size: number) => {
      const lines = Array.from({ length: size }, () => JSON.stringify({ data: { id: `${++posts}`, text: 'storm' } }));
      const pushed = test.call(alice, 'pushEvents', { platform: 'x', lines: `${lines.join('\n')}\n` });
      await clock.pass(2 * SECOND);
      await pushed;
    };
    await burst(88);
    await clock.pass(30 * MINUTE);
    await burst(88);
    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    await show('/rules/write', clock.now());
    await page.getByRole('textbox', { name: 'Rule for X posts' }).click();
    await page.keyboard.type('storm');
    await page.getByText(/^No rate: 176 events over 30 minutes, in a few bursts\.$/).waitFor();
    expect(await page.locator('dl > div', { hasText: 'Estimated per day' }).first().innerText()).toContain('–');
    const past = page.getByRole('region', { name: 'Try it on the past' });
    const rehearse = async () => {
      await past.getByRole('button', { name: 'Try it' }).click();
      await expect.poll(() => clock.pass(SECOND).then(() => past.getByText('Done', { exact: true }).count())).toBe(1);
    };
    await rehearse();
    await past.getByText('No estimate: the events span less than ten minutes, or matched in a few bursts.').waitFor();
    // Events that come evenly say what a month brings, and what it costs in which currency.
    for (let minute = 0; minute < 30; minute++) {
      await clock.pass(MINUTE);
      await burst(1);
    }
    await shown.as(alice.account.id);
    await rehearse();
    await past.getByText(/In a month [\d.]+K, which the platform would sell for EUR [\d.]+K? \(/).waitFor();
    await page.goto(server.waiting);
  });

  it('says which limit is reached and what helps, and what each key may do', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const bob = await test.caller('bob', { xRules: 1 });
    await test.call(bob, 'createRule', RULE);
    await using shown = await server.show(test.service);
    await shown.as(bob.account.id);
    await show('/', clock.now());
    await attention().getByText(`${LIMITS.x_rules.words}: 1 of 1. ${LIMITS.x_rules.about}`).waitFor();

    const operator = await test.caller(DEFAULT_ACCOUNT);
    for (const scope of ['read', 'ingest'] as const) await test.call(operator, 'createKey', { name: scope, scope });
    await shown.as(operator.account.id);
    await show('/settings', clock.now());
    const keys = page.getByRole('region', { name: 'Keys', exact: true }).getByRole('table');
    for (const { words } of Object.values(SCOPES)) await keys.getByText(words, { exact: true }).first().waitFor();
    await page.goto(server.waiting);
  });

  it('calls nothing well while the store is away, and names the trouble to the operator', async () => {
    const clock = fakeClock();
    let isAway = false;
    const store = leaving(await openSqlite(':memory:', { clock }), () => isAway);
    await using test = await openService({ clock, store });
    const operator = await test.caller(DEFAULT_ACCOUNT);
    await test.call(operator, 'createRule', RULE);
    const calm = '{"url":"https://a.example/","added":"calm"}\n';
    const fed = [test.post(operator, 'calm'), test.call(operator, 'pushEvents', { platform: 'firehose', lines: calm })];
    await clock.pass(SECOND);
    await Promise.all(fed);
    await using shown = await server.show(test.service);
    await shown.as(operator.account.id);
    await show('/', clock.now());
    await page.getByText('Nothing needs your attention').waitFor();
    isAway = true;
    await clock.pass(10 * SECOND);
    await page.getByText('The server answers with an error:').waitFor();
    await page.getByText('Whether something needs your attention is not known').waitFor();
    expect(await page.getByText('Nothing needs your attention').count()).toBe(0);
    isAway = false;
    await clock.pass(MINUTE);
    await page.getByText('The server answers with an error:').waitFor({ state: 'detached' });
    await page.getByText('Nothing needs your attention').waitFor();
    await page.goto(server.waiting);
  });

  it('says that the disk is full to whoever creates something, as Health does', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const addRule = () => Promise.reject(new StoreError('full', 'The disk is full.'));
    await using test = await openService({ clock, store: { ...store, addRule } });
    const alice = await test.caller('alice');
    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    await show('/rules/write?example=volcano', clock.now());
    await page.getByRole('button', { name: 'Create rule' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: NOT_READY_STATES.disk_full.about.split(',')[0]! });
    await refusal.getByText('nothing can be stored. Try again later.').waitFor();
    expect(await page.getByText('cannot be reached').count()).toBe(0);
    await page.goto(server.waiting);
  });

  it('says in a sentence why the server is not ready', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock, loaded: false });
    const operator = await test.caller(DEFAULT_ACCOUNT);
    await using shown = await server.show(test.service);
    await shown.as(operator.account.id);
    await show('/health', clock.now());
    const service = page.getByRole('region', { name: 'Service' });
    await service.getByText('Not ready', { exact: true }).waitFor();
    await service.getByText(NOT_READY_STATES.rules_loading.about).waitFor();
    // How long it runs is said once, and when it started as a time: two ages side by side never agree.
    await service.getByText(/^Sluice 0\.0\.0, up for \d+ s\.$/).waitFor();
    await service.getByText('All figures').click();
    const facts = await service.locator('dl').innerText();
    expect(facts).toMatch(/Started\s+\d+ \w+ \d{4}/);
    expect(facts).not.toMatch(/Uptime|ago/);
    // A server that is younger than an hour has no last hour to show.
    const traffic = page.getByRole('region', { name: 'Traffic' });
    await traffic.getByText(/^since \d\d:\d\d$/).waitFor();
    await traffic.getByRole('button', { name: 'Zoom in' }).focus();
    await page.keyboard.press('Enter');
    await traffic.getByText(/^\w{3} \d+ \w{3}, \d\d:\d\d to \w{3} \d+ \w{3}, \d\d:\d\d$/).waitFor();
    await traffic.getByRole('button', { name: 'Zoom out' }).click();
    await traffic.getByText(/^since \d\d:\d\d$/).waitFor();
    await show('/', clock.now());
    await attention().getByText(NOT_READY_STATES.rules_loading.about).waitFor();
    await page.goto(server.waiting);
  });
});

/** A store whose every call fails while it is away. */
function leaving(store: Store, isAway: () => boolean): Store {
  const gone = () => Promise.reject(new StoreError('away', 'The store cannot be reached.'));
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name];
      return typeof value === 'function' && name !== Symbol.asyncDispose && isAway() ? gone : value;
    },
  });
}
