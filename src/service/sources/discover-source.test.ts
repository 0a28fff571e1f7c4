import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import { hasSharedData, sharedJson } from '../../../test/stages/shared-data.ts';
import { openVisiting } from '../../../test/stages/visiting.ts';
import { openWeb, rss, type WebAnswer } from '../../../test/stages/web.ts';
import { isPublicAddress } from '../../delivery/webhooks/egress.ts';
import type { ResolveName } from '../../sources/fetch/reach.ts';

const page = (head: string): WebAnswer => ({
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>Harbour</title>${head}</head><body><p>Ships come and go.</p></body></html>`,
});

describe('discover source', () => {
  it('answers what Create Source takes, the fittest first, and stores nothing', async () => {
    const link = '<link rel="alternate" type="application/rss+xml" href="/feed">';
    await using web = await openWeb(({ path }) =>
      path === '/feed' ? rss(['Two', 'One']) : path === '/' ? page(link) : { status: 404 },
    );
    await using test = await openService({ visits: web.visits });
    const alice = await test.caller('alice');
    const { candidates } = await test.call(alice, 'discoverSource', { url: web.url('harbour.example') });
    expect(candidates.map(({ kind, can_add }) => [kind, can_add])).toEqual([
      ['feeds', true],
      ['watch', true],
    ]);
    expect(candidates[0]).toMatchObject({
      name: 'News',
      problem: null,
      options: { urls: [web.url('harbour.example', '/feed')] },
    });
    expect(candidates[1]!.parts).toEqual([{ selector: 'body > p:nth-of-type(1)', text: 'Ships come and go.' }]);
    expect((await test.call(alice, 'listSources')).sources).toEqual([]);
    const { kind, name, options } = candidates[0]!;
    await test.call(alice, 'createSource', { kind, name, options });
  });

  it('puts behind the others what the operator does not let accounts add', async () => {
    const link = '<link rel="alternate" type="application/rss+xml" href="/feed">';
    await using web = await openWeb(({ path }) =>
      path === '/feed' ? rss(['One']) : path === '/' ? page(link) : { status: 404 },
    );
    await using test = await openService({ visits: { ...web.visits, kinds: ['watch'] } });
    const alice = await test.caller('alice');
    const { candidates } = await test.call(alice, 'discoverSource', { url: web.url('harbour.example') });
    expect(candidates.map(({ kind, can_add }) => [kind, can_add])).toEqual([
      ['watch', true],
      ['feeds', false],
    ]);
  });

  it('says what is wrong with an address', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await expect(test.call(alice, 'discoverSource', { url: 'a word' })).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path: 'url' }] },
    });
  });
});

describe('a source that is added paused', () => {
  it('is visited when it is resumed, so that a rule on it sees its first events, for each of its owners', async () => {
    await using web = await openWeb(() => rss(['Two', 'One']));
    await using test = await openVisiting(web);
    for (const name of ['alice', 'bob']) {
      const caller = await test.caller(name);
      const options = { urls: [web.url('harbour.example', '/feed')] };
      const source = { kind: 'feeds', name: 'Harbour', options, paused: true };
      const { source_id } = await test.call(caller, 'createSource', source);
      await test.after(0);
      expect(await test.call(caller, 'getSource', { source_id })).toMatchObject({ status: 'paused', events: 0 });
      const rule = {
        name: 'New',
        intent: '',
        platforms: ['firehose'],
        overrides: { firehose: '*' },
        options: { sources: [source_id] },
      };
      await test.call(caller, 'createRule', rule);
      await test.call(caller, 'updateSource', { source_id, paused: false });
      await test.after(0);
      expect(await test.everyMatch(caller), name).toHaveLength(2);
    }
  });
});

/** A server that must never be connected to, on an address that is private. */
async function openPrivate(address = '127.0.0.1') {
  const reached: string[] = [];
  const server = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(rss(['secret']).body);
  });
  server.on('connection', () => reached.push('connection'));
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    reached,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('private addresses', () => {
  it('are never connected to by discovery, however they are written', async () => {
    await using inside = await openPrivate();
    await using test = await openService({ visits: { isPublic: isPublicAddress } });
    const alice = await test.caller('alice');
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[::]',
      '169.254.169.254',
      '10.0.0.1',
      '[fe80::1]',
      '[fd00::1]',
      '１２７.0.0.1',
    ];
    for (const host of hosts)
      await expect(test.call(alice, 'discoverSource', { url: `http://${host}:${inside.port}/` })).rejects.toMatchObject(
        { code: 'invalid_argument' },
      );
    expect(inside.reached).toEqual([]);
  });

  it('are not reached by what a public page names, redirects to or resolves to later', async () => {
    await using inside = await openPrivate('127.0.0.2');
    const target = `http://127.0.0.2:${inside.port}`;
    const rebound = `http://rebound.example:${inside.port}`;
    const links = [target, rebound, `http://[::ffff:127.0.0.2]:${inside.port}`, `http://2130706434:${inside.port}`];
    await using web = await openWeb(({ path }) => {
      if (path === '/')
        return page(
          `<base href="${target}/">${links.map((to) => `<link rel="alternate" type="application/rss+xml" href="${to}/feed">`).join('')}<link rel="canonical" href="${target}/">`,
        );
      if (path === '/anchors') return page(`<a href="${target}/rss.xml">RSS</a><a href="${rebound}/feed">Feed</a>`);
      if (path === '/robots.txt')
        return { body: `User-agent: *\nSitemap: ${target}/sitemap.xml\nSitemap: ${rebound}/s.xml` };
      if (path === '/sitemap.xml')
        return { body: `<sitemapindex><sitemap><loc>${target}/a.xml</loc></sitemap></sitemapindex>` };
      return { status: 302, headers: { location: path.includes('rss') ? `${rebound}${path}` : `${target}${path}` } };
    });
    // The name is public at first, and private from the second look on.
    const looks = new Map<string, number>();
    const resolve: ResolveName = (hostname, _, callback) => {
      const look = (looks.get(hostname) ?? 0) + 1;
      looks.set(hostname, look);
      const isPrivate = hostname === 'rebound.example' || (hostname === 'flips.example' && look > 1);
      callback(null, [{ address: isPrivate ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    };
    const isPublic = (address: string) => address === '127.0.0.1';
    await using test = await openService({ visits: { isPublic, resolve, pauseMs: 0 } });
    const alice = await test.caller('alice');
    for (const path of ['/', '/anchors', '/elsewhere', '/plain'])
      await test.call(alice, 'discoverSource', { url: web.url('open.example', path) }).catch(() => {});
    await test.call(alice, 'discoverSource', { url: web.url('flips.example') }).catch(() => {});
    expect(web.requests.length).toBeGreaterThan(5);
    expect(inside.reached).toEqual([]);
  });

  it.runIf(hasSharedData)('shared: of the suite are all refused', async () => {
    const urls = sharedJson<{ url: string }[]>('security/ssrf-urls.json');
    const connected: string[] = [];
    const resolve: ResolveName = (hostname, _, callback) => {
      connected.push(hostname);
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    await using test = await openService({ visits: { isPublic: isPublicAddress, resolve } });
    const alice = await test.caller('alice');
    const answered: string[] = [];
    for (const { url } of urls)
      await test.call(alice, 'discoverSource', { url }).then(
        () => answered.push(url),
        () => {},
      );
    expect(urls.length).toBeGreaterThan(50);
    expect(answered).toEqual([]);
  });
});
