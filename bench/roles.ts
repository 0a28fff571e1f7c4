/**
 * `npm run bench -- roles --sizes 100000`: what a process of each role costs on PostgreSQL and NATS with so many rules of set A, until
 * it is ready, and some time later. The first process makes the snapshot of the rules; the others begin on empty folders, as pods do.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { ROLES, type Role } from '../src/domain/role.ts';
import { ensureFirstKey } from '../src/service/access/keys.ts';
import { moveToPostgres } from '../src/store/move.ts';
import { openPostgres } from '../src/store/postgres.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { callServer, KEY, type Started, startServer } from '../test/black-box/server.ts';
import { startNats } from '../test/stages/nats.ts';
import { startPostgres } from '../test/stages/postgres.ts';
import { addRules } from './rules-start.ts';

const TICKS_A_SECOND = 100;
/** With fewer rules there is no snapshot. */
const MANY_RULES = 20_000;
/** A process has loaded by then what it loads after it is ready. */
const LATER_MS = 20_000;

export interface RoleFigures {
  readonly role: Role;
  readonly folder: 'first' | 'empty';
  readonly cpu_seconds_until_ready: number;
  readonly resident_mb_when_ready: number;
  readonly resident_mb_later: number;
  readonly peak_mb: number;
}

export async function* benchRoles(rules: number): AsyncIterable<RoleFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-roles-'));
  await using postgres = await startPostgres();
  await using nats = await startNats();
  try {
    const storeUrl = await postgres.newDatabase();
    await fill(join(folder, 'sluice.db'), storeUrl, rules);
    const settings = {
      SLUICE_STORE_URL: storeUrl,
      SLUICE_NATS_URL: nats.url,
      SLUICE_SEALING_KEY: randomBytes(32).toString('base64'),
    };
    await using store = await openPostgres(storeUrl);
    const whenShared = async () => {
      while (rules >= MANY_RULES && (await store.ruleSnapshot()) === undefined) await pause(200);
    };
    yield await measure(settings, 'matcher', 'first', whenShared);
    for (const role of ROLES) yield await measure(settings, role, 'empty', () => pause(LATER_MS));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(file: string, storeUrl: string, rules: number): Promise<void> {
  {
    await using store = await openSqlite(file);
    await ensureFirstKey(store, systemClock.now(), KEY);
  }
  await addRules(file, 'A', rules);
  await moveToPostgres(file, storeUrl);
}

async function measure(
  settings: Record<string, string>,
  role: Role,
  folder: RoleFigures['folder'],
  untilLater: () => Promise<void>,
): Promise<RoleFigures> {
  await using server = await startServer({ ...settings, SLUICE_ROLES: role, NODE_OPTIONS: '' });
  while ((await callServer(server.url, 'GET', '/readyz')).status !== 200) await pause(50);
  const ready = figuresOf(server);
  await untilLater();
  const later = figuresOf(server);
  return {
    role,
    folder,
    cpu_seconds_until_ready: ready.cpu,
    resident_mb_when_ready: ready.resident,
    resident_mb_later: later.resident,
    peak_mb: later.peak,
  };
}

function figuresOf({ process: { pid } }: Started) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1_000);
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
    resident: megabytes('VmRSS'),
    peak: megabytes('VmHWM'),
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
