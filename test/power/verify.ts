/** Holds a disk after a power failure against what was told before it. Everything is opened by the program's own code. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../../bench/random.ts';
import { sealingKeyOf } from '../../src/app/sealing-key.ts';
import { lockStore } from '../../src/app/server-lock.ts';
import { fittingSnapshot } from '../../src/app/snapshots/snapshot-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { storedCredentials } from '../../src/cli/credentials.ts';
import { createSeal } from '../../src/delivery/webhooks/seal.ts';
import { createSpill } from '../../src/platforms/x/spill.ts';
import { languages } from '../../src/rules/languages.ts';
import { createMatching } from '../../src/service/ingest/matching.ts';
import { decodeText } from '../../src/store/rows/texts.ts';
import { connect } from '../../src/store/sqlite/connection.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { storeOnConnection } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import type { DiskImage } from './disk.ts';
import { ACCOUNT, CURSOR, FINGERPRINT, type Known, numberOf, ruleOf } from './facts.ts';

/** Puts an image on the real disk. */
export function writeImage(folder: string, { folders, files }: DiskImage): void {
  for (const path of [...folders].toSorted()) mkdirSync(join(folder, path), { recursive: true });
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

/** The problems of the disk in this folder, in sentences; there are none where all is well. */
export async function verify(folder: string, known: Known, random: Random): Promise<string[]> {
  const data = join(folder, 'data');
  const file = join(data, 'sluice.db');
  const problems: string[] = [];
  async function check(what: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // The index of the log in shared memory and the note of the server that ran survive in any state.
  if (existsSync(data)) {
    const rubbish = Buffer.from(Array.from({ length: 40 }, () => Math.floor(random() * 256)));
    writeFileSync(`${file}-shm`, random() < 0.5 ? Buffer.alloc(32_768, rubbish) : '');
    writeFileSync(`${file}.server.json`, rubbish.subarray(0, Math.floor(random() * 40)));
  }
  await check('the server cannot start', () => lockStore(file, { now: new Date(0), pid: 1 })[Symbol.dispose]());
  await check('the database', () => checkDatabase(file, known));
  await check('the sealing key', () => checkSecrets(data, known));
  await check('the spill file', () => checkSpill(data));
  await check('the credentials', () => checkCredentials(data, known));
  for (const [name, numbers] of known.backups)
    await check(`the backup ${name}`, () => checkBackup(join(data, name), numbers));
  return problems;
}

function fail(sentence: string): never {
  throw new Error(sentence);
}

function checkIntegrity(db: DatabaseSync): void {
  const rows = db.prepare('PRAGMA integrity_check').all();
  if (rows.length !== 1 || rows[0]!['integrity_check'] !== 'ok') fail(`it is damaged: ${JSON.stringify(rows[0])}`);
  if (db.prepare('PRAGMA foreign_key_check').all().length > 0) fail('rows refer to rows that are missing');
}

async function checkDatabase(file: string, known: Known): Promise<void> {
  const db = connect(file);
  try {
    migrate(db);
    checkIntegrity(db);
    const store = storeOnConnection(db);
    await checkMatches(store, known);
    for (const id of known.rules.values())
      if ((await store.rule(ACCOUNT, id)) === undefined) fail(`the rule ${id} was acknowledged and is missing`);
    await checkSnapshot(join(dirname(file), 'rules.snapshot'), store);
  } finally {
    db.close();
  }
}

async function checkMatches(store: Store, known: Known): Promise<void> {
  const stored = new Set<number>();
  for (let after = 0; ; ) {
    const { matches, last } = await store.matchesAfter({ accountId: ACCOUNT, after, limit: 1_000 });
    for (const { ruleId, platformPostId } of matches) {
      const number = numberOf(platformPostId);
      if (stored.has(number)) fail(`the event ${number} has two matches`);
      const rule = known.rules.get(ruleOf(number));
      if (rule !== undefined && rule !== ruleId) fail(`the event ${number} has the match of another rule`);
      stored.add(number);
    }
    if (last === after) break;
    after = last;
  }
  const lost = [...known.events].filter((number) => !stored.has(number));
  if (lost.length > 0) fail(`${lost.length} acknowledged events are lost, for instance ${lost[0]}`);
  const back = [...known.erased].filter((number) => stored.has(number));
  if (back.length > 0) fail(`${back.length} erased events are back, for instance ${back[0]}`);
  const cursor = Number((await store.cursor(CURSOR)) ?? -1);
  if (cursor < known.cursor) fail(`the cursor is at ${cursor}, and ${known.cursor} was committed`);
}

/** It is one of this database, and every part of it is whole. */
async function checkSnapshot(path: string, store: Store): Promise<void> {
  await using snapshot = await fittingSnapshot(path, store, () => FINGERPRINT);
  if (snapshot === undefined) return;
  const matching = createMatching({
    languages: languages({ local: true }),
    clock: systemClock,
    isUpstream: () => false,
    onUnreadable: ({ id }) => fail(`the rule ${id} cannot be read`),
  });
  await matching.restore(snapshot);
}

/** The secret of a webhook that a caller was told can still be opened, to sign with. */
function checkSecrets(data: string, { webhooks }: Known): void {
  const { unseal } = createSeal(sealingKeyOf({ dataDir: data, sealingKey: undefined }));
  const db = new DatabaseSync(join(data, 'sluice.db'), { readOnly: true });
  try {
    for (const [id, secret] of webhooks) {
      const row = db.prepare('SELECT secret FROM webhooks WHERE id = ?').get(id);
      if (row === undefined) fail(`the webhook ${id} was acknowledged and is missing`);
      if (unseal(String(row['secret'])) !== secret) fail(`the secret of the webhook ${id} can no longer be opened`);
    }
  } finally {
    db.close();
  }
}

/** Its contents were not committed. It must not stand in the way. */
function checkSpill(data: string): void {
  const spill = createSpill(join(data, 'spill'), 'x');
  const block = Buffer.from('a block');
  if (!spill.write(block) || !spill.read()?.equals(block)) fail('it does not give back what was written');
  spill.close();
}

function checkCredentials(data: string, { credentials }: Known): void {
  const stored = storedCredentials({ XDG_CONFIG_HOME: join(data, 'config') });
  if (credentials.length > 0 && !credentials.includes(stored?.key ?? '')) fail('they are not those that were stored');
}

function checkBackup(file: string, numbers: readonly number[]): void {
  if (!existsSync(file)) fail('it was acknowledged and is missing');
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    checkIntegrity(db);
    const found = db.prepare('SELECT post_id FROM events').all();
    const posts = new Set(found.map((row) => numberOf(decodeText(String(row['post_id'])))));
    const lost = numbers.filter((number) => !posts.has(number));
    if (lost.length > 0) fail(`${lost.length} events that were acknowledged before it are not in it`);
  } finally {
    db.close();
  }
}
