/** Sources of an account from the command line. The addresses are no real ones: what is visited is another test's. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';

let server: Started;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const sluice = (...args: string[]) => run(args, { SLUICE_URL: server.url, SLUICE_API_KEY: KEY });
const list = async () => JSON.parse((await sluice('sources', 'list', '--json')).stdout).sources;

it('adds, lists, changes, exports, imports and deletes sources of the account', async () => {
  const secret = join(mkdtempSync(join(tmpdir(), 'sluice-cli-')), 'secret');
  writeFileSync(secret, '{"x-key":"hush"}');
  const added = await sluice(
    'sources',
    'add',
    'feeds:https://a.invalid/feed?a=1&b=2',
    '--name',
    'A & B',
    '--every',
    '300',
    '--slowest',
    '900',
    '--option',
    'first=skip',
    '--secret-file',
    secret,
  );
  expect(added.stdout).toMatch(/^A & B is source_\w+\. The server visits it now\.$/m);
  expect(await list()).toMatchObject([{ name: 'A & B', kind: 'feeds' }]);
  const paused = await sluice('sources', 'update', 'A & B', '--pause', '--every', '600', '--json');
  expect(JSON.parse(paused.stdout)).toMatchObject({
    status: 'paused',
    options: { every: 600, slowest: 900, first: 'skip' },
    secrets: ['secret'],
  });
  const { stdout: opml } = await sluice('sources', 'export');
  expect(opml).toContain('text="A &amp; B"');
  expect(opml).toContain('xmlUrl="https://a.invalid/feed?a=1&amp;b=2"');
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-cli-')), 'feeds.opml');
  writeFileSync(file, opml.replace('</body>', '<outline xmlUrl="https://b.invalid/feed"/></body>'));
  expect((await sluice('sources', 'import', file, '--account')).stdout).toContain('1 feed added to your account');
  expect(await list()).toHaveLength(2);
  expect((await sluice('sources', 'delete', 'A & B', '--yes')).stdout).toContain('is deleted');
  expect((await sluice('sources', 'delete', 'A & B', '--yes')).stderr).toContain('has no source A & B');
  expect((await sluice('sources', 'discover', 'http://127.0.0.1/')).stderr).toContain('private address');
  expect((await sluice('sources', 'discover', 'no address')).stderr).toContain('This is no address of the web.');
  expect((await sluice('sources', 'add', 'https://c.invalid/')).stderr).toContain('feeds:https://c.invalid/');
});
