import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { commandRuns, followWakes, type WakeEnds } from './run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-runs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WAKE = { id: 'dlv_1', text: '{"matches":1}' };
const signal = new AbortController().signal;
const runsOf = (...command: string[]) =>
  commandRuns({ command, folder: join(folder, 'state'), env: process.env, clock: systemClock });
const said = () => readFileSync(join(folder, 'said'), 'utf8');
const say = ['/bin/sh', '-c', 'cat >> "$0"; echo "$SLUICE_WAKE_ID $1" >> "$0"'];

it('gives the wake as standard input, and strangers no way into the shell', async () => {
  const text = '{"passage":"$(touch pwned) `id` \\"; exit 1; \'"}';
  const strange = '$(exit 1)';
  expect(await runsOf(...say, join(folder, 'said'), strange).run({ id: 'dlv_1', text }, signal)).toBe(true);
  expect(said()).toBe(`${text}\ndlv_1 ${strange}\n`);
});

it('is run once, also for who was killed after it and before the acknowledgement', async () => {
  expect(await runsOf(...say, join(folder, 'said')).run(WAKE, signal)).toBe(true);
  const again = runsOf(...say, join(folder, 'said'));
  expect(await again.run(WAKE, signal)).toBe(true);
  expect(said().match(/dlv_1/g)).toHaveLength(1);
  again.forget(WAKE.id);
  expect(readdirSync(join(folder, 'state'))).toEqual([]);
});

it('is run again when it failed, and when the one who noted that it runs is gone', async () => {
  expect(await runsOf('/bin/sh', '-c', 'exit 3').run(WAKE, signal)).toBe(false);
  // A process that is there, and is not the one that made the note.
  symlinkSync(`${process.pid}`, join(folder, 'state', 'dlv_1.run'));
  expect(await runsOf(...say, join(folder, 'said')).run(WAKE, signal)).toBe(true);
  expect(said()).toContain('dlv_1');
});

it('waits for a run that another has begun, and begins no second one', async () => {
  const [gate, out] = [join(folder, 'gate'), join(folder, 'said')];
  const waiting = [
    '/bin/sh',
    '-c',
    'echo "$SLUICE_WAKE_ID" >> "$0"; while [ ! -e "$1" ]; do sleep 0.02; done',
    out,
    gate,
  ];
  const [first, second] = [runsOf(...waiting).run(WAKE, signal), runsOf(...waiting).run(WAKE, signal)];
  writeFileSync(gate, '');
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(said()).toBe('dlv_1\n');
});

it('outlives a killed `sluice wakes run`, and the next one takes its end for its own', async () => {
  const [gate, out] = [join(folder, 'gate'), join(folder, 'said')];
  const script = `
    import { commandRuns } from ${JSON.stringify(join(import.meta.dirname, 'run-command.ts'))};
    import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../base/clock.ts'))};
    const command = ['/bin/sh', '-c', 'echo "$SLUICE_WAKE_ID" >> "$0"; while [ ! -e "$1" ]; do sleep 0.02; done', ${JSON.stringify(out)}, ${JSON.stringify(gate)}];
    const runs = commandRuns({ command, folder: ${JSON.stringify(join(folder, 'state'))}, env: process.env, clock: systemClock });
    await runs.run({ id: 'dlv_1', text: '{}' }, new AbortController().signal);`;
  const killed = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'ignore' });
  const ended = new Promise((resolve) => killed.once('exit', resolve));
  for (let isBegun = false; !isBegun; await systemClock.sleep(10)) isBegun = readdirSync(folder).includes('said');
  killed.kill('SIGKILL');
  await ended;
  const next = runsOf('/bin/sh', '-c', 'echo twice >> "$0"', out).run(WAKE, signal);
  writeFileSync(gate, '');
  expect(await next).toBe(true);
  expect(said()).toBe('dlv_1\n');
});

it('takes no id for a name of a file that is none of ours', async () => {
  await expect(runsOf('true').run({ id: '../../etc', text: '' }, signal)).rejects.toThrow('strange id');
});

it('is followed: a failure waits longer and longer, and an acknowledgement forgets the run', async () => {
  const stopping = new AbortController();
  const [pauses, acknowledged, forgotten]: [number[], string[], string[]] = [[], [], []];
  let tries = 0;
  const ends: WakeEnds = {
    async next() {
      if (tries === 1) throw new Error('The server is away.');
      return acknowledged.length === 0 ? WAKE : null;
    },
    async run() {
      return ++tries > 3;
    },
    async acknowledge(id) {
      acknowledged.push(id);
    },
    forget(id) {
      forgotten.push(id);
      stopping.abort();
    },
    clock: {
      async sleep(milliseconds) {
        pauses.push(milliseconds);
        if (tries === 1) tries = 2;
      },
    },
    complain() {},
  };
  await followWakes(ends, stopping.signal);
  expect(pauses).toEqual([1_000, 2_000]);
  expect([acknowledged, forgotten]).toEqual([['dlv_1'], ['dlv_1']]);
});
