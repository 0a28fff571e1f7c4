/** The sandbox as a program: its feed, its events over HTTP, its command. */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { PROGRAM } from '../black-box/program.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { until } from '../stages/receiver.ts';
import { call, lavaSandbox, open, RULES, STREAM } from './reader.ts';

describe('events', () => {
  it('are pushed as lines; a bad line is rejected alone', async () => {
    await using sandbox = await lavaSandbox();
    const push = (platform: string, body: string) =>
      sandbox.call(`/sandbox/events?platform=${platform}`, { method: 'POST', body, token: undefined });
    const posts = await push(
      'x',
      `{"data":{"id":"1","text":"lava"}}\n\nno\n{"data":{"id":"2"}}\n{"data":{"id":"3","text":"tea"}}`,
    );
    expect([posts.status, posts.json()]).toEqual([
      200,
      {
        accepted: 2,
        matches: 1,
        rejected: [
          { line: 3, message: 'it is not a JSON object' },
          { line: 4, message: 'a post needs `data.text`, a string' },
        ],
      },
    ]);
    const deep = `{"data":{"id":"9","text":"lava","x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
    expect((await push('x', deep)).json()).toMatchObject({ accepted: 0, rejected: [{ line: 1 }] });
    expect((await push('firehose', '{"url":"https://a.example/","added":"tea"}')).json()).toMatchObject({
      accepted: 1,
    });
    expect((await push('mastodon', '')).status).toBe(400);
    expect((await sandbox.call('/sandbox/nothing')).status).toBe(404);
    expect(() => sandbox.post('x', { data: {} })).toThrow('no event of x: a post needs `data.id`, a string');
  });

  it('come by themselves from the demo feed', async () => {
    const clock = fakeClock();
    await using sandbox = await startSandbox({ clock, feed: 'demo', rate: 10 });
    sandbox.addForeignRule('x', 'volcano OR launch');
    const stream = await open(sandbox.url + STREAM);
    await clock.pass(60_000);
    await until(() => stream.records().length > 3);
  });

  it('come from a file, round and round', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const file = join(folder, 'events.ndjson');
    writeFileSync(file, '{"data":{"id":"1","text":"lava"}}\n{"url":"https://a.example/","added":"lava"}\n');
    const clock = fakeClock();
    await using sandbox = await startSandbox({ clock, feed: { file }, rate: 1 });
    sandbox.addForeignRule('x', 'lava');
    const stream = await open(sandbox.url + STREAM);
    await clock.pass(5_000);
    await until(() => stream.records().length >= 2);
    await expect(startSandbox({ feed: { file: join(folder, 'none') } })).rejects.toThrow('ENOENT');
    rmSync(folder, { recursive: true });
  });

  it('wait for their readers where the feed waits', async () => {
    await using sandbox = await lavaSandbox();
    const [x, firehose] = [await sandbox.x(), await sandbox.firehose()];
    const text = 'word '.repeat(2_000);
    for (let batch = 0; batch < 10; batch++) {
      sandbox.posts(...Array.from({ length: 10 }, () => text));
      sandbox.pages(...Array.from({ length: 10 }, () => text));
      await sandbox.drained();
      expect(sandbox.sent).toHaveLength((batch + 1) * 20);
    }
    sandbox.posts('the end');
    sandbox.pages('the end');
    await Promise.all([x.has('the end'), firehose.has('the end')]);
    expect(x.records()).toHaveLength(101);
  });
});

describe('callers', () => {
  it('of X with a token of a user are refused', async () => {
    await using sandbox = await startSandbox();
    const headers = { authorization: 'OAuth oauth_consumer_key="x"' };
    const { status, json } = await call(sandbox.url + RULES, { headers });
    expect([status, json()]).toMatchObject([403, { title: 'Unsupported Authentication' }]);
  });

  it('are recorded, with what they sent', async () => {
    await using sandbox = await startSandbox();
    await call(`${sandbox.url}${RULES}?max_results=5`);
    await call(`${sandbox.url}/v1/rules`, { headers: { 'x-test': 'yes' } });
    await call(`${sandbox.url}/sandbox/faults`);
    expect(sandbox.calls).toMatchObject([
      { method: 'GET', path: `${RULES}?max_results=5`, status: 200 },
      { method: 'GET', path: '/v1/rules', status: 200, headers: { 'x-test': 'yes' } },
    ]);
  });
});

describe('sluice sandbox', () => {
  it('says where it listens, takes the tokens it was given, and ends when told', async () => {
    const options = ['--feed', 'off', '--x-token', 'one', '--firehose-token', 'fh_two', '--x-rules', '7'];
    const child = spawn(process.execPath, [PROGRAM, 'sandbox', '--port', '0', ...options]);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const ended = new Promise<number | null>((done) => void child.once('close', done));
    await until(() => printed.includes('\n'));
    const [, url] = /^sluice sandbox: listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(printed)!;
    expect((await call(url! + RULES, { token: 'two' })).status).toBe(401);
    expect((await call(`${url!}${RULES}/counts`, { token: 'one' })).json()).toMatchObject({
      data: { cap_per_project: '7' },
    });
    expect((await call(`${url!}/v1/rules`, { token: 'fh_two' })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('speaks https with a certificate to trust', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    const file = join(folder, 'ca.pem');
    const child = spawn(process.execPath, [PROGRAM, 'sandbox', '--feed', 'off', '--tls', file]);
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await until(() => printed.includes('\n'));
    const [url] = /https:\S+/.exec(printed)!;
    const { stdout } = await promisify(execFile)('curl', ['-s', '--cacert', file, `${url}/sandbox/faults`]);
    expect(JSON.parse(stdout)).toHaveProperty('faults');
    child.kill();
    rmSync(folder, { recursive: true });
  });

  it('says what is wrong with its feed', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'sandbox', '--feed', '/nowhere/at/all']);
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint += chunk.toString();
    });
    const code = await new Promise<number | null>((done) => void child.once('close', done));
    expect([code, complaint]).toEqual([1, expect.stringMatching(/^error: .*ENOENT.*\/nowhere\/at\/all/)]);
  });
});
