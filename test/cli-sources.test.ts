/** Sources of an account from the command line. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { run } from './black-box/cli.ts';
import { KEY, type Started, startServer } from './black-box/server.ts';
import { OPERATOR_KEY, startApp } from './stages/http-app.ts';
import { until } from './stages/receiver.ts';
import { openWeb, rss } from './stages/web.ts';

let server: Started;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const sluice = (...args: string[]) => run(args, { SLUICE_URL: server.url, SLUICE_API_KEY: KEY });
const list = async () => JSON.parse((await sluice('sources', 'list', '--json')).stdout).sources;

it('limits rules to sources in a file of rules, which export, plan and apply keep', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-cli-')), 'rules.yaml');
  const options = { urls: ['https://harbour.invalid/feed'] };
  const { body } = await server.call('POST', '/api.CreateSource', { kind: 'feeds', name: 'Harbour', options });
  await server.call('POST', '/api.CreateRule', {
    name: 'Ships',
    intent: '',
    platforms: ['firehose'],
    overrides: { firehose: '*' },
    options: { sources: [body['source_id']] },
  });
  await sluice('rules', 'export', file);
  expect(readFileSync(file, 'utf8')).toContain('    options:\n      sources:\n        - Harbour\n');
  expect((await sluice('rules', 'plan', file)).stdout).toBe('Nothing to change: 1 rule as in the file.\n');
  expect(await sluice('rules', 'apply', file, '--replace', 'Ships', '--yes')).toMatchObject({ code: 0 });
  const listed = await server.call('GET', '/api.ListRules');
  expect(listed.body['rules']).toMatchObject([{ sources: [body['source_id']] }]);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('Harbour', 'Etna'));
  expect((await sluice('rules', 'plan', file)).stderr).toContain(`${file}:8:11: There is no source Etna.`);
  writeFileSync(file, text.replace('"*"', 'title:ship'));
  expect((await sluice('rules', 'plan', file)).stdout).toContain('firehose: not known: the rule is limited to sources');
  await server.call('POST', '/api.DeleteSource', { source_id: body['source_id'] });
});

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
  expect((await sluice('sources', 'add', 'https://c.invalid/')).stderr).toContain('c.invalid');
});

it('two commands lead from an empty server and the address of a site to a first match', async () => {
  await using web = await openWeb(({ path }) => {
    if (path === '/feed') return rss(['Lava reaches the sea', 'The ferry is late']);
    if (path !== '/') return { status: 404 };
    const body = '<title>Harbour</title><link rel="alternate" type="application/rss+xml" href="/feed"><p>Ships.</p>';
    return { headers: { 'content-type': 'text/html' }, body };
  });
  const clock = { ...systemClock, forward: () => {} };
  await using app = await startApp({ clock, visits: web.visits });
  const url = await app.http.listen({ port: 0, host: '127.0.0.1' });
  const settings = { SLUICE_URL: url, SLUICE_API_KEY: OPERATOR_KEY };
  const told = await run(['rules', 'create', '--name', 'Lava', '--firehose', 'title:lava'], settings);
  expect(told.stderr).toBe('');
  const added = await run(['sources', 'add', web.url('harbour.example')], settings);
  expect(added.stdout).toMatch(/^News is source_\w+\. The server visits it now\.$/m);
  const matches = async () => {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const { payload } = await app.http.inject({ method: 'POST', url: '/matches', headers, payload: {} });
    return (JSON.parse(payload) as { matches: { payload: { title: string }; source_name: string }[] }).matches;
  };
  await until(async () => (await matches()).length > 0);
  expect(await matches()).toMatchObject([{ payload: { title: 'Lava reaches the sea' }, source_name: 'News' }]);
  const limited = ['rules', 'create', '--name', 'All', '--firehose', '*', '--json', '--source'];
  const all = await run([...limited, 'News'], settings);
  expect(JSON.parse(all.stdout)).toMatchObject({ rule_id: expect.stringMatching(/^rule_/) });
  expect((await run([...limited, 'Nothing'], settings)).stderr).toContain('There is no source Nothing.');
  const shown = await run(['rules', 'list', '--json'], settings);
  expect(shown.stdout).toMatch(/"sources":\s*\[\s*"source_/);
});
