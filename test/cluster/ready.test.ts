/** The answers of `/readyz` of each role while its store or broker freezes, is cut off or silent; who has an engine. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Role } from '../../src/domain/role.ts';
import { callServer, pushTo } from '../black-box/server.ts';
import { describeWithNats } from '../stages/nats.ts';
import { openWire, type Wire } from '../stages/wire.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** Long enough for a busy machine. How soon it is follows from settings, which have tests with a clock of their own. */
const PATIENCE = { timeout: 120_000, interval: 100 };

/** Notes which processes make a memory that threads share, as an engine does. */
const HOOK = join(import.meta.dirname, '../stages/note-engines.mjs');
const engines = mkdtempSync(join(tmpdir(), 'sluice-engines-'));

async function openWay(url: string, wires: Wire[]): Promise<string> {
  const address = new URL(url);
  const wire = await openWire(Number(address.port));
  wires.push(wire);
  address.port = String(wire.port);
  return String(address);
}

describeWithNats('a cluster with a process of each role', () => {
  let cluster: Cluster;
  const [toStore, toBroker]: [Wire[], Wire[]] = [[], []];
  beforeAll(async () => {
    cluster = await startCluster({
      nodes: { api: 1, matcher: 1, connector: 1, delivery: 1 },
      settings: { NODE_OPTIONS: `--import=${HOOK}`, SLUICE_TEST_ENGINES: engines },
      wayToStore: (url) => openWay(url, toStore),
      wayToBroker: (url) => openWay(url, toBroker),
    });
  }, 120_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    for (const wire of [...toStore, ...toBroker]) await wire[Symbol.asyncDispose]();
    rmSync(engines, { recursive: true });
  });

  it('has engines where events are matched and rules are checked, and nowhere else', async () => {
    await cluster.ready();
    const rule = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    await cluster.call('POST', '/api.CreateRule', rule);
    expect((await pushTo(cluster.apis[0]!.url, 'x', [{ data: { id: '1', text: 'a storm' } }])).body).toMatchObject({
      matches: 1,
    });
    for (const { url } of cluster.nodes) expect((await callServer(url, 'GET', '/metrics')).status).toBe(200);
    expect(readdirSync(engines).toSorted()).toEqual(['api', 'matcher']);
  }, 120_000);

  /** The answer of each role: `ready`, or why it is not. */
  async function said(): Promise<Record<string, unknown>> {
    const answers = cluster.nodes.map(async ({ role, url }) => {
      const { status, body } = await callServer(url, 'GET', '/readyz');
      return [role, status === 200 ? 'ready' : (body['details'] as { reasons: string[] }).reasons];
    });
    return Object.fromEntries(await Promise.all(answers));
  }
  const ofAll = (word: unknown, others: Partial<Record<Role, unknown>> = {}) => ({
    api: word,
    matcher: word,
    connector: word,
    delivery: word,
    ...others,
  });

  it.each<[string, { begin(): void; end(): void }]>([
    ['PostgreSQL is frozen', { begin: () => cluster.postgres.freeze(), end: () => cluster.postgres.thaw() }],
    ['PostgreSQL is cut off', { begin: () => toStore[0]!.refuse(), end: () => toStore[0]!.mend() }],
    ['PostgreSQL says nothing', { begin: () => toStore[0]!.silence(), end: () => toStore[0]!.mend() }],
  ])(
    'says of every role that the store is away while %s, and is ready after it',
    async (_, fault) => {
      await expect.poll(said, PATIENCE).toEqual(ofAll('ready'));
      fault.begin();
      try {
        await expect.poll(said, PATIENCE).toEqual(ofAll(expect.arrayContaining(['store_away'])));
      } finally {
        fault.end();
      }
      await expect.poll(said, PATIENCE).toEqual(ofAll('ready'));
    },
    400_000,
  );

  it.each<[string, { begin(): void; end(): void }]>([
    ['NATS is frozen', { begin: () => cluster.nats!.freeze(), end: () => cluster.nats!.thaw() }],
    ['NATS is cut off', { begin: () => toBroker[0]!.refuse(), end: () => toBroker[0]!.mend() }],
    ['NATS says nothing', { begin: () => toBroker[0]!.silence(), end: () => toBroker[0]!.mend() }],
  ])(
    'says of every role that needs the broker that it is away while %s, and is ready after it',
    async (_, fault) => {
      await expect.poll(said, PATIENCE).toEqual(ofAll('ready'));
      fault.begin();
      try {
        // One that only delivers needs none.
        await expect.poll(said, PATIENCE).toEqual(ofAll(['broker_away'], { delivery: 'ready' }));
      } finally {
        fault.end();
      }
      await expect.poll(said, PATIENCE).toEqual(ofAll('ready'));
    },
    400_000,
  );
});
