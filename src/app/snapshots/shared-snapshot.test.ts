import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import {
  addRule,
  found,
  reasonIn,
  type SnapshotStage,
  serviceOn,
  snapshotStage,
} from '../../../test/stages/snapshot-stage.ts';
import type { Store } from '../../store/store.ts';
import { makeSnapshot } from './make-snapshot.ts';

/** A node on a store that others have too, with a disk of its own on which there is nothing yet. */
async function startNew(on: SnapshotStage) {
  rmSync(on.file, { force: true });
  on.said.length = 0;
  const store: Store = { ...on.store, isShared: true };
  const service = serviceOn({ store, parts: { ...on.parts, store } });
  await service.start();
  const said = [...on.said];
  const rules = found(service, 'storm warning').length;
  await service.close();
  return { said, rules };
}

async function withRules(): Promise<SnapshotStage> {
  const on = await snapshotStage();
  for (const word of ['storm', 'storm -rain', '"storm warning"', 'storm OR sun', 'warning']) await addRule(on, word);
  return on;
}

const MADE = 'a snapshot of the rules is written';
const FETCHED = 'a snapshot of the rules was fetched from the store';

describe('a node that starts without a snapshot of its own', () => {
  it('takes the one that another has made, and the rules that came since', async () => {
    await using on = await withRules();
    const first = await startNew(on);
    expect(first.rules).toBe(5);
    expect(first.said).toContain(MADE);
    const made = readFileSync(on.file);
    await addRule(on, 'storm warning');
    const second = await startNew(on);
    expect(second.said).toContain(FETCHED);
    expect(second.said).not.toContain(MADE);
    expect(second.rules).toBe(6);
    expect(readFileSync(on.file).equals(made)).toBe(true);
  });

  it('makes one where that of the other does not fit, and shares it', async () => {
    await using on = await withRules();
    await startNew(on);
    const db = new DatabaseSync(on.database);
    // As after an upgrade: the mark that it names is not there.
    db.exec(`UPDATE rule_changes SET rule = 'snapshot of another' WHERE rule LIKE 'snapshot %'`);
    const { said, rules } = await startNew(on);
    expect(reasonIn(said)).toBe('it is not one of this database');
    expect([said.includes(FETCHED), said.includes(MADE), rules]).toEqual([true, true, 5]);
    expect((await startNew(on)).said).not.toContain(MADE);
    db.close();
  });

  it('goes by the rules where it is damaged, and makes one where a piece is missing', async () => {
    await using on = await withRules();
    await startNew(on);
    const db = new DatabaseSync(on.database);
    const { bytes } = db.prepare('SELECT bytes FROM rule_snapshot_pieces').get() as { bytes: Uint8Array };
    bytes[bytes.length >> 1]! ^= 4;
    db.prepare('UPDATE rule_snapshot_pieces SET bytes = ?').run(bytes);
    const damaged = await startNew(on);
    expect(damaged.said).toContain('the snapshot of the rules cannot be used: the rules are read one by one');
    expect(damaged.rules).toBe(5);
    db.exec('DELETE FROM rule_snapshot_pieces');
    const missing = await startNew(on);
    expect([missing.said.includes(FETCHED), missing.said.includes(MADE), missing.rules]).toEqual([false, true, 5]);
    db.close();
  });

  it('makes one where it cannot write that of the other', async () => {
    await using on = await withRules();
    await startNew(on);
    const store: Store = { ...on.store, isShared: true, ruleSnapshotPiece: () => Promise.reject(new Error('broken')) };
    rmSync(on.file);
    const service = serviceOn({ store, parts: { ...on.parts, store } });
    await service.start();
    expect(found(service, 'storm warning')).toHaveLength(5);
    await service.close();
  });
});

/** Nodes that start at once, each with a disk of its own; what they make, they make when the test says so. */
async function manyNodes() {
  const on = await withRules();
  const store: Store = { ...on.store, isShared: true };
  const clock = fakeClock();
  const mayMake = Promise.withResolvers<void>();
  const makers: string[] = [];
  function start(id: string) {
    const dataDir = join(on.folder, id);
    mkdirSync(dataDir);
    const { config, ...parts } = on.parts;
    const make: typeof makeSnapshot = async (order) => {
      makers.push(id);
      await mayMake.promise;
      return makeSnapshot(order);
    };
    const holder = { id, isGone: () => false };
    const service = serviceOn({
      store,
      parts: { ...parts, store, clock, holder, make, config: { ...config, dataDir } },
    });
    return { service, started: service.start() };
  }
  return {
    clock,
    store,
    makers,
    start,
    async makersAfterSeconds() {
      await clock.pass(2_000);
      return makers;
    },
    async passUntil(work: Promise<unknown>) {
      const look = async () => {
        await clock.pass(2_000);
        return Promise.race([work.then(() => true), setImmediate(false)]);
      };
      await expect.poll(look).toBe(true);
    },
    letMake: () => mayMake.resolve(),
    [Symbol.asyncDispose]: () => on[Symbol.asyncDispose](),
  };
}

describe('nodes that start at once without a snapshot', () => {
  it('wait for the one that makes it', async () => {
    await using on = await manyNodes();
    const nodes = [on.start('one'), on.start('two'), on.start('three')];
    // One renews its lease, and two wait for it.
    await expect.poll(() => on.clock.sleepers).toBe(3);
    await on.clock.pass(30_000);
    on.letMake();
    await expect.poll(() => on.store.ruleSnapshot()).toBeDefined();
    await on.passUntil(Promise.all(nodes.map(({ started }) => started)));
    expect(on.makers).toHaveLength(1);
    for (const { service } of nodes) {
      expect(found(service, 'storm warning')).toHaveLength(5);
      await service.close();
    }
  });

  it('wait for one that froze no longer than its lease lasts', async () => {
    await using on = await manyNodes();
    await on.store.takeLease({ name: 'snapshot', holder: 'frozen', now: on.clock.now(), milliseconds: 7_500 });
    const { service, started } = on.start('next');
    await expect.poll(() => on.clock.sleepers).toBe(1);
    await on.clock.pass(6_000);
    expect(on.makers).toEqual([]);
    await expect.poll(on.makersAfterSeconds).toEqual(['next']);
    on.letMake();
    await started;
    await service.close();
  });

  it('do not wait for ever for one that comes to no end', async () => {
    await using on = await manyNodes();
    const never = { name: 'snapshot', holder: 'slow', now: on.clock.now(), milliseconds: 3_600_000 };
    await on.store.takeLease(never);
    const { service, started } = on.start('next');
    await expect.poll(() => on.clock.sleepers).toBe(1);
    await on.clock.pass(290_000);
    expect(on.makers).toEqual([]);
    await expect.poll(on.makersAfterSeconds).toEqual(['next']);
    on.letMake();
    await started;
    await service.close();
  });
});
