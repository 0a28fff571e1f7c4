/**
 * `npm run bench -- cold-start --sizes 1000000`: what a server costs until it matches all of its rules: without a
 * snapshot, with one, and with one that some changes came after. Processor time is that of all threads of the process, by
 * Linux's own count.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { digitsOf, newId } from '../src/base/ids.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { residentMb } from './resident.ts';
import { type MatchRate, rulesOf, type SetName, vocabularyOf } from './rule-sets.ts';

const MAIN = resolve(import.meta.dirname, '../src/cli/main.ts');
/** Changes between a snapshot and the start after it. */
const CHANGES = 10_000;
const TICKS_A_SECOND = 100;

interface StartFigures {
  readonly cpu_seconds: number;
  readonly wall_seconds: number;
  readonly resident_mb: number;
}

export interface RulesStartFigures {
  readonly set: SetName;
  readonly rules: number;
  readonly snapshot_mb: number;
  readonly without_rules: StartFigures;
  readonly without_snapshot: StartFigures;
  readonly with_snapshot: StartFigures;
  readonly after_changes: StartFigures;
}

export async function benchRulesStart(set: SetName, rules: number): Promise<RulesStartFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-rules-start-'));
  try {
    const without_rules = await startIn(folder);
    await addRules(join(folder, 'sluice.db'), set, rules);
    const without_snapshot = await startIn(folder);
    const with_snapshot = await startIn(folder);
    changeRules(join(folder, 'sluice.db'));
    const after_changes = await startIn(folder);
    const snapshot_mb = statSync(join(folder, 'rules.snapshot')).size / 1e6;
    return { set, rules, snapshot_mb, without_rules, without_snapshot, with_snapshot, after_changes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until the line that says that every rule is loaded. */
async function startIn(folder: string): Promise<StartFigures> {
  const began = performance.now();
  const env = { PATH: process.env['PATH'], SLUICE_DATA_DIR: folder, SLUICE_PORT: '0', SLUICE_DEMO: 'off' };
  const server = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    await new Promise<void>((done, reject) => {
      let said = '';
      server.stderr.on('data', (piece) => {
        said += String(piece);
        if (said.includes('all stored rules are loaded')) done();
      });
      server.once('exit', () => reject(new Error(`the server ended: ${said}`)));
    });
    const wall_seconds = (performance.now() - began) / 1_000;
    const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const cpu_seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    return { cpu_seconds, wall_seconds, resident_mb: residentMb(server.pid!) };
  } finally {
    server.kill();
    await new Promise((done) => server.once('exit', done));
  }
}

/** Straight into the tables: through the API a million rules take hours. */
export async function addRules(file: string, set: SetName, count: number, rate: MatchRate = 'many'): Promise<void> {
  // The store brings the file up to date.
  await (await openSqlite(file))[Symbol.asyncDispose]();
  const db = new DatabaseSync(file);
  const { payloads } = readCorpus('x');
  const texts = rulesOf(set, 'x', vocabularyOf('x', payloads, analyzerFor('x')), rate);
  const { number: account, id: accountId } = db.prepare('SELECT number, id FROM accounts LIMIT 1').get() as {
    number: number;
    id: string;
  };
  const rule = db.prepare(
    `INSERT INTO rules (id, account, version, paused, deleted, created_at, name, intent, relevance_version, alerts)
     VALUES (?, ?, 1, 0, 0, ?, ?, '""', 0, 0)`,
  );
  const text = db.prepare(
    `INSERT INTO rule_platforms (rule, platform, holding, status, flags, value, platform_rule_id)
     VALUES (?, 'x', ?, 'active', '{}', ?, ?)`,
  );
  const change = db.prepare('INSERT INTO rule_changes (rule, account) VALUES (?, ?)');
  db.exec('BEGIN');
  for (let index = 0; index < count; index++) {
    const id = newId('rule', new Date());
    const { lastInsertRowid } = rule.run(id, account, Date.now(), JSON.stringify(`rule ${index}`));
    text.run(lastInsertRowid, index, JSON.stringify(texts.next().value), digitsOf(index, 12));
    change.run(id, accountId);
  }
  db.prepare(`INSERT INTO account_rules (account, platform, rules) VALUES (?, 'x', ?)`).run(account, count);
  db.exec('COMMIT');
  db.close();
}

function changeRules(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(
    `INSERT INTO rule_changes (rule, account)
     SELECT r.id, a.id FROM rules r JOIN accounts a ON a.number = r.account ORDER BY r.number LIMIT ${CHANGES}`,
  );
  db.close();
}
