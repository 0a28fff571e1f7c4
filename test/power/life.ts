/**
 * A thread that runs the program on a recorded disk, one life after another: a start, all kinds of work that write, and a
 * stop or none. It tells what a caller was told.
 */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { makePrivateFolder } from '../../src/app/private-folder.ts';
import { sealingKeyOf } from '../../src/app/sealing-key.ts';
import { writeSnapshotFile } from '../../src/app/snapshots/snapshot-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { storeCredentials } from '../../src/cli/credentials.ts';
import { Backlog } from '../../src/platforms/x/backlog.ts';
import { createSpill } from '../../src/platforms/x/spill.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { SNAPSHOT_MARK } from '../../src/service/cluster/load-rules.ts';
import { storeOnConnection } from '../../src/store/sqlite.ts';
import type { CommitEvent, Store } from '../../src/store/store.ts';
import { openService, type TestService } from '../stages/service.ts';
import type { Recording } from './disk.ts';
import { ACCOUNT, CURSOR, type Fact, FINGERPRINT, postOf, RULES, ruleOf } from './facts.ts';
import { connectRecorded } from './recorded-sqlite.ts';
import { type Recorder, recordFolder } from './recording-fs.ts';

export interface LifeOrder {
  /** The whole disk. */
  readonly folder: string;
  readonly seed: number;
  readonly steps: number;
  /** The number of the first new event. */
  readonly next: number;
  /** The kinds of work that are done, each as likely as another. */
  readonly work: readonly Work[];
  /** Whether the database does what it never may: it leaves out its syncs. */
  readonly isSyncOff: boolean;
}

interface Life {
  readonly recorder: Recorder;
  readonly random: Random;
  readonly data: string;
  readonly store: Store;
  readonly test: TestService;
  readonly caller: Caller;
  readonly backlog: Backlog;
  readonly ruleIds: readonly string[];
  readonly tell: (fact: Fact) => void;
  next: number;
}

async function live({ folder, seed, steps, next, work, isSyncOff }: LifeOrder): Promise<Recording> {
  const recorder = recordFolder(folder);
  const random = randomFrom(seed);
  const data = join(folder, 'data');
  const file = join(data, 'sluice.db');
  makePrivateFolder(file);
  const key = sealingKeyOf({ dataDir: data, sealingKey: undefined });
  const checkpointAfter = pick(random, [4, 40, 400]);
  const store = storeOnConnection(connectRecorded(file, { checkpointAfter, isSyncOff }), {
    recent: { events: 200, bytes: 100_000 },
    settleAfter: 7,
  });
  const test = await openService({ store, delivery: { sealingKey: key } });
  const tell = (fact: Fact) => recorder.tell(fact);
  const spill = createSpill(join(data, 'spill'), 'x');
  const limits = { records: 2, bytes: 2_000, block: 1_000 };
  const backlog = new Backlog({ spill, clock: systemClock, count: () => {}, limits });
  const caller = await openAccount(store, test);
  const ruleIds = await openRules(test, caller, tell);
  const life: Life = { recorder, random, data, store, test, caller, backlog, ruleIds, tell, next };
  for (let step = 0; step < steps; step++) await WORK[pick(random, work)](life);
  if (random() < 0.5) return close(life).then(() => recorder.recording());
  const recording = recorder.recording();
  await close(life);
  return recording;
}

