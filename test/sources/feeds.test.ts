/** Feeds against a server that changes, refuses, moves, packs and breaks them. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { feeds } from '../../src/sources/kinds/feeds.ts';
import { changesIn, type EntryVersion, type Memory } from '../../src/sources/kinds/listing-memory.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { type Answerer, openServer } from './server.ts';
import { PATIENCE, passages, stage } from './stage.ts';

const item = (number: number, text = `Storm number ${number} has reached the coast`) =>
  `<item><guid isPermaLink="false">tag:${number}</guid><title>Storm ${number}</title><link>/storms/${number}</link>
   <pubDate>Sat, 15 Nov 2025 08:30:00 GMT</pubDate><description><![CDATA[<p>${text}</p>]]></description></item>`;

const rss = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>Storms</title><link>https://storms.example/</link>${items.join('')}</channel></rss>`;

const sourceAt = (urls: string[], options = {}) =>
  feeds('news', { urls, every: 0.01, pause: 0, first: 'whole', ...options });

const xml = (response: ServerResponse, text: string | Buffer, headers = {}) =>
  response.writeHead(200, { 'content-type': 'application/rss+xml', ...headers }).end(text);

/** Answers its looks in turn; the last answer is repeated. */
const inTurn = (...answers: Answerer[]): Answerer => {
  let looks = 0;
  return (request, response) => answers[Math.min(looks++, answers.length - 1)]!(request, response);
};

