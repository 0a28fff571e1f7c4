/** `sluice replay` against servers that are busy, and where its place cannot be noted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Ran, run } from './black-box/cli.ts';
import { PROGRAM } from './black-box/program.ts';
import { environment, KEY } from './black-box/server.ts';
import { openReceiver, type Receiver } from './stages/receiver.ts';

/** Lines in a batch. */
const BATCH = 1_000;

let folder: string;
let recording: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-replay-'));
  recording = join(folder, 'posts.ndjson');
  writeFileSync(recording, '{"data":{"id":"1","text":"lava"}}\n'.repeat(2 * BATCH + 1));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Refusal {
  readonly status: number;
  readonly retryAfter?: number;
}

const BUSY = 'The account has pushed 5 MiB today.';

/** Takes a push for each undefined answer, and refuses with the others; the last is for all that follow. */
function serverWith(...answers: readonly (Refusal | undefined)[]): Promise<Receiver> {
  let asked = 0;
  return openReceiver((response) => {
    const refusal = answers[Math.min(asked++, answers.length - 1)];
    if (refusal === undefined) return response.end(JSON.stringify({ accepted: BATCH, matches: 0, rejected: [] }));
    if (refusal.retryAfter !== undefined) response.setHeader('retry-after', refusal.retryAfter);
    response.statusCode = refusal.status;
    const details = { limit: 'pushed_bytes_per_day' };
    return response.end(JSON.stringify({ code: 'resource_exhausted', message: BUSY, details }));
  });
}

const settingsFor = (server: Receiver, dataDir: string) => ({
  HOME: folder,
  NO_COLOR: '1',
  SLUICE_URL: server.url,
  SLUICE_API_KEY: KEY,
  SLUICE_DATA_DIR: dataDir,
});
const replay = (server: Receiver, dataDir: string, ...args: string[]): Promise<Ran> =>
  run(['replay', recording, '-p', 'x', ...args], settingsFor(server, dataDir));

describe('a replay to a busy server', () => {
  it.each([
    { what: 'names no time', refusal: { status: 429 } },
    { what: 'asks for hours', refusal: { status: 429, retryAfter: 7_200 } },
    { what: 'is away for hours', refusal: { status: 503, retryAfter: 7_200 } },
  ])('ends with what the server says and the line to go on after: one that $what', async ({ refusal }) => {
    await using server = await serverWith(undefined, refusal);
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const { code, stderr } = await replay(server, dataDir);
    expect([code, stderr]).toEqual([
      1,
      `error: The server says resource_exhausted: ${BUSY}\nStopped after line ${BATCH}. The same command goes on from there.\n`,
    ]);
    const told = await replay(server, dataDir, '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ resumed_at: BATCH, done: false });
    expect(JSON.parse(told.stderr)).toMatchObject({ code: 'failed', details: { limit: 'pushed_bytes_per_day' } });
  });

  it('waits as long as it is asked to, and says so once', async () => {
    const busy = { status: 429, retryAfter: 0 };
    await using server = await serverWith(busy, undefined, busy, busy, undefined);
    const { code, stdout, stderr } = await replay(server, join(folder, 'patient'));
    expect([code, stdout]).toEqual([0, `${3 * BATCH} events, 0 matches\n`]);
    expect(stderr).toBe(
      `The server says resource_exhausted: ${BUSY}\nThe replay waits 1 s, and later as often as the server asks.\n`,
    );
  });

  it('is stopped by Ctrl-C while it waits', async () => {
    await using server = await serverWith(undefined, { status: 429, retryAfter: 50 });
    const child = spawn(process.execPath, [PROGRAM, 'replay', recording, '-p', 'x'], {
      env: environment(settingsFor(server, join(folder, 'stopped'))),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      const isWaiting = stderr.includes('The replay waits');
      stderr += chunk.toString();
      if (!isWaiting && stderr.includes('The replay waits')) child.kill('SIGINT');
    });
    const code = await new Promise((done) => child.once('close', done));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\nerror: Stopped after line 1000\. The same command goes on from there\.\n$/),
    ]);
  });
});

describe('a replay that is stopped while a batch is under way', () => {
  it('notes what the server takes of it, and does not send it again', async () => {
    let child: ChildProcess | undefined;
    const batches: string[] = [];
    await using server = await openReceiver((response, { body }) => {
      batches.push(body);
      const isFirst = batches.length === 1;
      if (isFirst) child!.kill('SIGINT');
      // The signal comes first: the body of the answer is long in coming.
      const answer = JSON.stringify({ accepted: BATCH, matches: 0, rejected: [] });
      response.writeHead(200, { 'content-type': 'application/json' });
      let spaces = isFirst ? 20_000 : 0;
      const write = (): unknown => (spaces-- > 0 ? response.write(' ', write) : response.end(answer));
      write();
    });
    const settings = settingsFor(server, join(folder, 'under-way'));
    child = spawn(process.execPath, [PROGRAM, 'replay', recording, '-p', 'x'], { env: environment(settings) });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await new Promise((done) => child.once('close', done))).toBe(1);
    expect(stderr).toContain('Stopped after line 1000. The same command goes on from there.');
    expect((await run(['replay', recording, '-p', 'x'], settings)).code).toBe(0);
    expect(batches.map((batch) => batch.trim().split('\n').length)).toEqual([BATCH, BATCH, 1]);
  });
});

describe('a replay whose place cannot be noted', () => {
  it('says so once and goes on, and does not blame the recording', async () => {
    await using server = await serverWith(undefined);
    const { code, stdout, stderr } = await replay(server, recording);
    expect([code, stdout]).toEqual([0, `${3 * BATCH} events, 0 matches\n`]);
    expect(stderr).toBe(
      'The place in the recording cannot be noted in SLUICE_DATA_DIR (ENOTDIR). The replay goes on.\n',
    );
  });

  it('does not promise to go on from there', async () => {
    await using server = await serverWith(undefined, { status: 429 });
    expect((await replay(server, recording)).stderr).toMatch(/\nStopped after line 1000\.\n$/);
  });

  it('still says what is wrong with a recording', async () => {
    await using server = await serverWith(undefined);
    const ran = await run(['replay', join(recording, 'inside'), '-p', 'x'], settingsFor(server, folder));
    expect(ran).toMatchObject({ code: 2, stderr: `error: ${join(recording, 'inside')} cannot be read (ENOTDIR).\n` });
  });
});
