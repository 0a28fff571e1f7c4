/** The answers of each way to ask in every state that the program can be in. Nothing says more than it knows. */
import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/error.ts';
import type { Store } from '../../src/store/store.ts';
import { openService } from '../stages/service.ts';
import { upstreamService } from '../stages/upstream-service.ts';
import { type Said, type Scope, type Sides, sidesOf, waysToAsk } from './sides.ts';
import { MINUTE, type Row, type Scene, SECOND, sceneOf, TABLE } from './table.ts';

let after: (() => unknown)[] = [];
afterEach(async () => {
  for (const work of after.toReversed()) await work();
  after = [];
});

describe('what is said of coverage when', () => {
  it.each(TABLE)('$state', async (row) => {
    await using scene = await sceneOf(row);
    await row.drive(scene);
    const scope: Scope = { platform: row.platform, ...(scene.ruleId !== undefined && { rule_id: scene.ruleId }) };
    const sides = await sidesOf(scene.test.service, scene.alice, scope);
    for (const [name, said] of Object.entries(saidOf(sides, row)))
      expect({ name, ...shortOf(said, scene) }).toEqual({ name, ...expectedOf(row) });
    const hidden = { complete: expect.any(Boolean), reasons: expect.not.arrayContaining(row.reasons.slice(0, 1)) };
    const shown = { complete: row.reasons.length === 0, reasons: expect.arrayContaining([...row.reasons]) };
    expect(sides.metrics).toEqual(row.isPrivate ? hidden : shown);
    expect(sides.cli === undefined).toBe(row.reasons.length === 0);
    for (const reason of row.reasons) expect(sides.cli).toContain(`[${reason}]`);
    expect([sides.healthy, sides.ready]).toEqual([200, row.ready === false ? 503 : 200]);
  });

  it.each([
    ['is', [true], ['paused', 'gap']],
    ['was', [true, false], ['gap']],
  ] as const)(
    'one rule of several %s paused: answers with its matches name it, and its platform is well',
    async (_, steps, codes) => {
      await using stage = await upstreamService({ upstreams: [] });
      const { test, alice } = stage;
      const rule_id = await stage.rule('storm', ['firehose']);
      const pushed = test.call(alice, 'pushEvents', { platform: 'firehose', lines: '{"url":"https://a.example/"}\n' });
      await Promise.all([pushed, stage.pass(SECOND, 50)]);
      for (const paused of steps) {
        await test.call(alice, 'updateRule', { rule_id, paused });
        await stage.pass(SECOND);
      }
      const said = await sidesOf(test.service, alice, { platform: 'firehose' });
      const reasons = codes.map((code) => `${code}:${rule_id}`);
      for (const name of ['list', 'stream', 'toolList', 'toolWait'] as const)
        expect([name, said[name].complete, said[name].reasons]).toEqual([name, false, reasons]);
      for (const name of ['status', 'toolStatus'] as const) expect(said[name]).toMatchObject({ complete: true });
    },
  );

  it('one account of several feeds itself: it is told so, and `/metrics` speaks for all', async () => {
    await using stage = await upstreamService({ upstreams: [] });
    const { test, alice } = stage;
    await test.caller('bob');
    const pushed = test.call(alice, 'pushEvents', { platform: 'firehose', lines: '{"url":"https://a.example/"}\n' });
    await Promise.all([pushed, stage.pass(SECOND, 50)]);
    const said = await sidesOf(test.service, alice, { platform: 'firehose' });
    expect([said.list.reasons, said.status.reasons]).toEqual([[], []]);
    expect(said.metrics).toEqual({ complete: false, reasons: ['no_feed'] });
  });

  it('the rules are not loaded yet', async () => {
    await using test = await openService({ loaded: false });
    const caller = await test.caller('alice');
    const sides = await sidesOf(test.service, caller, { platform: 'x' });
    for (const name of ['list', 'status', 'stream', 'toolList', 'toolWait', 'toolStatus'] as const)
      expect(sides[name]).toMatchObject({ complete: false, reasons: ['no_feed', 'node_behind'] });
    expect([sides.healthy, sides.ready]).toEqual([200, 503]);
  });
});

describe('what is said when', () => {
  it('the store is away: that nothing is known, by every way to ask, and never that all is complete', async () => {
    let isAway = false;
    const stage = await upstreamService({ upstreams: [], around: (store) => leaving(store, () => isAway) });
    after.push(() => stage[Symbol.asyncDispose]());
    const answers = await waysToAsk(stage.test.service, stage.alice);
    after.push(() => answers.close());
    expect(await answers.http()).toEqual({ list: 200, status: 200, stream: 200, healthy: 200, ready: 200 });
    isAway = true;
    await stage.pass(10 * SECOND);
    expect(await answers.http()).toEqual({ list: 503, status: 503, stream: 503, healthy: 200, ready: 503 });
    for (const said of await answers.tools()) expect(said).toMatchObject({ code: 'unavailable' });
    expect(await answers.metrics()).not.toMatch(/sluice_coverage_complete\{[^}]*\} 1/);
    isAway = false;
    await stage.pass(10 * SECOND);
    expect(await answers.http()).toEqual({ list: 200, status: 200, stream: 200, healthy: 200, ready: 200 });
  });
});

/** A store that other nodes share, and whose every call fails while it is away. */
function leaving(store: Store, isAway: () => boolean): Store {
  const gone = () => Promise.reject(new StoreError('away', 'The store cannot be reached.'));
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'isShared') return true;
      const value = target[name];
      return typeof value === 'function' && name !== Symbol.asyncDispose && isAway() ? gone : value;
    },
  });
}

/** Status tells of the whole platform: what is wrong with one rule is told by its gap there. */
function saidOf({ list, status, stream: streamed, toolList, toolWait, toolStatus }: Sides, row: Row) {
  const all = { list, stream: streamed, toolList, toolWait };
  return row.isPrivate ? all : { ...all, status, toolStatus };
}

interface Short {
  readonly complete: boolean;
  readonly reasons: ReadonlySet<string>;
  readonly through: Row['through'];
}

const expectedOf = ({ reasons, through }: Row): Short => ({
  complete: reasons.length === 0,
  reasons: new Set(reasons),
  through,
});

/** Upstreams deliver late: less than a minute ago is about now. */
function shortOf({ complete, reasons, complete_through }: Said, { clock }: Scene): Short {
  const age = complete_through === null ? undefined : clock.now().getTime() - Date.parse(complete_through);
  const through = age === undefined ? 'unknown' : age < MINUTE ? 'now' : 'past';
  return { complete, reasons: new Set(reasons), through };
}