describe('feeds', () => {
  beforeAll(loadLanguages);

  it('skip an item with a link of 12,000 characters, keep the others, and do not read it again', async () => {
    const hostile = `<item><guid>h</guid><title>H</title><link>http://a.example/${'a'.repeat(12_000)}</link></item>`;
    const longId = `<item><guid isPermaLink="false">${'i'.repeat(500_000)}</guid><title>${'t'.repeat(500_000)}</title></item>`;
    await using server = await openServer((_, response) => xml(response, rss(item(2), hostile, longId, item(1))));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(4);
    expect(test.pages.map(({ title }) => title)).toEqual(['Storm 1', 'Storm 2']);
    expect(test.troubles).toEqual([
      `Items of ${server.url}/feed.xml are missing: 1 with a link of more than 8192 characters, 1 with an id of more than 8192 characters.`,
    ]);
    expect(test.gaps).toMatchObject([{ cause: 'source_unread', recovered: false }]);
    expect(test.status).toMatchObject({ state: 'live', events: 2 });
  });

  it('with long fields of their own repeat them with no entry', async () => {
    const long = 'x'.repeat(1_000_000);
    const feed = `<rss><channel><title>${long}</title><link>https://a.example/${long}</link><language>${long}</language>
      ${'<item><title>Storm</title></item>'.repeat(3)}${item(1)}</channel></rss>`;
    await using server = await openServer((_, response) => xml(response, feed));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await test.until(() => test.pages.length === 2);
    for (const page of test.pages) expect(JSON.stringify(page).length).toBeLessThan(5_000);
    expect(test.pages.map(({ url }) => url)).toEqual([`${server.url}/storms/1`, `${server.url}/feed.xml`]);
  });

  it('keep to themselves what may be a secret in their address', async () => {
    const unlinked = '<rss><channel><title>Storms</title><item><title>Storm</title></item></channel></rss>';
    const answer = inTurn(
      (_, response) => xml(response, unlinked),
      (_, response) => response.writeHead(503).end(),
    );
    await using server = await openServer(answer);
    await using test = stage(sourceAt([`${server.url}/feed.xml?page=2&token=hush`]));
    await test.until(() => test.pages.length === 1 && test.troubles.length > 0);
    expect(test.pages[0]).toMatchObject({
      url: `${server.url}/feed.xml?page=2`,
      source: { original: { feed: `${server.url}/feed.xml?***` } },
    });
    expect(test.troubles[0]).toBe(`${new URL(server.url).host} answered 503 for ${server.url}/feed.xml?***.`);
    expect(JSON.stringify([test.pages, test.troubles, test.status])).not.toContain('hush');
  });

  it('make a page of each entry, oldest first', async () => {
    await using server = await openServer((_, response) => xml(response, rss(item(2), item(1))));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await test.until(() => test.pages.length === 2);
    expect(test.pages[0]).toMatchObject({
      url: `${server.url}/storms/1`,
      domain: ['127.0.0.1'],
      title: 'Storm 1',
      language: 'en',
      publish_time: '2025-11-15T08:30:00',
      page_types: ['/Article'],
      source: { name: 'news', original: { feed: `${server.url}/feed.xml`, feed_title: 'Storms', id: 'tag:1' } },
    });
    expect(test.pages.map(passages)).toEqual([
      ['+Storm number 1 has reached the coast'],
      ['+Storm number 2 has reached the coast'],
    ]);
  });

  it('yield what is new and what was changed, and an entry as it was not again, after a restart neither', async () => {
    const long = (end: string) => item(1, `The first line stays.</p><p>${end}`);
    let feed = rss(long('The storm is far.'));
    await using server = await openServer((_, response) => xml(response, feed));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await test.until(() => test.pages.length === 1);
    await test.stop();
    feed = rss(item(2), long('The storm is near.'));
    test.start();
    await test.until(() => test.pages.length === 3);
    await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(5);
    expect(test.pages.slice(1).map(passages)).toEqual([
      ['-The storm is far.', '+The storm is near.'],
      ['+Storm number 2 has reached the coast'],
    ]);
    feed = rss(item(2), long('The storm is far.'));
    await test.until(() => test.pages.length === 4);
    expect(passages(test.pages[3]!)).toEqual(['-The storm is near.', '+The storm is far.']);
    expect(new Set(test.pages.map(({ id }) => id)).size).toBe(4);
  });

  it('are yielded again when they could not be stored', async () => {
    await using server = await openServer((_, response) => xml(response, rss(item(1))));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    test.fault.commits = 3;
    await test.until(() => test.pages.length === 1);
    expect(test.fault.fired).toBe(3);
  });

  it('are asked for with what the server told last time', async () => {
    const asked: (string | undefined)[][] = [];
    await using server = await openServer((request, response) => {
      asked.push([request.headers['if-none-match'], request.headers['if-modified-since']]);
      if (request.headers['if-none-match'] === '"v1"') return void response.writeHead(304).end();
      xml(response, rss(item(1)), { etag: '"v1"', 'last-modified': 'Sat, 15 Nov 2025 08:30:00 GMT' });
    });
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await expect.poll(() => asked.length, PATIENCE).toBeGreaterThan(3);
    expect(asked.slice(0, 2)).toEqual([
      [undefined, undefined],
      ['"v1"', 'Sat, 15 Nov 2025 08:30:00 GMT'],
    ]);
    expect(test.pages).toHaveLength(1);
    expect(test.status.state).toBe('live');
  });

  it('are left alone for as long as a busy server asks, with all other feeds of that host', async () => {
    const busy: Answerer = (_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end();
    await using server = await openServer(busy);
    await using other = await openServer((_, response) => xml(response, rss(item(1))));
    await using test = stage(sourceAt([`${server.url}/one.xml`, `${server.url}/two.xml`, `${other.url}/feed.xml`]));
    await test.until(() => test.pages.length === 1 && test.troubles.length === 2);
    expect(server.requests).toHaveLength(1);
    expect(test.troubles.map((trouble) => trouble.replace(/127\S+/g, 'host'))).toEqual([
      'host answered 429 for http://host',
      'host wants no requests at the moment.',
    ]);
  });

  it('are tried again after 503, a broken connection, silence, nonsense and what is no feed', async () => {
    await using server = await openServer(
      inTurn(
        (_, response) => void response.writeHead(503, { 'retry-after': '0' }).end(),
        (request) => request.socket.destroy(),
        (_, response) =>
          void response.writeHead(200, { 'content-length': '9999' }).write('<rss>', () => response.destroy()),
        (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed'),
        (_, response) => void response.writeHead(200).end('<html><body>Please log in</body></html>'),
        (_, response) => xml(response, rss(item(1))),
      ),
    );
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await test.until(() => test.pages.length === 1);
    expect(test.troubles).toHaveLength(5);
    expect(test.troubles.at(-1)).toContain('is not a feed');
  });

  it('that are gone are not asked for again soon, and the source is not well', async () => {
    const gone: Answerer = ({ url }, response) =>
      url === '/gone' ? void response.writeHead(410).end() : xml(response, rss(item(1)));
    await using server = await openServer(gone);
    await using test = stage(sourceAt([`${server.url}/gone`, `${server.url}/feed.xml`]));
    await expect.poll(() => server.asked('/feed.xml'), PATIENCE).toBeGreaterThan(4);
    expect(test.status).toMatchObject({ state: 'blind', through: undefined });
    expect(server.asked('/gone')).toBe(1);
    await using only = stage(sourceAt([`${server.url}/gone`]));
    await expect.poll(() => only.status.state, PATIENCE).toBe('waiting');
  });

  it('that are empty after they were full, or cut off, are failures, and nothing of them is lost', async () => {
    let feed = rss(item(2), item(1));
    await using server = await openServer((_, response) => xml(response, feed));
    await using test = stage(sourceAt([`${server.url}/feed.xml`]));
    await expect.poll(() => test.status.state, PATIENCE).toBe('live');
    feed = rss();
    await expect.poll(() => test.status.state, PATIENCE).toBe('waiting');
    expect(test.troubles.at(-1)).toContain('lists nothing, and had entries before');
    const whole = rss(item(4), item(3), item(2), item(1));
    feed = whole.slice(0, whole.indexOf('<item>', whole.indexOf('<item>') + 1) + 30);
    await test.until(() => test.pages.length === 3);
    expect(test.troubles.at(-1)).toContain('is cut off in the middle');
    expect(test.status.state).toBe('waiting');
    feed = whole;
    await expect.poll(() => test.status.state, PATIENCE).toBe('live');
    expect(test.pages.map(({ title }) => title)).toEqual(['Storm 1', 'Storm 2', 'Storm 4', 'Storm 3']);
    expect(test.gaps).toEqual([]);
  });

  it('are read though broken, packed, moved and in other encodings', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Orages</title><entry><id>a</id><link href="b/c"/><title type="html">L&amp;eacute;gers orages</title><summary>Le vent se lève</summary></entry></feed>`;
    const paths: Record<string, Answerer> = {
      '/broken': (_, response) =>
        xml(response, rss(item(1)).replace('</description>', '<br>').replace('</channel></rss>', '')),
      '/packed': (_, response) => xml(response, gzipSync(rss(item(2))), { 'content-encoding': 'gzip' }),
      '/moved': (_, response) => void response.writeHead(301, { location: '/moved/on' }).end(),
      '/moved/on': (_, response) => void response.writeHead(307, { location: `${server.url}/moved/there` }).end(),
      '/moved/there': (_, response) => xml(response, rss(item(3))),
      '/latin': (_, response) =>
        xml(response, Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${atom}`, 'latin1'), {
          'content-type': 'text/xml',
        }),
      '/wide': (_, response) =>
        xml(response, Buffer.from(`\ufeff${atom}`, 'utf16le'), { 'content-type': 'application/atom+xml' }),
      '/json': (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/feed+json' }).end(
          JSON.stringify({
            version: 'https://jsonfeed.org/version/1.1',
            title: 'J',
            items: [{ id: '1', url: 'https://j.example/1', content_html: '<b>Storm</b> near' }],
          }),
        ),
    };
    await using server = await openServer((request, response) => paths[request.url!]!(request, response));
    const urls = ['/broken', '/packed', '/moved', '/latin', '/wide', '/json'].map((path) => `${server.url}${path}`);
    await using test = stage(sourceAt(urls));
    await test.until(() => test.pages.length === 6);
    const byFeed = (path: string) =>
      test.pages.find(({ source }) => (source.original as { feed: string }).feed.endsWith(path))!;
    expect(passages(byFeed('/broken'))).toEqual(['+Storm number 1 has reached the coast']);
    expect(byFeed('/packed')).toMatchObject({ title: 'Storm 2' });
    expect(byFeed('/moved')).toMatchObject({ title: 'Storm 3', url: `${server.url}/storms/3` });
    for (const path of ['/latin', '/wide']) {
      expect(byFeed(path)).toMatchObject({ title: 'Légers orages', url: `${server.url}/b/c`, language: 'fr' });
      expect(passages(byFeed(path))).toEqual(['+Le vent se lève']);
    }
    expect(passages(byFeed('/json'))).toEqual(['+Storm near']);
  });

  it('may be empty, give one id to all, or be JSON of a careless kind', async () => {
    const same = (title: string) => `<item><guid>same</guid><title>${title}</title></item>`;
    const careless = { items: [{ id: 7, title: 'Number', date_published: 5 }, 'nonsense'] };
    const bodies: Record<string, string> = {
      '/empty': rss(),
      '/same': rss(same('One'), same('Two')),
      '/json': JSON.stringify(careless),
    };
    await using server = await openServer(({ url }, response) => xml(response, bodies[url!]!));
    await using test = stage(sourceAt(Object.keys(bodies).map((path) => `${server.url}${path}`)));
    await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(9);
    expect(test.pages.map((page) => String(page['title'])).toSorted()).toEqual(['Number', 'One', 'Two']);
    const missing = '1 that can be read only in part, 1 that cannot be read';
    expect([...new Set(test.troubles)].toSorted()).toEqual(
      [
        `${server.url}/empty has listed nothing so far. An empty list and a broken one look the same.`,
        `Items of ${server.url}/json are missing: ${missing}.`,
      ].toSorted(),
    );
  });

  it('tell of hundreds of items that cannot be read once, and then of those that are new', async () => {
    let count = 150;
    const bodyOf = () => JSON.stringify({ items: [{ id: 7, title: 'Number' }, ...Array(count).fill('nonsense')] });
    await using server = await openServer((_, response) => xml(response, bodyOf()));
    await using test = stage(sourceAt([`${server.url}/json`]));
    const told = (missing: number) => `Items of ${server.url}/json are missing: ${missing} that cannot be read.`;
    await test.until(() => test.troubles.length === 1);
    const looks = server.requests.length;
    await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(looks + 3);
    count = 152;
    await test.until(() => test.troubles.length === 2);
    expect(test.troubles).toEqual([told(150), told(2)]);
  });

  it('may begin in silence', async () => {
    let feed = rss(item(1));
    await using server = await openServer((_, response) => xml(response, feed));
    await using test = stage(sourceAt([`${server.url}/feed.xml`], { first: 'skip' }));
    await test.until(() => test.cursors.size === 1);
    feed = rss(item(2), item(1));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]).toMatchObject({ title: 'Storm 2' });
  });
});

