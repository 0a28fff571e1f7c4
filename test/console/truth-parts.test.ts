/** The pages' word, colour and sentence for each state of sources, rules on their way, subscriptions and versions. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAILING, SUBSCRIPTION_STATES } from '../../console/src/words/delivery.ts';
import { SOURCE_STATES } from '../../console/src/words/platform-states.ts';
import { RULE_STATES } from '../../console/src/words/rules.ts';
import type { Shown } from '../../console/src/words/shown.ts';
import { DEFAULT_ACCOUNT } from '../../src/domain/account.ts';
import { eventsStage } from '../events/stage.ts';
import { newSecret, openStrictReceiver } from '../events/strict-receiver.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { openService } from '../stages/service.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';
import { type Feeding, feeding, SOURCE } from '../truth/feeding.ts';
import { newProfile } from './profile.ts';
import { openSceneServer } from './scene-server.ts';
import { consoleSuite } from './suite.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

consoleSuite('the truth about parts', () => {
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

  /** The word in its colour, the sentence, and no word of another state beside them. */
  async function says(within: Locator, shown: Shown, others: Readonly<Record<string, Shown>>): Promise<void> {
    const badge = within.getByText(shown.words, { exact: true }).filter({ visible: true }).first();
    await badge.waitFor();
    expect(await badge.getAttribute('class')).toContain(shown.tone === 'neutral' ? 'text-soft' : `text-${shown.tone}`);
    for (const { words } of Object.values(others).filter((other) => other.words !== shown.words))
      expect(await within.getByText(words, { exact: true }).count(), words).toBe(0);
  }

  const DRIVES: Record<keyof typeof SOURCE_STATES, (source: Feeding, stage: UpstreamService) => unknown> = {
    starting: () => {},
    live: (source) => source.up(),
    silent: (source) => {
      source.up();
      source.breaks(true);
    },
    blind: async (source, stage) => {
      source.up();
      await stage.pass(SECOND);
      source.unreadable(20);
      await stage.pass(90 * SECOND, 5 * SECOND);
    },
    waiting: (source) => {
      source.up();
      source.breaks();
    },
    ended: (source) => {
      source.up();
      source.ends();
    },
  };

  it.each(Object.keys(DRIVES) as (keyof typeof DRIVES)[])('a source that is %s is said to be so', async (state) => {
    await using stage = await upstreamService({ upstreams: [] });
    const source = await feeding(stage);
    await DRIVES[state](source, stage);
    await stage.pass(SECOND);
    await stage.until(() => source.status().state === state);
    const { context } = stage.test.service;
    Object.assign(context, { sources: () => [source.status()] });
    const operator = await stage.test.caller(DEFAULT_ACCOUNT);
    await using shown = await server.show(stage.test.service);
    await shown.as(operator.account.id);
    await show('/health', stage.clock.now());
    const row = page.getByRole('group', { name: 'Sources' }).getByRole('row').filter({ hasText: SOURCE });
    await says(row.getByRole('cell').nth(1), SOURCE_STATES[state], SOURCE_STATES);
    await row.getByText(SOURCE_STATES[state].about, { exact: true }).waitFor();
    await page.goto(server.waiting);
    await source.stop('by a crash');
  });

  it.each(['pending', 'deleting'] as const)('a rule that is %s is said to be so, and never Active', async (state) => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const alice = await test.caller('alice');
    const rule = { name: 'Storms', intent: '', platforms: ['firehose'], overrides: { firehose: 'storm' } };
    const { rule_id } = await test.call(alice, 'createRule', rule);
    await test.store.setRuleStatus(rule_id, 'firehose', { status: state });
    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    await show('/rules', clock.now());
    const listed = page.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: 'Storms' });
    await says(listed, RULE_STATES[state], RULE_STATES);
    await listed.getByTitle(RULE_STATES[state].about).waitFor();
    await show(`/rules/${rule_id}`, clock.now());
    const head = page.locator('main header').first();
    await says(head, RULE_STATES[state], RULE_STATES);
    await page.getByRole('main').getByText(RULE_STATES[state].about, { exact: true }).waitFor();
    await page.goto(server.waiting);
  });

  it('a subscription is Active, then Failing, then Ended, each with its sentence and its reason', async () => {
    await using stage = await eventsStage();
    await using receiver = await openStrictReceiver();
    const rule = await stage.rule('storm');
    const secret = newSecret();
    receiver.secrets.set('', [secret]);
    const { error, result } = await stage.rpc('events/subscribe', {
      name: 'match.created',
      arguments: { rule_id: rule },
      cursor: null,
      delivery: { mode: 'webhook', url: receiver.url, secret },
    });
    expect(error).toBeUndefined();
    const { store, context } = stage.oauth.app;
    await using shown = await server.show({ context });
    await shown.as((await store.account(DEFAULT_ACCOUNT))!.id);
    const row = page.getByRole('group', { name: 'Subscriptions of agents' }).getByRole('row').nth(1);
    const all = { ...SUBSCRIPTION_STATES, failing: FAILING };
    const isShown = async (state: Shown) => {
      await show('/connect', stage.clock.now());
      await says(row.getByRole('cell').nth(2), state, all);
      await row.getByText(state.about).waitFor();
    };
    await isShown(SUBSCRIPTION_STATES.active);

    receiver.statuses.push(...Array.from({ length: 10 }, () => 500));
    stage.clock.forward(1_001);
    await stage.post('a storm');
    const listed = async () =>
      ((await stage.call('ListSubscriptions'))['subscriptions'] as { failing_since: string | null }[])[0]!;
    await until(async () => (await listed()).failing_since !== null);
    await isShown(FAILING);

    await stage.call('EndSubscription', { subscription_id: result['id'] });
    await isShown(SUBSCRIPTION_STATES.ended);
    await page.goto(server.waiting);
  });

  it('History says what a version has changed where it was counted, and that it is not known where it was not', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const alice = await test.caller('alice');
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const post = async (...texts: string[]) => {
      const posted = test.post(alice, ...texts);
      await clock.pass(SECOND);
      await posted;
    };
    await post('calm');
    const { rule_id } = await test.call(alice, 'createRule', rule);
    const hours = async (count: number) => {
      for (let hour = 0; hour < count; hour++) {
        await clock.pass(HOUR / 4);
        await post('a storm', 'a storm at sea');
        // Often enough: after an hour without an event, nothing counts as fed.
        await clock.pass(HOUR / 2);
        await post('calm');
        await clock.pass(HOUR / 4 - 2 * SECOND);
      }
    };
    await hours(8);
    await test.call(alice, 'updateRule', { rule_id, overrides: { x: 'storm sea' } });
    await hours(2);
    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    await show(`/rules/${rule_id}?tab=history`, clock.now());
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Matches a day: not known.').waitFor();

    await hours(8);
    await shown.as(alice.account.id);
    await show(`/rules/${rule_id}?tab=history`, clock.now());
    await history.getByText(/Matches a day: 48 before, 24 after/).waitFor();
    await history.getByRole('button', { name: 'Try both texts on recent events' }).click();
    await history.getByText(/Of 55 recent events it adds 0 and drops 18/).waitFor();
    await page.goto(server.waiting);
  });

  it('Home compares a day with the day before only when it has heard all of both', async () => {
    const clock = fakeClock();
    await using test = await openService({ clock });
    const alice = await test.caller('alice');
    const hours = async (count: number, ...texts: string[]) => {
      // Often enough: after an hour without an event, nothing counts as fed.
      for (let half = 0; half < 2 * count; half++) {
        const posted = test.post(alice, ...texts);
        await clock.pass(SECOND);
        await posted;
        await clock.pass(HOUR / 2 - SECOND);
      }
    };
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await test.call(alice, 'createRule', rule);
    await hours(25, 'a storm');
    await hours(15, 'a storm', 'a storm at sea');
    await using shown = await server.show(test.service);
    await shown.as(alice.account.id);
    await show('/', clock.now());
    await page.getByRole('img', { name: /^Matches by rule/ }).waitFor();
    const trend = page.getByText(/in the last 24 hours than in the 24 hours before\.$/);
    expect(await trend.count()).toBe(0);

    await hours(10, 'a storm', 'a storm at sea');
    await shown.as(alice.account.id);
    await show('/', clock.now());
    await expect.poll(() => trend.textContent()).toMatch(/^(9\d|100) % more in the last/);
    await page.goto(server.waiting);
  });
});
