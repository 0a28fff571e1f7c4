import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Platform } from '../domain/platform.ts';
import { newAnalyzer } from '../engine/events/analyzer.ts';
import { isRejection } from '../engine/events/event-view.ts';
import { languages } from '../rules/languages.ts';
import { createService, type Service } from '../service/service.ts';
import { noMetrics } from '../service/telemetry.ts';
import { openSqlite } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { makeSnapshot } from './make-snapshot.ts';
import { createSnapshots, type SnapshotParts } from './snapshots.ts';

const AT = new Date('2026-11-16T00:00:00Z');
const MANY = 4;

/** A folder with a database and, from four rules on, a snapshot; servers start and stop on it. */
async function stage() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-snapshots-'));
  const database = join(folder, 'sluice.db');
  const file = join(folder, 'rules.snapshot');
  const store = await openSqlite(database);
  const account = { id: newId('acct', AT), name: 'a', plan: 'paid' as const, xRules: 1_000, createdAt: AT };
  await store.addAccount(account);
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const parts: SnapshotParts = {
    config: {
      dataDir: folder,
      storeUrl: `sqlite:${database}`,
      retentionDays: 30,
      erasureDays: 400,
      recentEvents: 100,
      xLevel: 'enterprise',
      upstreams: {},
    },
    store,
    clock: systemClock,
    log: { info: note, warn: note, error: note },
    manyRules: MANY,
    make: makeSnapshot,
  };
  return {
    folder,
    database,
    file,
    store,
    said,
    parts,
    account,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** A rule of the account's that is active at once. */
async function add({ store, account }: Stage, value: string, platform: Platform = 'x', id = newId('rule', AT)) {
  const rule = { id, accountId: account.id, name: value, intent: '', createdAt: AT };
  await store.addRule({ ...rule, platforms: { [platform]: { value, flags: {} } } }, {});
  await store.setRuleStatus(id, platform, { status: 'active', platformRuleId: id });
  return id;
}

const serviceOn = ({ store, parts }: Stage, change: Partial<SnapshotParts> = {}): Service =>
  createService({
    store,
    clock: systemClock,
    log: parts.log,
    metrics: noMetrics,
    settings: {
      version: '0',
      startedAt: AT,
      support: '',
      publicUrl: undefined,
      recentEvents: 0,
      retentionDays: 30,
      database: 'sqlite',
    },
    languages: languages({ level: 'enterprise' }),
    snapshots: createSnapshots({ ...parts, ...change }),
  });

const payload = (platform: Platform, text: string) =>
  platform === 'x'
    ? { data: { id: '1', text } }
    : { id: '1', document: { url: 'https://example.org/', title: text, diff: { chunks: [{ typ: 'ins', text }] } } };

/** The rules that an event with this text satisfies, with the texts that they were found by. */
function found({ context }: Service, text: string, platform: Platform = 'x'): string[] {
  const view = newAnalyzer(platform)(payload(platform, text));
  if (isRejection(view)) throw new Error(view.rejected);
  return context.matching
    .match(platform, view, undefined)!
    .found.map(({ ruleId, version, text: { value } }) => `${ruleId} ${version} ${value}`)
    .toSorted();
}

/** What a server on the store finds. `isFrom`: whether it must have used the snapshot that was there. */
async function start(on: Stage, isFrom: 'snapshot' | 'rules', change: Partial<SnapshotParts> = {}): Promise<Service> {
  on.said.length = 0;
  const service = serviceOn(on, change);
  await service.start();
  const isMade = on.said.some((message) => message === 'a snapshot of the rules is written');
  expect(isMade ? 'rules' : 'snapshot').toBe(isFrom);
  return service;
}

const NOT_USED = 'the snapshot of the rules is not used: ';
const reasonIn = (said: readonly string[]) =>
  said.find((message) => message.startsWith(NOT_USED))?.slice(NOT_USED.length);

describe('a snapshot of the rules', () => {
  it('is made at the first start with many rules, for its owner alone, and the next start parses no rule', async () => {
    await using on = await stage();
    const ids = [];
    for (const word of ['storm', 'rain', 'storm -rain', '"heavy storm"', 'sto*']) ids.push(await add(on, word));
    await add(on, 'storm', 'firehose');
    await using first = await start(on, 'rules');
    expect(statSync(on.file).mode & 0o777).toBe(0o600);
    let parsed = 0;
    const service = serviceOn(on);
    const counting = createService({
      store: on.store,
      clock: systemClock,
      log: on.parts.log,
      metrics: noMetrics,
      settings: service.context.settings,
      languages: Object.fromEntries(
        Object.entries(languages({ level: 'enterprise' })).map(([name, language]) => [
          name,
          { ...language, parse: (text: string) => (parsed++, language.parse(text)) },
        ]),
      ) as ReturnType<typeof languages>,
      snapshots: createSnapshots(on.parts),
    });
    await counting.start();
    expect(parsed).toBe(0);
    for (const text of ['storm', 'rain', 'heavy storm', 'storm and rain', 'sun'])
      for (const platform of ['x', 'firehose'] as const)
        expect(found(counting, text, platform)).toEqual(found(first, text, platform));
    expect(found(counting, 'heavy storm')).toHaveLength(3);
    await counting.close();
  });

  it('is not made of few rules', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain']) await add(on, word);
    await using service = await start(on, 'snapshot');
    expect(found(service, 'storm')).toHaveLength(1);
    expect(existsSync(on.file)).toBe(false);
  });

  it('is followed by the changes since: rules that came, went, came back, changed and rest', async () => {
    await using on = await stage();
    const { store, account } = on;
    const ids: string[] = [];
    for (const word of ['storm', 'storm a', 'storm b', 'storm c', 'storm d']) ids.push(await add(on, word));
    await (await start(on, 'rules')).close();
    await store.deleteRule(account.id, ids[0]!);
    const keep = { at: AT, until: new Date(AT.getTime() + 1e9) };
    await store.deleteRule(account.id, ids[1]!, undefined, keep);
    await store.deleteRule(account.id, ids[2]!, undefined, keep);
    await store.restoreRule(account.id, ids[2]!, { now: AT, limits: {}, ids: { x: '1' }, gaps: [] });
    await store.changeRule(account.id, ids[3]!, {
      platforms: { x: { value: 'snow', flags: {}, platformRuleId: '2' } },
    });
    await store.changeRule(account.id, ids[4]!, { paused: true });
    const late = await add(on, 'storm late');
    await using service = await start(on, 'snapshot');
    expect(found(service, 'storm a b c d late')).toEqual([`${ids[2]} 1 storm b`, `${late} 1 storm late`].toSorted());
    expect(found(service, 'snow')).toEqual([`${ids[3]} 2 snow`]);
  });

  it('takes what changes while it is read for newer', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain', 'snow', 'hail']) await add(on, word);
    await (await start(on, 'rules')).close();
    const service = serviceOn(on);
    const started = service.start();
    service.context.matching.put({
      id: 'rule_new',
      accountId: on.account.id,
      version: 7,
      texts: { x: { value: 'storm', flags: {} } },
    });
    await started;
    expect(found(service, 'storm')).toHaveLength(2);
    await service.close();
  });

  it('settles what a crash left, as a start without it does', async () => {
    await using on = await stage();
    for (const word of ['storm', 'rain', 'snow', 'hail']) await add(on, word);
    await (await start(on, 'rules')).close();
    const rule = { accountId: on.account.id, name: '', intent: '', createdAt: AT };
    const texts = { x: { value: 'storm', flags: {} } };
    await on.store.addRule({ ...rule, id: 'rule_undone', platforms: texts }, {});
    await on.store.addRule({ ...rule, id: 'rule_finished', platforms: texts }, {});
    await on.store.setRuleStatus('rule_finished', 'x', { status: 'pending', platformRuleId: '5' });
    await using service = await start(on, 'snapshot');
    expect(found(service, 'storm')).toContain('rule_finished 1 storm');
    expect(found(service, 'storm')).toHaveLength(2);
    expect(await on.store.rule(on.account.id, 'rule_undone')).toBeUndefined();
  });
});