it('an entry of very many lines is compared without regard to their order: a list may have five hundred of them', async () => {
  const changes: EntryVersion['change'][] = [];
  const rules = {
    eventsOf({ change }: EntryVersion) {
      changes.push(change);
      return { page: {} as never };
    },
  };
  const entry = { id: 'a', title: 't', summary: '', link: undefined, published: undefined, updated: undefined };
  const feed = { title: '', link: undefined, description: '', updated: undefined, skipped: [] };
  const read = (lines: readonly number[], memory: Partial<Pick<Memory, 'entries'>> = {}) => {
    const entries = [{ ...entry, content: lines.join('\n'), language: undefined }];
    return changesIn(rules, 'https://a.example/feed', { ...feed, entries }, memory);
  };
  for (const count of [100, 200]) {
    const lines = Array.from({ length: count }, (_, index) => index);
    const { entries } = await read(lines);
    await read([...lines.toReversed(), count], { entries });
  }
  expect(changes[1]!.added).toHaveLength(100);
  expect(changes[3]!.added).toEqual(['200']);
});

it('a change that happens a second time has an id of its own, and the same one when the visit is repeated', async () => {
  const ids: string[] = [];
  const rules = {
    eventsOf({ id }: EntryVersion) {
      ids.push(id);
      return { page: {} as never };
    },
  };
  const entry = { id: 'a', title: 't', summary: '', link: undefined, published: undefined, updated: undefined };
  const feed = { title: '', link: undefined, description: '', updated: undefined, skipped: [] };
  const read = (content: string, memory: Partial<Memory>) =>
    changesIn(
      rules,
      'https://a.example/feed',
      { ...feed, entries: [{ ...entry, content, language: undefined }] },
      memory,
    );
  let memory: Partial<Memory> = {};
  for (const content of ['29', '39', '29', '39']) {
    await read(content, memory);
    memory = await read(content, memory);
  }
  const [first, again, dearer, , cheaper, , dearerAgain, repeated] = ids;
  expect([again, repeated]).toEqual([first, dearerAgain]);
  expect(dearerAgain).toBe(`${dearer}/2`);
  // As it was before changes had numbers: what was matched then is no news after an upgrade.
  expect(dearer?.split('/')).toHaveLength(3);
  expect(new Set([first, dearer, cheaper, dearerAgain]).size).toBe(4);
  // An entry that comes back unchanged keeps its number.
  expect((await read('39', memory)).changes).toEqual(memory.changes);
});
