/** Power failures at any call to the disk: nothing that was told is lost, and a missing sync is found. */
import { afterAll, describe, expect, it } from 'vitest';
import type { DiskCall, Recording } from './disk.ts';
import { failPower, type PowerOptions, startProgram } from './power-failures.ts';

const SEED = 20_261_117;
const program = startProgram();
afterAll(() => program[Symbol.asyncDispose]());

const MISTAKES_SHOW_WITHIN = 400;

/** The problems of a program that makes this mistake. It must be found. */
async function problemsOf(options: Partial<PowerOptions>): Promise<string> {
  const { problems } = await failPower({ program, failures: MISTAKES_SHOW_WITHIN, seed: SEED, steps: 12, ...options });
  return problems.join('\n');
}

/** The numbers of the files that ever had such a name. */
function filesNamed({ begin, calls }: Recording, name: RegExp): Set<number> {
  const made = calls.flatMap((call) => (call.kind === 'names' ? call.changes : []));
  return new Set(
    [...begin, ...made].flatMap(([path, file]) => (typeof file === 'number' && name.test(path) ? [file] : [])),
  );
}

const NOTHING: DiskCall = { kind: 'told', fact: { kind: 'snapshot' } };

/** As if the program had left these calls out. */
const without = (recording: Recording, isLeftOut: (call: DiskCall) => boolean): Recording => ({
  ...recording,
  calls: recording.calls.map((call) => (isLeftOut(call) ? NOTHING : call)),
});

/** As if a file were synced only once it has the name. */
function syncedAfterRename(recording: Recording, name: string): Recording {
  const calls = [...recording.calls];
  for (const [index, call] of calls.entries()) {
    if (call.kind !== 'names' || call.changes.length < 2 || call.changes[1]![0] !== name) continue;
    const file = call.changes[1]![1];
    const synced = calls.findLastIndex((one, at) => at < index && one.kind === 'sync' && one.file === file);
    calls[synced] = call;
    calls[index] = { kind: 'sync', file: Number(file), before: index };
  }
  return { ...recording, calls };
}

describe('power failures', () => {
  it(`lose nothing that was told, and every file opens (seed ${SEED})`, async () => {
    const { failures, problems } = await failPower({ program, failures: 24, seed: SEED, failuresInLife: 8, steps: 20 });
    expect({ failures, problems }).toEqual({ failures: 24, problems: [] });
  });

  it('lose no backup that was told, nor a part of it', async () => {
    const work = ['push', 'backUp'] as const;
    const { problems } = await failPower({ program, failures: 30, seed: SEED, failuresInLife: 30, steps: 8, work });
    expect(problems).toEqual([]);
  });

  it('lose acknowledged events where the database leaves out its syncs', async () => {
    expect(await problemsOf({ isSyncOff: true, work: ['push'] })).toMatch(/the database: /);
  });

  it('damage a snapshot whose bytes were not synced before its name', async () => {
    const work = ['writeSnapshot'] as const;
    const unsynced = (recording: Recording) => {
      const files = filesNamed(recording, /rules\.snapshot/);
      return without(recording, (call) => call.kind === 'sync' && files.has(call.file));
    };
    expect(await problemsOf({ work, mistake: unsynced })).toMatch(/the database: it|the database: its/);
    const late = (recording: Recording) => syncedAfterRename(recording, 'rules.snapshot');
    expect(await problemsOf({ work, mistake: late })).toMatch(/the database: it|the database: its/);
  });

  it('take the sealing key with them where its folder was not synced', async () => {
    const mistake = (recording: Recording) => without(recording, ({ kind }) => kind === 'sync folder');
    expect(await problemsOf({ work: ['makeWebhook'], mistake })).not.toBe('');
  });

  it('take a backup with them whose name was not synced', async () => {
    const mistake = (recording: Recording) =>
      without(recording, (call) => call.kind === 'sync folder' && isAfterBackup(recording.calls, call.before));
    expect(await problemsOf({ work: ['backUp', 'push'], mistake })).toMatch(/the backup backup-\d.db: /);
  });

  it('empty stored credentials whose bytes were not synced', async () => {
    const mistake = (recording: Recording) => {
      const files = filesNamed(recording, /credentials\.json/);
      return without(recording, (call) => call.kind === 'sync' && files.has(call.file));
    };
    expect(await problemsOf({ work: ['logIn'], mistake })).toMatch(/the credentials: /);
  });
});

/** Whether the call before was the renaming of a backup. */
function isAfterBackup(calls: readonly DiskCall[], index: number): boolean {
  const call = calls[index - 1];
  return call?.kind === 'names' && call.changes.some(([name]) => /^backup-\d\.db$/.test(name));
}
