import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { until } from '../stages/receiver.ts';
import { run } from './cli.ts';
import { halfSent, processSuite, refused } from './process-suite.ts';
import { callServer, environment, KEY, startServer } from './server.ts';

processSuite(startServer);

// On SQLite alone: settings, ports and signals are no matter of the store, and several machines have no demo feed.
describe('one process', () => {
  it('refuses a misspelt setting with status 2 and says which was meant', async () => {
    const ran = await run(['serve'], { SLUICE_PROT: '0' });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('Did you mean SLUICE_PORT?')]);
  });

  it('takes SLUICE_API_KEY as the first key, and another value later as one more', async () => {
    await using server = await startServer();
    await server.end('SIGTERM');
    await using again = await startServer({ SLUICE_API_KEY: 'another-key-of-16-or-more' }, server.dataDir);
    for (const key of [KEY, 'another-key-of-16-or-more']) {
      expect((await callServer(again.url, 'GET', '/api.ListRules', undefined, { key })).status).toBe(200);
    }
  });

  it('refuses a port in use, in one sentence', async () => {
    await using server = await startServer();
    const ran = await run(['serve'], {
      ...server.settings,
      SLUICE_PORT: new URL(server.url).port,
      SLUICE_DATA_DIR: join(server.dataDir, 'other'),
    });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('Is it in use?')]);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
  });

  it('stops in order also when the signal comes with the ready line', async () => {
    await using server = await startServer();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('ends at once at the second signal', async () => {
    await using server = await startServer();
    await halfSent(server.url);
    const ended = server.end('SIGINT');
    await refused(server.url);
    server.process.kill('SIGINT');
    expect(await ended).toEqual({ code: 1, signal: null });
  });

  it('ends with the shell that npm started it by', async () => {
    await using server = await startServer();
    await server.end('SIGTERM');
    const settings = { ...server.settings, npm_command: 'run-script' };
    // The second command keeps the shell from becoming the server.
    const shell = spawn('sh', ['-c', `"${process.execPath}" bin/sluice.mjs serve; true`], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    // Its output closes when the last process that has it ends.
    const closed = once(shell, 'close');
    for await (const line of createInterface({ input: shell.stdout })) if (line.includes('listening on')) break;
    shell.stdout.resume();
    shell.kill('SIGTERM');
    await closed;
    await using again = await startServer({}, server.dataDir);
    expect((await again.call('GET', '/healthz')).status).toBe(200);
  });

  it('plays the demo also while real events come, until it is stopped', async () => {
    await using server = await startServer({ SLUICE_DEMO: 'on' });
    await server.call('POST', '/api.CreateRule', {
      name: 'all',
      intent: '',
      platforms: ['x'],
      overrides: { x: 'volcano OR lava OR outage OR release OR storm' },
    });
    const matches = async () =>
      (await server.call('POST', '/matches', { limit: 1 })).body['matches'] as { id: string; demo?: true }[];
    await until(async () => (await matches()).length > 0);
    expect((await matches())[0]!.demo).toBe(true);
    await server.push('x', [{ data: { id: '1', text: 'real storm' } }]);
    const [real] = await matches();
    await until(async () => (await matches())[0]!.id !== real!.id);
    const env = { SLUICE_URL: server.url, SLUICE_API_KEY: KEY };
    expect((await run(['demo', 'stop'], env)).stdout).toBe('The demo feed does not play.\n');
    expect((await run(['demo', '--json'], env)).stdout).toContain('"playing": false');
  });
});
