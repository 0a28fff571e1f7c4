/** `sluice open`: a link that signs in once, from a server by a key, or from the store of the machine. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';

let server: Started;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'sluice-cli-open-'));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const bare = (args: string[], settings: Record<string, string> = {}) =>
  run(['open', ...args], { HOME: folder, ...settings });
const flags = (key = KEY) => ['--url', server.url, '--key', key];

/** Does what a browser does with the link, and answers what the session may do. */
async function enter(link: string): Promise<{ status: number; scope?: string }> {
  const ticket = new URL(link).hash.split('ticket=')[1]!;
  const headers = { authorization: `Bearer ${ticket}`, 'content-type': 'application/json' };
  const opened = await fetch(`${server.url}/api.CreateSession`, { method: 'POST', headers, body: '{}' });
  if (!opened.ok) return { status: opened.status };
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const answer = await fetch(`${server.url}/api.Status`, { headers: { cookie, 'x-sluice-session': '1' } });
  const { key } = (await answer.json()) as { key: { scope: string } };
  return { status: opened.status, scope: key.scope };
}

describe('sluice open', () => {
  it('prints a link that signs in once, with the rights of the key', async () => {
    const { stdout, code } = await bare(['--print', ...flags()]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${server.url}/#/enter\\?ticket=enter_[\\w-]{43}\n$`));
    expect(await enter(stdout.trim())).toEqual({ status: 200, scope: 'full' });
    expect(await enter(stdout.trim())).toEqual({ status: 401 });

    const made = await run(['keys', 'create', '--scope', 'read', '--json', ...flags()], { HOME: folder });
    const { key } = JSON.parse(made.stdout) as { key: string };
    const { url, opened } = JSON.parse((await bare(['--json', ...flags(key)])).stdout) as {
      url: string;
      opened: boolean;
    };
    expect(opened).toBe(false);
    expect(await enter(url)).toEqual({ status: 200, scope: 'read' });
  });

  it('signs the operator in by the store where no key is known, at the address that the server has', async () => {
    // The port that the server took is not in the settings: it has noted it beside the store.
    const { stdout } = await bare(['--print'], { SLUICE_DATA_DIR: server.dataDir });
    expect(stdout).toContain(`${server.url}/#/enter?ticket=`);
    expect(await enter(stdout.trim())).toEqual({ status: 200, scope: 'full' });
    const other = await bare(['--print', '--local'], { SLUICE_DATA_DIR: server.dataDir, SLUICE_API_KEY: KEY });
    expect(other.stdout).toContain(`${server.url}/#/enter?ticket=`);
  });

  it('makes no store where there is none', async () => {
    const empty = join(folder, 'nothing');
    const { code, stderr } = await bare([], { SLUICE_DATA_DIR: empty });
    expect([code, existsSync(empty)]).toEqual([1, false]);
    expect(stderr).toContain('There is no key, and no database of a server at');
    // Nor does it take the store of this machine for a server that was named.
    const named = await bare(['--url', 'https://sluice.test'], { SLUICE_DATA_DIR: server.dataDir });
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('There is no key for https://sluice.test')]);
  });

  it('gives the link to the browser as one argument, and says where to find it without one', async () => {
    const bin = mkdtempSync(join(folder, 'bin-'));
    const seen = join(bin, 'seen');
    // Moved into place, so that what is read is whole.
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "$SLUICE_API_KEY" > '${seen}.new'\nmv '${seen}.new' '${seen}'\n`,
    );
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const changed = watched(bin, 'seen');
    const { stdout } = await bare(flags(), { DISPLAY: ':0', PATH: `${bin}:${process.env['PATH']}` });
    expect(stdout).toMatch(/^The console opens in your browser\. If it does not, open this link/);
    await changed;
    const [count, link, key] = readFileSync(seen, 'utf8').split('\n');
    expect([count, key, stdout]).toEqual(['1', '', expect.stringContaining(`    ${link}\n`)]);
    expect((await enter(link!)).status).toBe(200);

    expect((await bare(flags())).stdout).toMatch(/^There is no browser to open here\./);
  });

  it('says which server does not answer, and which key is refused', async () => {
    expect((await bare(flags('wrong-key-of-this-server'))).stderr).toContain('unauthenticated');
    // The last test: the server is gone from here on.
    await server.end('SIGKILL');
    const { code, stderr } = await bare(['--print'], { SLUICE_DATA_DIR: server.dataDir });
    const told = `${server.url} does not answer: is the server running?`;
    expect([code, stderr]).toEqual([1, expect.stringContaining(told)]);
  });
});

/** Resolves when the folder has the file. */
function watched(inside: string, name: string): Promise<void> {
  return new Promise((done) => {
    const watcher = watch(inside, () => {
      if (!readdirSync(inside).includes(name)) return;
      watcher.close();
      done();
    });
  });
}
