/** The log of certificates as someone outside sees it: over HTTP, with the client, the command and the verifier in Python. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLog, findInLog, LogForkError, verifyLogged } from '../packages/client/src/index.ts';
import { logCertificate } from '../src/service/matches/certificate-log.ts';
import { PROGRAM } from './black-box/program.ts';
import { environment } from './black-box/server.ts';
import { hasPython, sampleCertificate } from './campaign/certificates.ts';
import { forksOf, judgedByClient, judgedByPython } from './campaign/witness.ts';
import { type App, startApp } from './stages/http-app.ts';

const SEED = 20_261_117;
const VERIFIER = resolve(import.meta.dirname, '../clients/python/sluice/certificates.py');
const folder = mkdtempSync(join(tmpdir(), 'sluice-witness-'));
afterAll(() => rmSync(folder, { recursive: true }));

type AppOptions = Parameters<typeof startApp>[0];

/** An installation whose log has a certificate for each number. Its key is the same each time, unless `secret` is another. */
async function installation(numbers: readonly number[], secret = 7, options: AppOptions = {}) {
  const app = await startApp({ delivery: { sealingKey: Buffer.alloc(32, secret) }, ...options });
  const certificates: Buffer[] = [];
  for (const number of numbers) certificates.push((await issue(app, number)).certificate);
  const read = (url: string, headers: Record<string, string> = {}) => app.http.inject({ url, headers });
  /** The client calls this instead of the network. */
  const ask = async (address: string | URL | Request) => {
    const { pathname, search } = new URL(address instanceof Request ? address.url : address);
    const { statusCode, body } = await read(`${pathname}${search}`);
    return new Response(body, { status: statusCode });
  };
  const at = { url: 'http://log.example', fetch: ask };
  return { app, certificates, read, at, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function issue({ context }: App, number: number) {
  const certificate = sampleCertificate(number, context.signer);
  return { certificate, log: await logCertificate(context, certificate.toString(), context.clock.now()) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

describe('a witness that remembers one head', () => {
  it('finds every fork, whatever proof it is shown, and takes no honest log for one', async () => {
    const forks = await forksOf(160, SEED);
    const all = { found: 160, taken: 160, missed: [] };
    expect(await judgedByClient(forks), `seed ${SEED}`).toEqual(all);
    expect(hasPython ? judgedByPython(forks) : all, `seed ${SEED}`).toEqual(all);
  });

  it('follows a log that is only added to', async () => {
    await using log = await installation([]);
    let head = await checkLog(log.at);
    expect(head).toMatchObject({ size: 0, at: null, public_key: log.app.context.signer.publicKey });
    for (const number of range(0, 20)) {
      await issue(log.app, number);
      head = await checkLog({ ...log.at, remembered: [head] });
      expect(head.size).toBe(number + 1);
    }
  });

  it.each([
    ['another certificate in an old place', range(50, 55)],
    ['one fewer', range(0, 4)],
    ['none at all', []],
    ['the same in another order, and more', [1, 0, 2, 3, 4, 5, 6]],
  ])('finds a log that has %s', async (_, others) => {
    await using log = await installation(range(0, 5));
    await using fork = await installation(others);
    const remembered = [await checkLog(log.at)];
    await expect(checkLog({ ...fork.at, remembered })).rejects.toThrow(LogForkError);
  });

  it('finds that the key is another one, unless it was told of it', async () => {
    await using log = await installation(range(0, 5));
    await using moved = await installation(range(0, 6), 8);
    const remembered = [await checkLog(log.at)];
    await expect(checkLog({ ...moved.at, remembered })).rejects.toThrow(LogForkError);
    // The certificates of another key are others, so the log is another one too.
    const key = moved.app.context.signer.publicKey;
    await expect(checkLog({ ...moved.at, remembered, key })).rejects.toThrow('does not begin with the 5');
    expect((await checkLog({ ...moved.at, key })).size).toBe(6);
  });
});

describe('a certificate', () => {
  it('is in the log that it came with, and in every later one', async () => {
    await using log = await installation(range(0, 6));
    const { certificate, log: logged } = await issue(log.app, 6);
    expect(logged.index).toBe(6);
    expect(await verifyLogged(certificate, logged)).toMatchObject({ matches: 6 });
    for (const number of range(7, 12)) await issue(log.app, number);
    const head = await checkLog({ ...log.at, remembered: [logged.head] });
    for (const [index, one] of log.certificates.entries()) {
      const found = await findInLog(one, head, log.at);
      expect(found).toMatchObject({ index, head: { size: 12 } });
      await verifyLogged(one, found);
    }
  });

  it('is refused with the place of another, with a log of another key, and when the log has not got it', async () => {
    await using log = await installation(range(0, 6));
    await using other = await installation(range(0, 6), 8);
    const head = await checkLog(log.at);
    const place = await findInLog(log.certificates[2]!, head, log.at);
    await expect(verifyLogged(log.certificates[3]!, place)).rejects.toThrow('It is not certificate 2 of the log.');
    const moved = { ...place, index: 3 };
    await expect(verifyLogged(log.certificates[2]!, moved)).rejects.toThrow('It is not certificate 3 of the log.');
    await expect(verifyLogged(other.certificates[2]!, place)).rejects.toThrow('It is signed with the key');
    const unlogged = sampleCertificate(99, log.app.context.signer);
    await expect(findInLog(unlogged, head, log.at)).rejects.toMatchObject({ code: 'not_found' });
    await expect(verifyLogged(unlogged, place)).rejects.toThrow('It is not certificate 2 of the log.');
  });

  it('that is logged again keeps its place', async () => {
    await using log = await installation(range(0, 3));
    expect((await issue(log.app, 1)).log).toMatchObject({ index: 1, head: { size: 2 } });
    expect((await checkLog(log.at)).size).toBe(3);
  });
});

describe('the paths of the log', () => {
  it('list the hashes page by page, and nothing of what certificates say', async () => {
    await using log = await installation(range(0, 5));
    const { body } = await log.read('/certificates/log?limit=3');
    const page = JSON.parse(body) as { leaves: string[] };
    expect(page).toEqual({ from: 0, size: 5, leaves: expect.any(Array), next: 3 });
    expect(page.leaves.every((leaf) => /^[\w-]{43}$/.test(leaf)) && page.leaves.length === 3).toBe(true);
    const rest = (await log.read('/certificates/log?from=3')).json() as { leaves: string[] };
    expect(rest).toMatchObject({ from: 3, next: null });
    expect(new Set([...page.leaves, ...rest.leaves]).size).toBe(5);
    expect((await log.read('/certificates/log?from=999999999999999')).json()).toMatchObject({ leaves: [], next: null });
  });

  it.each([
    ['/certificates/log?from=-1', 'from'],
    ['/certificates/log?from=1e3', 'from'],
    ['/certificates/log?from=9999999999999999', 'from'],
    ['/certificates/log?limit=0', 'limit'],
    ['/certificates/log?limit=1001', 'limit'],
    ['/certificates/log?size=1', 'size'],
    ['/certificates/proof', 'leaf'],
    ['/certificates/proof?size=3', 'leaf'],
    ['/certificates/proof?leaf=', 'leaf'],
    ['/certificates/proof?leaf=-1', 'leaf'],
    ['/certificates/proof?leaf=1.5', 'leaf'],
    ['/certificates/proof?leaf=0&size=6', 'size'],
    ['/certificates/proof?leaf=0&size=999999999999999', 'size'],
    ['/certificates/proof?leaf=0&size=NaN', 'size'],
    ['/certificates/proof?leaf=0&size=1&size=2', 'size'],
    ['/certificates/proof?leaf=0&from=1', 'from'],
    ['/certificates/proof?from=6', 'from'],
    ['/certificates/proof?from=4&to=3', 'from'],
    ['/certificates/proof?from=1&to=6', 'to'],
    ['/certificates/proof?from=0x1&to=2', 'from'],
  ])('refuse %s', async (path, field) => {
    await using log = await installation(range(0, 5));
    const { statusCode, body } = await log.read(path);
    expect([statusCode, JSON.parse(body)]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_argument',
        details: { issues: [expect.objectContaining({ path: field })] },
      }),
    ]);
  });

  it.each(['leaf=5', 'leaf=3&size=3', 'leaf=0&size=0', `leaf=${'A'.repeat(43)}`])(
    'have no certificate at %s',
    async (query) => {
      await using log = await installation(range(0, 5));
      const { statusCode, body } = await log.read(`/certificates/proof?${query}`);
      expect([statusCode, JSON.parse(body)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    },
  );

  it('answer proofs of sizes that stay what they are from caches, and heads never without asking again', async () => {
    await using log = await installation(range(0, 5));
    const cached = async (path: string) => (await log.read(`/certificates/${path}`)).headers['cache-control'];
    expect(await Promise.all(['head', 'log', 'proof?leaf=0', 'proof?from=1', 'heads.atom'].map(cached))).toEqual(
      Array.from({ length: 5 }, () => 'no-cache'),
    );
    expect(await Promise.all(['log?limit=4', 'proof?leaf=0&size=3', 'proof?from=1&to=2'].map(cached))).toEqual(
      Array.from({ length: 3 }, () => 'public, max-age=3600'),
    );
    const { headers, body } = await log.read('/certificates/head');
    const again = await log.read('/certificates/head', { 'if-none-match': String(headers['etag']) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    // A head of one size is the same text, whenever it is asked for.
    log.app.clock.forward(60_000);
    expect((await log.read('/certificates/head')).body).toBe(body);
  });

  it('take no parameters where there are none to take', async () => {
    await using log = await installation([]);
    for (const path of ['head?size=1', 'heads.json?cursor=1'])
      expect((await log.read(`/certificates/${path}`)).json()).toMatchObject({ code: 'invalid_argument' });
  });

  it('answer one address 120 times a minute, and then say when to come again', async () => {
    await using log = await installation([0], 7, { rateLimit: 600 });
    for (const _ of range(0, 120)) expect((await log.read('/certificates/head')).statusCode).toBe(200);
    const refused = await log.read('/certificates/proof?leaf=0');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json()).toMatchObject({ code: 'resource_exhausted', details: { per_minute: 120 } });
    log.app.clock.forward(1_000);
    expect((await log.read('/certificates/head')).statusCode).toBe(200);
  });

  it('give the newest heads as a feed, each as a text that can be checked', async () => {
    await using log = await installation(range(0, 25));
    const feed = (await log.read('/certificates/heads.json')).json() as { items: { content_text: string }[] };
    const heads = feed.items.map((item) => JSON.parse(item.content_text) as { size: number });
    expect(heads.map(({ size }) => size)).toEqual(range(6, 26).toReversed());
    expect(heads[0]).toEqual((await log.read('/certificates/head')).json());
    expect((await log.read('/certificates/heads.atom')).body).toContain('<title>Head of 25 certificates</title>');
    expect((await log.read('/certificates/heads.rss')).headers['content-type']).toContain('application/rss+xml');
    await using empty = await installation([]);
    expect((await empty.read('/certificates/heads.json')).json()).toMatchObject({ items: [] });
  });
});

const VERIFIERS = [
  { name: 'sluice verify', command: [process.execPath, PROGRAM, 'verify'] },
  ...(hasPython ? [{ name: 'the verifier in Python', command: ['python3', VERIFIER] }] : []),
];

describe.each(VERIFIERS)('$name', ({ name, command: [program, ...words] }) => {
  const own = mkdtempSync(join(folder, 'run-'));
  const file = join(own, 'c.cert');
  const saved = join(own, 'head.json');

  function run(...args: string[]): Promise<{ status: number | null; text: string }> {
    return new Promise((done) => {
      const child = spawn(program!, [...words, ...args], { env: environment({ NO_COLOR: '1' }) });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part: Buffer) => {
          text += part.toString();
        });
      child.once('close', (status) => done({ status, text }));
    });
  }

  async function listening(numbers: readonly number[]) {
    const log = await installation(numbers);
    await log.app.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = log.app.http.server.address() as AddressInfo;
    return Object.assign(log, { url: `http://127.0.0.1:${port}` });
  }

  it(`checks a certificate with its proof, and with the log, and remembers the head (${name})`, async () => {
    await using log = await listening(range(0, 2));
    const { certificate, log: logged } = await issue(log.app, 2);
    writeFileSync(file, certificate);
    expect(await run(file)).toMatchObject({ status: 0, text: expect.stringContaining('was not looked up in the log') });
    writeFileSync(`${file}.log.json`, JSON.stringify(logged));
    expect(await run(file)).toMatchObject({ status: 0, text: expect.stringContaining('is certificate 2 of the log') });
    await issue(log.app, 3);
    expect(await run(file, '--log', log.url, '--head', saved)).toMatchObject({
      status: 0,
      text: expect.stringContaining('The log has 4 certificates'),
    });
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ size: 4 });
    await issue(log.app, 4);
    expect(await run('--log', log.url, '--head', saved)).toMatchObject({ status: 0 });
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ size: 5 });
  });

  it(`finds a fork, shows both heads, and keeps the one that it remembered (${name})`, async () => {
    await using fork = await listening(range(10, 20));
    const before = readFileSync(saved, 'utf8');
    const { status, text } = await run('--log', fork.url, '--head', saved);
    expect(status).toBe(1);
    expect(text).toContain('does not begin with the 5 that it had');
    expect(text.match(/"signature": ?"[0-9a-f]{128}"/g)).toHaveLength(2);
    expect(readFileSync(saved, 'utf8')).toBe(before);
    // The head that the certificate came with is remembered, too.
    expect(await run(file, '--log', fork.url)).toMatchObject({ status: 1 });
  });

  it(`refuses a certificate with a changed proof, and one that the log has not got (${name})`, async () => {
    await using log = await listening(range(0, 5));
    const logged = JSON.parse(readFileSync(`${file}.log.json`, 'utf8')) as { index: number };
    writeFileSync(`${file}.log.json`, JSON.stringify({ ...logged, index: 1 }));
    expect(await run(file)).toMatchObject({ status: 1, text: expect.stringContaining('not certificate 1 of the log') });
    rmSync(`${file}.log.json`);
    writeFileSync(file, sampleCertificate(77, log.app.context.signer));
    expect(await run(file, '--log', log.url)).toMatchObject({
      status: 1,
      text: expect.stringMatching(/is not in the log/i),
    });
    expect(existsSync(saved)).toBe(true);
  });
});
