/** A data folder with many rules and their snapshot, on which servers start and stop. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeSnapshot } from '../../src/app/snapshots/make-snapshot.ts';
import { createSnapshots, type SnapshotParts } from '../../src/app/snapshots/snapshots.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { newAnalyzer } from '../../src/engine/events/analyzer.ts';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { languages } from '../../src/rules/languages.ts';
import { SNAPSHOT_MARK } from '../../src/service/cluster/load-rules.ts';
import { createMatching } from '../../src/service/ingest/matching.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { noMetrics } from '../../src/service/telemetry.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

export const AT = new Date('2026-11-16T00:00:00Z');
const MANY = 4;

/** From four rules on there is a snapshot. */
export async function snapshotStage() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-snapshots-'));
  const database = join(folder, 'sluice.db');
  const file = join(folder, 'rules.snapshot');
  let store = await openSqlite(database);
  const account = { id: newId('acct', AT), name: 'a', plan: 'paid' as const, xRules: 1_000, createdAt: AT };
  await store.addAccount(account);
  const said: string[] = [];
  const note = (_: object, message: string) => void said.push(message);
  const stored = { storeUrl: `sqlite:${database}` };
  return {
    folder,
    database,
    file,
    said,
    account,
    get store() {
      return store;
    },
    get parts(): SnapshotParts {
      return {
        config: { dataDir: folder, ...stored, xLevel: 'enterprise', upstreams: {} },
        store,
        clock: systemClock,
        log: { info: note, warn: note, error: note },
        holder: { id: randomUUID(), isGone: () => false },
        manyRules: MANY,
        make: makeSnapshot,
      };
    },
    /** Makes a snapshot of what is stored now. */
    async renew() {
      const token = randomUUID();
      const position = await store.markRuleChanges(SNAPSHOT_MARK + token);
      return makeSnapshot({ path: file, settings: { ...stored, xLevel: 'enterprise', real: [] }, token, position });
    },
    /** Puts a backup in the place of the database. */
    async putBack(backup: string) {
      await store[Symbol.asyncDispose]();
      for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true });
      renameSync(backup, database);
      store = await openSqlite(database);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type SnapshotStage = Awaited<ReturnType<typeof snapshotStage>>;

/** A rule of the account's that is active at once. */
export async function addRule(
  { store, account }: SnapshotStage,
  value: string,
  platform: Platform = 'x',
  id = newId('rule', AT),
) {
  const rule = { id, accountId: account.id, name: value, intent: '', createdAt: AT };
  await store.addRule({ ...rule, platforms: { [platform]: { value, flags: {} } } }, {});
  await store.setRuleStatus(id, platform, { status: 'active', platformRuleId: id });
  return id;
}

export const serviceOn = (
  { store, parts }: Pick<SnapshotStage, 'store' | 'parts'>,
  spoken = languages({ level: 'enterprise' }),
): Service =>
  createService({
    newMatching: createMatching,
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
    languages: spoken,
    snapshots: createSnapshots(parts),
  });

const payload = (platform: Platform, text: string) =>
  platform === 'x'
    ? { data: { id: '1', text } }
    : { id: '1', document: { url: 'https://example.org/', title: text, diff: { chunks: [{ typ: 'ins', text }] } } };

/** The rules that an event with this text satisfies, with the texts that they were found by. */
export function found({ context }: Service, text: string, platform: Platform = 'x'): string[] {
  const view = newAnalyzer(platform)(payload(platform, text));
  if (isRejection(view)) throw new Error(view.rejected);
  return context.matching.rules[platform]
    .match(view, undefined)!
    .found.map(({ ruleId, version, text: { value } }) => `${ruleId} ${version} ${value}`)
    .toSorted();
}

/** A server on the store. `expected`: whether it makes a snapshot first. */
export async function start(on: SnapshotStage, expected: 'making' | 'not making'): Promise<Service> {
  on.said.length = 0;
  const service = serviceOn(on);
  await service.start();
  const isMade = on.said.some((message) => message === 'a snapshot of the rules is written');
  expect(isMade ? 'making' : 'not making').toBe(expected);
  return service;
}

const NOT_USED = 'the snapshot of the rules is not used: ';
export const reasonIn = (said: readonly string[]) =>
  said.find((message) => message.startsWith(NOT_USED))?.slice(NOT_USED.length);
