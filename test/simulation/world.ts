/** The simulated installation: one store, an upstream, a receiver of webhooks, nodes, and the clients around them. */
import type { Caller } from '../../src/service/access/caller.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import { createCluster } from './cluster.ts';
import { createFaults, type Faults } from './faults.ts';
import { newLedger } from './ledger.ts';
import { createCursorCheck } from './oracle.ts';
import { createReceiver } from './receiver.ts';
import { ask } from './requests.ts';
import type { Scheduler } from './scheduler.ts';
import { createUpstream } from './upstream.ts';
import type { World } from './world-parts.ts';

export async function createWorld(scheduler: Scheduler, nodes: number): Promise<World> {
  const ledger = newLedger();
  const store = await openSqlite(':memory:', { clock: scheduler.clockOf() });
  const later = () => faults;
  const upstream = createUpstream(scheduler, later);
  const receiver = createReceiver(scheduler, later, (id) =>
    ledger.violations.push(`delivery ${id} came with other bytes`),
  );
  const cluster = createCluster({ scheduler, faults: later, store, upstream, sendFor: receiver.sendFor, nodes });
  const faults: Faults = createFaults(scheduler, {
    lives: cluster.lives,
    kill: cluster.kill,
    onCalm: () => world.checkCursor(),
  });
  const parts = { scheduler, ledger, store, upstream, receiver, cluster };
  const world: World = { ...parts, faults, checkCursor: createCursorCheck(parts) };
  return world;
}

export interface Accounts {
  readonly owners: readonly Caller[];
  /** Its pushes reach every account. */
  readonly pusher: Caller;
}

/** Starts the nodes and makes the accounts, each with a webhook, while everything still works. */
export async function furnish(world: World): Promise<Accounts> {
  await world.cluster.start();
  const { test } = world.cluster.pick()!;
  const owners = [await test.caller('alice', { xRules: 1_000 }), await test.caller('bob', { xRules: 1_000 })];
  for (const owner of owners)
    await ask(world, owner, 'createWebhook', { url: `https://${owner.account.name}.example/` });
  return { owners, pusher: await test.caller('sources', { scope: 'ingest' }) };
}
