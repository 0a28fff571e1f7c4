import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  addRule,
  found,
  reasonIn,
  type SnapshotStage,
  snapshotStage,
  start,
} from '../../../test/stages/snapshot-stage.ts';
import type { ImagePart } from '../../engine/core/image.ts';
import {
  openSnapshotFile,
  SnapshotError,
  type SnapshotFile,
  type SnapshotHeader,
  writeSnapshotFile,
} from './snapshot-file.ts';

const PARTS: readonly ImagePart[] = [
  { name: 'one', bytes: Buffer.from('the first part') },
  { name: 'none', bytes: Buffer.alloc(0) },
  { name: 'two', bytes: Buffer.alloc(10_000, 'second ') },
];
const HEADER: SnapshotHeader = { fingerprint: 'f', token: 't', position: 7 };

async function readAll(path: string): Promise<Buffer> {
  await using file = await openSnapshotFile(path);
  if (file === undefined) throw new Error('there is no file');
  const read: Buffer[] = [];
  for (const { name } of PARTS) {
    const target = Buffer.alloc(file.sizeOf(name));
    await file.readInto(name, target);
    read.push(target);
  }
  return Buffer.concat(read);
}

describe('the file of a snapshot', () => {
  it('is read as it was written, and in no other way: any byte that differs is noticed, and any that is missing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-snapshot-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'a.snapshot');
    await writeSnapshotFile(file, HEADER, PARTS);
    const whole = readFileSync(file);
    expect(await readAll(file)).toEqual(Buffer.concat(PARTS.map(({ bytes }) => bytes)));
    // Every byte of the beginning and the header, then one in a hundred.
    for (let at = 0; at < whole.length; at += at < 560 ? 1 : 500) {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 1 << (at % 8);
      writeFileSync(file, damaged);
      await expect(readAll(file), `byte ${at}`).rejects.toThrow(SnapshotError);
      writeFileSync(file, whole.subarray(0, at));
      await expect(readAll(file), `cut at ${at}`).rejects.toThrow(SnapshotError);
    }
  });
});

async function withRules(): Promise<SnapshotStage> {
  const on = await snapshotStage();
  for (const word of ['storm', 'storm -rain', '"storm warning"', 'storm OR sun', 'warning']) await addRule(on, word);
  await (await start(on, 'making')).close();
  return on;
}

/** The snapshot with another header, and parts as they are: nothing that a digest tells. */
async function rewritten({ file }: SnapshotStage, change: (header: SnapshotFile) => Partial<SnapshotHeader>) {
  await using from = (await openSnapshotFile(file))!;
  const names = ['x', 'firehose'].flatMap((platform) =>
    'state memory programs ids-ends ids id-sizes id-slots owners versions flags texts-ends texts accounts-ends accounts'
      .split(' ')
      .map((part) => `${platform} ${part}`),
  );
  const parts: ImagePart[] = [];
  for (const name of names) {
    const bytes = Buffer.alloc(from.sizeOf(name));
    await from.readInto(name, bytes);
    parts.push({ name, bytes });
  }
  const { fingerprint, token, position } = from;
  await writeSnapshotFile(file, { fingerprint, token, position, ...change(from) }, parts);
}

const FOREIGN = 'it is not one of this database';

