/**
 * In every state that the server can be driven into, the pages say the state's own word and sentence, and nothing green
 * beside it. One browser and one page: a state is one load.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stateOf } from '../../console/src/rules/rule-state.ts';
import { isHarmless, reasonWords, worstOf } from '../../console/src/words/coverage.ts';
import { aboutPlatform, PLATFORM_STATES } from '../../console/src/words/platform-states.ts';
import { type Row, type Scene, sceneOf, TABLE } from '../truth/table.ts';
import { newProfile } from './profile.ts';
import { openSceneServer } from './scene-server.ts';
import { consoleSuite } from './suite.ts';

/** The titles of the platforms' own cards. */
const CARDS = { x: 'X posts', firehose: 'Web pages' } as const;
/** A rule runs while these are the only reasons. */
const isRunning = ({ reasons }: Row) => reasons.every((reason) => ['gap', 'demo', 'not_started'].includes(reason));

/** A platform that nothing has ever come to says so, and another that the last hour brought nothing. */
const known = ({ through, platform }: Row) => ({ isUnfed: through === 'unknown', platform });

/** Rows of which the same is said look the same: one of them is looked at. */
const firstOf = (rows: readonly Row[], saidOf: (row: Row) => unknown): Row[] => {
  const said = rows.map((row) => JSON.stringify(saidOf(row)));
  return rows.filter((_, at) => said.indexOf(said[at]!) === at);
};
const DISTINCT = firstOf(TABLE, (row) => [
  row.platform,
  row.upstream,
  row.reasons,
  row.isPrivate,
  row.reasons.includes('no_feed') && known(row).isUnfed,
]);
/** Only Health tells one platform from another by more than its name. */
const ELSEWHERE = firstOf(DISTINCT, ({ reasons, isPrivate }) => [reasons, isPrivate]);

consoleSuite('the truth about coverage', () => {
  const parts = new AsyncDisposableStack();
  let server: Awaited<ReturnType<typeof openSceneServer>>;
  let page: Page;

  beforeAll(async () => {
    server = parts.use(await openSceneServer());
    ({ page } = parts.use(await newProfile()));
  });
  afterAll(() => parts.disposeAsync());

  async function go(path: string): Promise<void> {
    await page.evaluate(`location.hash = '#${path}'`);
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  }

  it.each(DISTINCT)('$state', async (row) => {
    await using scene = await sceneOf(row);
    if (row.upstream === undefined && !row.isPrivate) scene.ruleId = await scene.rule('storm', [row.platform]);
    await row.drive(scene);
    await using shown = await server.show(scene.test.service);
    await shown.as(scene.alice.account.id);
    await page.clock.setFixedTime(scene.clock.now());
    await page.goto(server.waiting);
    await page.goto(`${server.url}/#/health`);
    await expectOnHealth(row, scene);
    if (ELSEWHERE.includes(row)) await expectElsewhere(row, scene);
    await page.goto(server.waiting);
  });

  async function expectElsewhere(row: Row, scene: Scene): Promise<void> {
    await go('/');
    await onHome(row);
    if (scene.ruleId === undefined) return;
    await go('/rules');
    await inList(row);
    await go(`/rules/${scene.ruleId}`);
    await onRule(row, scene);
  }

  async function expectOnHealth(row: Row, scene: Scene): Promise<void> {
    const card = page.getByRole('region', { name: CARDS[row.platform] });
    await card.waitFor();
    // Of a platform that is as usual there is one line, which opens.
    const line = card.locator(':scope > details > summary');
    if ((await line.count()) > 0) await line.click();
    const { state, shape } = await scene.status(row.platform);
    await card.getByText(aboutPlatform({ state, shape })).waitFor();
    // A platform without an upstream has nothing to connect to.
    expect(shape === 'local' && (await card.getByText(/tries to connect/).count()) > 0).toBe(false);
    if (row.isPrivate) return;
    for (const reason of row.reasons)
      await card
        .getByText(reasonWords(reason, known(row)), { exact: true })
        .first()
        .waitFor();
    // This is Health.
    expect(await page.getByText('Health lists').count()).toBe(0);
    const badge = card
      .locator('header, :scope > details > summary')
      .getByText(worstOf(row.reasons)?.words ?? PLATFORM_STATES[state].words, { exact: true });
    await badge.waitFor();
    expect(await isGreen(badge)).toBe(row.reasons.length === 0 && PLATFORM_STATES[state].tone === 'ok');
  }

  async function onHome(row: Row): Promise<void> {
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const card = CARDS[row.platform];
    const troubles = row.reasons.filter((reason) => !isHarmless(reason));
    if (!row.isPrivate)
      for (const reason of troubles)
        await attention
          .getByText(reasonWords(reason, known(row)))
          .first()
          .waitFor();
    else if (troubles.length > 0) await attention.getByText('does not run').waitFor();
    if (row.reasons.includes('demo'))
      await attention.getByText(`${card}: all events are invented by the demo feed`).waitFor();
    if (row.reasons.includes('no_feed'))
      await attention.getByText(`${card}: ${reasonWords('no_feed', known(row))}`).waitFor();
    if (!row.isPrivate && row.reasons.length === 1 && row.reasons[0] === 'gap')
      await attention.getByText('of the last 24 hours are missing').waitFor();
    await attention.locator('li, p').first().waitFor();
    const dot = page.getByRole('navigation', { name: 'Pages' }).getByText('Something is wrong').first();
    if (!row.isPrivate && troubles.length > 0) await dot.waitFor({ state: 'attached' });
    const problems = await attention.getByRole('img', { name: /Problem|Warning/ }).count();
    expect([await dot.count(), problems].every((count) => row.reasons.length > 0 || count === 0)).toBe(true);
    expect(problems > 0 || troubles.length === 0).toBe(true);
  }

  async function inList(row: Row): Promise<void> {
    const listed = page.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: 'storm' });
    await listed.waitFor();
    expect(await listed.getByText('Active', { exact: true }).filter({ visible: true }).count()).toBe(
      isRunning(row) ? 1 : 0,
    );
  }

  async function onRule(row: Row, scene: Scene): Promise<void> {
    // That the rule is paused is said by its state, and what it misses meanwhile follows from that.
    const isPaused = row.reasons.includes('paused');
    for (const reason of row.reasons.filter((one) => !isPaused || (one !== 'paused' && one !== 'gap')))
      await page
        .getByRole('list', { name: 'Why matches may be missing' })
        .getByText(reasonWords(reason, known(row)), { exact: true })
        .waitFor();
    // The state of the matches' feed stands beside this button, and is not known while they are loaded.
    await page.getByRole('main').getByRole('button', { name: 'Pause feed', exact: true }).waitFor();
    await page.getByRole('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'hidden' });
    const rule = await scene.test.call(scene.alice, 'getRule', { rule_id: scene.ruleId });
    const { name, words: state } = stateOf(rule as Parameters<typeof stateOf>[0]);
    if (name !== 'active') await page.getByRole('main').getByText(state, { exact: true }).first().waitFor();
    const words = await page.getByRole('main').innerText();
    expect(/^Active$/m.test(words), words).toBe(isRunning(row));
    expect(/^Live$/m.test(words), words).toBe(isRunning(row) && !row.reasons.includes('demo'));
    const reasons = await page.getByRole('list', { name: 'Why matches may be missing' }).count();
    expect(reasons === 0 || row.reasons.length > 0).toBe(true);
  }
});

const isGreen = async (badge: ReturnType<Page['locator']>): Promise<boolean> =>
  (await badge.first().getAttribute('class'))!.includes('text-ok');