async function close({ test, store, backlog }: Life): Promise<void> {
  backlog.close();
  await test[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
}

async function openAccount(store: Store, test: TestService): Promise<Caller> {
  if ((await store.account(ACCOUNT)) === undefined)
    await store.addAccount({ id: ACCOUNT, name: 'power', plan: 'paid', xRules: 9, createdAt: new Date() });
  return test.caller(ACCOUNT);
}

async function openRules(test: TestService, caller: Caller, tell: Life['tell']): Promise<string[]> {
  const { rules } = await test.call(caller, 'listRules');
  const ids: string[] = [];
  for (let number = 0; number < RULES; number++) {
    const known = rules.find(({ name }) => name === `rule ${number}`)?.id;
    const rule = { name: `rule ${number}`, intent: '', platforms: ['x'], overrides: { x: `word${number}` } };
    const id = known ?? (await test.call(caller, 'createRule', rule)).rule_id;
    tell({ kind: 'rule', number, id });
    ids.push(id);
  }
  return ids;
}

const textOf = (number: number, random: Random): string =>
  `word${ruleOf(number)} ${'storm '.repeat(Math.floor(random() ** 3 * 1_000))}`;

/** Clients push events, and each is told when its events are safe. */
async function push(life: Life): Promise<void> {
  const { test, caller, random, tell } = life;
  const pushes = Array.from({ length: 1 + Math.floor(random() * 3) }, async () => {
    const numbers = Array.from({ length: 1 + Math.floor(random() * 12) }, () => life.next++);
    const lines = numbers.map((number) =>
      JSON.stringify({ data: { id: postOf(number), text: textOf(number, random) } }),
    );
    await test.call(caller, 'pushEvents', { platform: 'x', lines: lines.join('\n') });
    tell({ kind: 'events', numbers });
  });
  await Promise.all(pushes);
}

/** An upstream sends faster than the store takes: records wait in the spill file. The cursor goes with what it covers. */
async function readUpstream(life: Life): Promise<void> {
  const { backlog, random, store, tell, ruleIds } = life;
  const numbers = Array.from({ length: 3 + Math.floor(random() * 20) }, () => life.next++);
  for (const number of numbers) {
    const line = Buffer.from(textOf(number, random));
    backlog.push({ kind: 'record', at: 0, through: number, cursor: `${number}`, replayed: false, line });
  }
  const never = new AbortController().signal;
  for (let left = numbers.length; left > 0; ) {
    const events: CommitEvent[] = [];
    let last = '';
    for (const size = Math.min(left, 1 + Math.floor(random() * 6)); events.length < size; left--) {
      const entry = await backlog.take(never);
      if (entry?.kind !== 'record') throw new Error('The backlog gave back what was not put in.');
      last = entry.cursor;
      const id = postOf(Number(last));
      const payload = { data: { id, text: entry.line.toString() } };
      const matches = [{ ruleId: ruleIds[ruleOf(Number(last))]!, version: 1, highlights: [] }];
      events.push({ event: { platform: 'x', postId: id, payload, accountId: undefined }, matches });
    }
    await store.commit({ platform: 'x', at: new Date(), events, cursor: { name: CURSOR, value: last } });
    tell({ kind: 'cursor', number: Number(last), from: numbers[0]! });
  }
}

async function makeWebhook({ test, caller, tell }: Life): Promise<void> {
  const made = await test.call(caller, 'createWebhook', { url: 'https://hooks.example/power' });
  tell({ kind: 'webhook', id: made.webhook_id, secret: made.secret });
  if ((await test.call(caller, 'listWebhooks')).webhooks.length > 4) {
    const { webhooks } = await test.call(caller, 'listWebhooks');
    tell({ kind: 'webhook leaves', id: webhooks[0]!.id });
    await test.call(caller, 'deleteWebhook', { webhook_id: webhooks[0]!.id });
  }
}

async function erase({ store, random, next, tell }: Life): Promise<void> {
  const number = Math.floor(random() * next);
  tell({ kind: 'event leaves', number });
  await store.eraseEverywhere('x', postOf(number));
  tell({ kind: 'erased', number });
}

async function writeSnapshot({ store, test, data, random, tell }: Life): Promise<void> {
  const token = `${random()}`;
  const position = await store.markRuleChanges(SNAPSHOT_MARK + token);
  const image = test.service.context.matching.image();
  await writeSnapshotFile(join(data, 'rules.snapshot'), { fingerprint: FINGERPRINT, token, position }, image);
  tell({ kind: 'snapshot' });
}

async function backUp({ store, data, random, tell }: Life): Promise<void> {
  const name = `backup-${Math.floor(random() * 3)}.db`;
  tell({ kind: 'backup leaves', name });
  await store.backup(join(data, name));
  tell({ kind: 'backup', name });
}

async function logIn({ data, random, tell }: Life): Promise<void> {
  const key = `sk_${random()}`;
  tell({ kind: 'credentials leave', key });
  storeCredentials({ XDG_CONFIG_HOME: join(data, 'config') }, { url: 'https://sluice.example', key });
  tell({ kind: 'credentials', key });
}

/** Everything that was erased leaves the disk, and the log is emptied. */
async function remove({ store }: Life): Promise<void> {
  while ((await store.removeSlice(new Date())).more);
}

const WORK = { push, readUpstream, makeWebhook, erase, writeSnapshot, backUp, logIn, remove };
export type Work = keyof typeof WORK;

parentPort!.on('message', (order: LifeOrder) => {
  live(order).then(
    (recording) => parentPort!.postMessage({ recording }, []),
    (error: unknown) => parentPort!.postMessage({ error }, []),
  );
});