/** Each harm to the snapshot or the database, and why the snapshot is then not used. */
const HARMS: Readonly<Record<string, { reason: string; harm: (on: SnapshotStage) => void | Promise<void> }>> = {
  'an empty file': { reason: 'it is cut short', harm: ({ file }) => writeFileSync(file, '') },
  'a file that is cut in its header': { reason: 'it is cut short', harm: ({ file }) => truncateSync(file, 100) },
  'one that other code has made': {
    reason: 'another version of the program has made it',
    harm: (on) => rewritten(on, () => ({ fingerprint: 'another' })),
  },
  'one with another token': { reason: FOREIGN, harm: (on) => rewritten(on, () => ({ token: 'another' })) },
  'one with a later position': {
    reason: FOREIGN,
    harm: (on) => rewritten(on, ({ position }) => ({ position: position + 1 })),
  },
  'one with an earlier position': {
    reason: FOREIGN,
    harm: (on) => rewritten(on, ({ position }) => ({ position: position - 1 })),
  },
  'one of another data folder': {
    reason: FOREIGN,
    async harm(on) {
      await using other = await withRules();
      copyFileSync(other.file, on.file);
    },
  },
  'a log that no longer reaches back to it': {
    reason: FOREIGN,
    async harm({ database, file }) {
      await using snapshot = (await openSnapshotFile(file))!;
      const db = new DatabaseSync(database);
      db.prepare('DELETE FROM rule_changes WHERE number <= ?').run(snapshot.position);
      db.close();
    },
  },
};

describe('a start with a snapshot that does not fit', () => {
  it('goes by the rules, and makes another', async () => {
    await using on = await withRules();
    for (const [name, { reason, harm }] of Object.entries(HARMS)) {
      const late = await addRule(on, 'storm late');
      await harm(on);
      const service = await start(on, 'making');
      expect(reasonIn(on.said), name).toBe(reason);
      expect(found(service, 'storm warning'), name).toHaveLength(5);
      expect(found(service, 'late storm'), name).toContain(`${late} 1 storm late`);
      await service.close();
    }
  });

  it('goes by the rules where no file can be read or written', async () => {
    await using on = await withRules();
    rmSync(on.file);
    mkdirSync(`${on.file}/a folder`, { recursive: true });
    await using service = await start(on, 'not making');
    expect(reasonIn(on.said)).toBe('it cannot be read');
    expect(on.said).toContain('no snapshot of the rules could be written; starts take longer');
    expect(found(service, 'storm warning')).toHaveLength(5);
  });

  it('goes by the rules when a part is damaged', async () => {
    await using on = await withRules();
    const bytes = readFileSync(on.file);
    bytes[bytes.length >> 1]! ^= 4;
    writeFileSync(on.file, bytes);
    const service = await start(on, 'not making');
    expect(on.said).toContain('the snapshot of the rules cannot be used: the rules are read one by one');
    expect(found(service, 'storm warning')).toHaveLength(5);
    await service.close();
  });

  it('goes by the rules when the database is an older one, put back, that has gone on since', async () => {
    await using on = await snapshotStage();
    const ids: string[] = [];
    for (const word of ['storm', 'storm a', 'storm b', 'storm c', 'storm d']) ids.push(await addRule(on, word));
    const backup = `${on.database}.backup`;
    await on.store.backup(backup);
    // In the time that is undone all but one rule are paused; then there is a snapshot.
    for (const id of ids.slice(1)) await on.store.changeRule(on.account.id, id, { paused: true });
    await addRule(on, 'hail');
    await (await start(on, 'making')).close();
    await on.putBack(backup);
    for (let times = 0; times < 20; times++)
      await on.store.changeRule(on.account.id, ids[0]!, { intent: String(times) });
    await using service = await start(on, 'making');
    expect(reasonIn(on.said)).toBe(FOREIGN);
    expect(found(service, 'storm a b c d')).toHaveLength(5);
  });

  it('uses the snapshot before when a crash came between the writing of one and its name', async () => {
    await using on = await withRules();
    copyFileSync(on.file, `${on.file}.kept`);
    const late = await addRule(on, 'storm late');
    await on.renew();
    renameSync(on.file, `${on.file}.new`);
    renameSync(`${on.file}.kept`, on.file);
    await using service = await start(on, 'not making');
    expect(found(service, 'late storm')).toContain(`${late} 1 storm late`);
    truncateSync(`${on.file}.new`, 1_000);
    await on.renew();
    await using again = await start(on, 'not making');
    expect(found(again, 'late storm')).toEqual(found(service, 'late storm'));
  });
});
