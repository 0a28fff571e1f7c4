/** What `/readyz` of each role says while its store or its broker freezes, is cut off, or says nothing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Role } from '../../src/domain/role.ts';
import { callServer } from '../black-box/server.ts';
import { describeWithNats } from '../stages/nats.ts';
import { openWire, type Wire } from '../stages/wire.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** Long enough for a busy machine. How soon it is follows from settings, which have tests with a clock of their own. */
const PATIENCE = { timeout: 120_000, interval: 100 };

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
      wayToStore: (url) => openWay(url, toStore),
      wayToBroker: (url) => openWay(url, toBroker),
    });
  }, 120_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    for (const wire of [...toStore, ...toBroker]) await wire[Symbol.asyncDispose]();
  });

  /** What each role says: `ready`, or why it is not. */
  async function said(): Promise<Record<string, unknown>> {
    const answers = cluster.nodes.map(async ({ role, url }) => {
      const { status, body } = await callServer(url, 'GET', '/readyz');
      return [role, status === 200 ? 'ready' : (body['details'] as { reasons: string[] }).reasons];
    });
    return Object.fromEntries(await Promise.all(answers));
  }
  const ofAll = (word: unknown, others: Partial<Record<Role, unknown>> = {}) => ({
    ...{ api: word, matcher: word, connector: word, delivery: word },
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
