import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import {
  addRule,
  found,
  reasonIn,
  type SnapshotStage,
  serviceOn,
  snapshotStage,
} from '../../../test/stages/snapshot-stage.ts';
import type { Store } from '../../store/store.ts';

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
