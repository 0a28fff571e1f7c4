/** When the demo feed plays: by default, by choice, and never where it must not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { openService } from '../../test/stages/service.ts';
import { DEFAULT_ACCOUNT } from '../domain/account.ts';
import { openSqlite } from '../store/sqlite.ts';
import { type Env, loadConfig } from './config.ts';
import { openDemo } from './demo.ts';

let dataDir = '';
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-demo-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const configOf = (env: Env = {}) => loadConfig({ SLUICE_DATA_DIR: dataDir, ...env });

/** A service on a store that outlives it, with the feed as the program makes it. */
async function stage(env: Env = {}) {
  const clock = fakeClock();
  const store = await openSqlite(':memory:', { clock });
  const open = async () => {
    const feed = await openDemo(configOf(env), store, clock);
    const test = await openService({ store, clock, demo: feed.demo });
    const operator = await test.caller(DEFAULT_ACCOUNT);
    const stopping = new AbortController();
    const playing = feed.play(test.service.context, stopping.signal);
    const stop = async () => {
      stopping.abort();
      // The event that is on its way is stored first.
      await clock.pass(1_000);
      await playing;
      await test[Symbol.asyncDispose]();
    };
    return { ...test, operator, feed, stop };
  };
  return { clock, store, open };
}

const RULE = { name: 'all', intent: '', platforms: ['x'], overrides: { x: 'the OR a OR in OR real' } };

describe('the demo feed', () => {
  it('goes on while real events are pushed, and each match says which it is', async () => {
    const { clock, open } = await stage();
    const test = await open();
    await test.call(test.operator, 'createRule', RULE);
    await clock.pass(2_000);
    const line = JSON.stringify({ data: { id: '1', text: 'real', lang: 'en' } });
    const pushing = test.call(test.operator, 'pushEvents', { platform: 'x', lines: line });
    await clock.pass(5_000);
    expect(await pushing).toMatchObject({ accepted: 1, matches: 1 });
    const { matches } = await test.call(test.operator, 'listMatches', { limit: 1_000 });
    expect(matches[0]).toMatchObject({ source: 'demo', demo: true });
    const real = matches.filter(({ demo }) => demo === undefined);
    expect(real.map(({ platform_post_id, source }) => [platform_post_id, source])).toEqual([['1', 'push']]);
    expect(matches.findIndex(({ demo }) => demo === undefined)).toBeGreaterThan(0);
    await test.stop();
  });

  it('is stopped and started on a running server, and stays so after a restart', async () => {
    const { clock, store, open } = await stage();
    const first = await open();
    const events = async () => (await store.recentTotals('x')).events;
    await clock.pass(2_000);
    expect(await events()).toBeGreaterThan(0);
    const stopping = first.call(first.operator, 'setDemo', { playing: false });
    await clock.pass(1_000);
    expect(await stopping).toEqual({ playing: false, platforms: [] });
    const before = await events();
    await clock.pass(10_000);
    expect(await events()).toBe(before);
    await first.stop();
    const second = await open();
    await clock.pass(5_000);
    expect(await events()).toBe(before);
    const starting = second.call(second.operator, 'setDemo', { playing: true });
    await clock.pass(2_000);
    expect(await starting).toEqual({ playing: true, platforms: ['x', 'firehose'] });
    expect(await events()).toBeGreaterThan(before);
    await second.stop();
  });

  it('is the business of the operator alone', async () => {
    const { open } = await stage();
    const test = await open();
    const other = await test.caller('other');
    await expect(test.call(other, 'setDemo', { playing: false })).rejects.toMatchObject({ code: 'permission_denied' });
    expect(test.feed.demo.isPlaying).toBe(true);
    await test.stop();
  });

  it.each<[string, Env, boolean]>([
    ['plays where nothing real is set', {}, true],
    ['does not play beside a source', { SLUICE_SOURCES: 'hackernews' }, false],
    ['does not play beside an upstream', { SLUICE_X_BEARER_TOKEN: 'token' }, false],
    ['does not play where it is off', { SLUICE_DEMO: 'off' }, false],
  ])('%s', async (_, env, expected) => {
    const { open } = await stage(env);
    const test = await open();
    expect(test.feed.demo.isPlaying).toBe(expected);
    await test.stop();
  });

  it('plays beside a source when the operator asks for it, on platforms of our own alone', async () => {
    const { clock, open } = await stage({ SLUICE_X_BEARER_TOKEN: 'token' });
    const test = await open();
    const starting = test.call(test.operator, 'setDemo', { playing: true });
    await clock.pass(1_000);
    expect(await starting).toEqual({ playing: true, platforms: ['firehose'] });
    await test.stop();
  });

  it('cannot be started where it is off', async () => {
    const { open } = await stage({ SLUICE_DEMO: 'off' });
    const test = await open();
    await expect(test.call(test.operator, 'setDemo', { playing: true })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
    await test.stop();
  });

  it('stays ended where an earlier version ended it', async () => {
    writeFileSync(join(dataDir, 'demo-ended'), '');
    const { open } = await stage();
    const test = await open();
    expect(test.feed.demo.isPlaying).toBe(false);
    await test.stop();
  });
});
