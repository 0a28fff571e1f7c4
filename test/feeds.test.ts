/** Feeds at secret addresses, over HTTP: what readers get, judged by readers that are not ours. */
import { execFileSync } from 'node:child_process';
import Parser from 'rss-parser';
import { describe, expect, it } from 'vitest';
import { hasPythonModule, PYTHON } from './stages/debian.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
const hasFeedparser = hasPythonModule('feedparser', 'python3-feedparser');

/** Texts that break writers: markup, the end of CDATA, characters that XML forbids, half a pair, bidi overrides. */
const HARD = 'lava <script>alert(1)</script> & ]]> "q" \u0000\u0008\u001b\ufffe\uffff a\u202eb 🌋 &lt;b&gt;';
const SHOWN = 'lava <script>alert(1)</script> & ]]> "q"  ab 🌋 <b>';

interface Urls {
  readonly atom: string;
  readonly rss: string;
  readonly json: string;
}

async function call<Answer>(app: App, name: string, payload: object, key = OPERATOR_KEY): Promise<Answer> {
  const url = name.startsWith('/') ? name : `/api.${name}`;
  const answer = await app.http.inject({ method: 'POST', url, headers: { authorization: `Bearer ${key}` }, payload });
  return answer.json<Answer>();
}

const createRule = async (app: App, word = 'lava') =>
  (
    await call<{ rule_id: string }>(app, 'CreateRule', {
      name: `secret rule name ${word}`,
      intent: '',
      platforms: ['x', 'firehose'],
      overrides: { x: word, firehose: word },
    })
  ).rule_id;

const push = (app: App, platform: string, ...events: object[]) =>
  app.http.inject({
    method: 'POST',
    url: `/events?platform=${platform}`,
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    payload: events.map((event) => JSON.stringify(event)).join('\n'),
  });

const post = (id: number, text: string) => ({ data: { id: String(id), text } });

async function feedApp(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp({ publicUrl: 'https://watch.example', ...options });
  const rule_id = await createRule(app);
  const feed = (input: object = {}) =>
    call<{ feed_id: string; urls: Urls }>(app, 'CreateFeed', { name: 'Lava <&> news', rule_id, ...input });
  const read = (url: string, given: Record<string, string> = {}) =>
    app.http.inject({ url: url.replace('https://watch.example', ''), headers: given });
  return Object.assign(app, { rule_id, feed, read });
}

/** Checks what JSON Feed 1.1 demands, in its own words. */
function checkJsonFeed(feed: Record<string, unknown>): void {
  expect(feed['version']).toBe('https://jsonfeed.org/version/1.1');
  expect(feed['title']).toBeTypeOf('string');
  const items = feed['items'] as Record<string, unknown>[];
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  for (const item of items) {
    expect(item['id']).toBeTypeOf('string');
    expect(item['content_text'] ?? item['content_html']).toBeTypeOf('string');
    for (const name of ['date_published', 'date_modified'])
      expect(item[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    for (const name of ['url', 'external_url'].filter((one) => one in item))
      expect(URL.canParse(item[name] as string)).toBe(true);
    for (const author of (item['authors'] ?? []) as object[]) expect(Object.keys(author)).not.toEqual([]);
    for (const tag of (item['tags'] ?? []) as unknown[]) expect(tag).toBeTypeOf('string');
  }
  for (const name of ['feed_url', 'next_url'].filter((one) => one in feed))
    expect(URL.canParse(feed[name] as string)).toBe(true);
  expect(feed['next_url']).not.toBe(feed['feed_url']);
  for (const hub of (feed['hubs'] ?? []) as Record<string, unknown>[])
    expect([typeof hub['type'], typeof hub['url']]).toEqual(['string', 'string']);
}

describe('a feed', () => {
  it('has the matches of its rule, newest first, the same in all three formats', async () => {
    await using app = await feedApp();
    await push(app, 'x', post(1, HARD));
    app.clock.forward(5_000);
    await push(app, 'firehose', {
      id: 'p',
      url: 'https://news.example/a?b=1&c=2',
      title: 'Lava & "ash"',
      added: ['lava flows'],
    });
    const { urls } = await app.feed();
    const json = (await app.read(urls.json)).json<{ items: Record<string, unknown>[] } & Record<string, unknown>>();
    checkJsonFeed(json);
    expect(json).toMatchObject({ title: 'Lava <&> news', feed_url: urls.json });
    expect(json.items).toMatchObject([
      {
        title: 'Lava & "ash"',
        url: 'https://news.example/a?b=1&c=2',
        tags: ['firehose'],
        authors: [{ name: 'news.example' }],
      },
      { url: 'https://x.com/i/status/1', content_text: SHOWN, tags: ['x'] },
    ]);
    const parser = new Parser();
    for (const [url, type] of [
      [urls.atom, 'application/atom+xml'],
      [urls.rss, 'application/rss+xml'],
    ] as const) {
      const answer = await app.read(url);
      expect(answer.headers['content-type']).toBe(`${type}; charset=utf-8`);
      const { title, items } = await parser.parseString(answer.body);
      expect(title).toBe('Lava <&> news');
      expect(items.map((item) => [item.title, item.link, item['guid'] ?? item['id'], item.isoDate])).toEqual(
        json.items.map((item) => [
          item['title'],
          item['url'],
          item['id'],
          item['date_published']?.toString().replace(/\.\d+Z/, answer.body.includes('<rss') ? '.000Z' : '$&'),
        ]),
      );
      expect(items[1]!.content).toContain('lava &lt;script&gt;alert(1)&lt;/script&gt; &amp; ]]&gt;');
    }
  });

  it('has nothing of the account in it, and no other rule’s matches', async () => {
    await using app = await feedApp();
    await createRule(app, 'ash');
    await push(app, 'x', post(1, 'lava'), post(2, 'ash'));
    const { urls } = await app.feed();
    for (const url of Object.values(urls)) {
      const body = (await app.read(url)).body.replaceAll(url, '');
      expect(body).toContain('lava');
      expect(body).not.toMatch(/ash|(rule|acct|key|feed|match)_0|secret rule name|default/);
    }
    const all = await app.feed({ rule_id: undefined });
    expect((await app.read(all.urls.json)).json<{ items: object[] }>().items).toHaveLength(2);
  });

  it('lists stories with stable ids, and updates the one that is joined', async () => {
    await using app = await feedApp();
    const text = 'lava is flowing down the northern slope of the mountain towards the village tonight';
    await push(app, 'x', post(1, text));
    const { urls } = await app.feed({ what: 'stories' });
    const items = async () =>
      (await app.read(urls.json))
        .json<{ items: Record<string, string>[] }>()
        .items.map(({ id, title, content_text, date_published, date_modified }) => ({
          id,
          title,
          content_text,
          date_published,
          date_modified,
        }));
    const [first] = await items();
    app.clock.forward(60_000);
    await push(app, 'x', post(2, text));
    const [joined, ...others] = await items();
    expect(others).toEqual([]);
    expect(joined).toMatchObject({
      id: first!['id'],
      title: first!['title'],
      date_published: first!['date_published'],
    });
    expect(Date.parse(joined!['date_modified']!) - Date.parse(first!['date_modified']!)).toBe(60_000);
    expect(joined!['content_text']).toContain('2 matches, the last at 2026-11-15 08:01 UTC.');
  });

  it('goes on at the next link, page by page, each match once', async () => {
    await using app = await feedApp();
    await push(app, 'x', ...Array.from({ length: 120 }, (_, n) => post(n, `lava ${n}`)));
    const { urls } = await app.feed();
    const ids: string[] = [];
    let pages = 0;
    for (let url: string | undefined = urls.json; url !== undefined; pages++) {
      const page: { items: { id: string }[]; next_url?: string } = (await app.read(url)).json();
      ids.push(...page.items.map(({ id }) => id));
      url = page.next_url;
    }
    expect([pages, ids.length, new Set(ids).size]).toEqual([3, 120, 120]);
    const atom = (await app.read(urls.atom)).body;
    const next = /rel="next"[^>]*href="([^"]+)"/.exec(atom)![1]!;
    expect((await app.read(next)).body).toContain(`rel="self" type="application/atom+xml" href="${next}"`);
    expect((await app.read(`${urls.atom}?cursor=made-up`)).statusCode).toBe(400);
  });

  it('stays under 2 MiB for the longest and most escaped texts', async () => {
    await using app = await feedApp();
    const worst = `lava ${'<&'.repeat(5_000)}`;
    for (let n = 0; n < 50; n++) await push(app, 'x', post(n, worst));
    const { urls } = await app.feed();
    for (const url of Object.values(urls)) {
      const answer = await app.read(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.rawPayload.length).toBeLessThan(2 * 1024 * 1024);
      expect(answer.rawPayload.length).toBeGreaterThan(url === urls.json ? 200_000 : 1_500_000);
    }
  });
});

describe('a reader of a feed', () => {
  it('is told by the tag that nothing changed, until something has', async () => {
    await using app = await feedApp();
    await push(app, 'x', post(1, 'lava'));
    const { urls } = await app.feed();
    const first = await app.read(urls.atom);
    expect(first.headers).toMatchObject({ 'cache-control': 'private, max-age=60', 'x-robots-tag': 'noindex' });
    const { etag } = first.headers as { etag: string };
    const known: Record<string, string>[] = [
      { 'if-none-match': etag },
      { 'if-none-match': `"other", W/${etag}` },
      { 'if-none-match': '*' },
    ];
    for (const given of known) {
      const again = await app.read(urls.atom, given);
      expect([again.statusCode, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    }
    await push(app, 'x', post(2, 'more lava'));
    expect((await app.read(urls.atom, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('does not take an erased post for one that it still has, whatever date it asks by', async () => {
    await using app = await feedApp();
    await push(app, 'x', post(1, 'lava'));
    app.clock.forward(60_000);
    await push(app, 'x', post(2, 'more lava'));
    app.clock.forward(60_000);
    const { urls } = await app.feed();
    const { 'last-modified': date = app.clock.now().toUTCString() } = (await app.read(urls.atom)).headers;
    await call(app, 'DeleteMatches', { platform: 'x', platform_post_id: '2' });
    const read = await app.read(urls.atom, { 'if-modified-since': date });
    expect([read.statusCode, read.body.includes('more lava')]).toEqual([200, false]);
  });

  it('is in the usage of the account, once for a page that readers share', async () => {
    await using app = await feedApp();
    const { urls } = await app.feed();
    const turns = async () => {
      const { accounts } = await call<{ accounts: { turns: number }[] }>(app, 'ListUsage', { by: 'turns' });
      return accounts[0]?.turns ?? 0;
    };
    const before = await turns();
    for (let reads = 0; reads < 3; reads++) expect((await app.read(urls.atom)).statusCode).toBe(200);
    expect((await turns()) - before).toBe(1);
  });

  it('may ask for the head alone', async () => {
    await using app = await feedApp();
    const { urls } = await app.feed();
    const whole = await app.read(urls.rss);
    const head = await app.http.inject({ method: 'HEAD', url: new URL(urls.rss).pathname });
    expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', whole.headers['etag']]);
    expect(head.headers['content-length']).toBe(String(whole.rawPayload.length));
  });

  it('with a wrong address gets the same answer whatever is wrong with it', async () => {
    await using app = await feedApp();
    const { urls } = await app.feed();
    const path = new URL(urls.atom).pathname;
    const answers = await Promise.all(
      [
        path.replace(/.{6}\.atom$/, 'AAAAAA.atom'),
        '/feeds/x.atom',
        path.replace('.atom', '.xml'),
        path.replace('.atom', ''),
        '/feeds/.atom',
        `/feeds/${'a'.repeat(90)}.json`,
      ].map((url) => app.http.inject({ url, headers: { 'x-request-id': 'same' } })),
    );
    expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`))).toEqual(
      new Set(['404 {"code":"not_found","message":"There is no feed at this address.","details":{}}']),
    );
  });

  it('is held to a number of requests, and a search for secrets to a sixth of it', async () => {
    await using app = await feedApp({ rateLimit: 600 });
    const { urls } = await app.feed();
    for (let n = 0; n < 120; n++) expect((await app.read(urls.json)).statusCode).toBe(200);
    const refused = await app.read(urls.json);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json()).toMatchObject({ code: 'resource_exhausted', details: { limit_code: 'feed_requests' } });
    app.clock.forward(60_000);
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push((await app.http.inject(`/feeds/${n}.atom`)).statusCode);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 404), 429]);
  });

  it('finds the hub where one is set, in the feed and in the headers', async () => {
    await using app = await feedApp({ websubHub: 'https://hub.example/' });
    const { urls } = await app.feed();
    const { body, headers: told } = await app.read(urls.atom);
    expect(told['link']).toBe(`<https://hub.example/>; rel="hub", <${urls.atom}>; rel="self"`);
    expect(body).toContain('<link rel="hub" href="https://hub.example/"/>');
    expect((await app.read(urls.rss)).body).toContain('<atom:link rel="hub" href="https://hub.example/"/>');
    const json = (await app.read(urls.json)).json<Record<string, unknown>>();
    checkJsonFeed(json);
    expect(json['hubs']).toEqual([{ type: 'WebSub', url: 'https://hub.example/' }]);
  });
});

describe('the addresses of a feed', () => {
  it('work until the feed or its rule is deleted, again when the rule is restored, and are in no list', async () => {
    await using app = await feedApp();
    const { feed_id, urls } = await app.feed();
    const listed = await call<{ feeds: object[] }>(app, 'ListFeeds', {});
    expect(listed.feeds).toEqual([
      {
        id: feed_id,
        name: 'Lava <&> news',
        rule_id: app.rule_id,
        what: 'matches',
        created_at: app.clock.now().toISOString(),
      },
    ]);
    const other = await app.newAccount('other');
    expect(await call(app, 'DeleteFeed', { feed_id }, other)).toMatchObject({ code: 'not_found' });
    expect((await app.read(urls.atom)).statusCode).toBe(200);
    expect(await call(app, 'DeleteFeed', { feed_id })).toEqual({});
    for (const url of Object.values(urls)) expect((await app.read(url)).statusCode).toBe(404);
    const second = await app.feed();
    await call(app, 'DeleteRule', { rule_id: app.rule_id });
    expect((await app.read(second.urls.atom)).statusCode).toBe(404);
    expect((await call<{ feeds: object[] }>(app, 'ListFeeds', {})).feeds).toMatchObject([{ rules_gone: true }]);
    await call(app, 'RestoreRule', { rule_id: app.rule_id });
    expect((await app.read(second.urls.atom)).statusCode).toBe(200);
  });

  it('are neither in the audit log nor in the log, where the feed itself is', async () => {
    await using app = await feedApp();
    const { feed_id, urls } = await app.feed();
    await app.read(urls.atom);
    await call(app, 'DeleteFeed', { feed_id });
    const { changes } = await call<{ changes: { what: string; id: string }[] }>(app, 'ListChanges', { kind: 'feed' });
    expect(changes.map(({ what, id }) => [what, id])).toEqual([
      ['feed.deleted', feed_id],
      ['feed.created', feed_id],
    ]);
    const secret = /feeds\/(.+)\.atom/.exec(urls.atom)![1]!;
    expect(secret.length).toBe(43);
    expect(JSON.stringify([changes, app.logged])).not.toContain(secret);
  });

  it('are paths where the server does not know its address, and the feed says how it was reached', async () => {
    await using app = await feedApp({ publicUrl: undefined });
    const { urls } = await app.feed();
    expect(urls.atom).toMatch(/^\/feeds\/[\w-]{43}\.atom$/);
    const answer = await app.http.inject({ url: urls.json, headers: { host: 'sluice.local:4800' } });
    expect(answer.json()).toMatchObject({ feed_url: `http://sluice.local:4800${urls.json}` });
    const evil = await app.http.inject({ url: urls.json, headers: { host: 'evil"><script>' } });
    expect(evil.body).not.toContain('evil');
  });

  it('are made by full keys alone, a hundred of an account', async () => {
    await using app = await feedApp();
    const { key } = await call<{ key: string }>(app, 'CreateKey', { name: 'reader', scope: 'read' });
    expect(await call(app, 'CreateFeed', { name: 'n' }, key)).toMatchObject({ code: 'permission_denied' });
    expect(await call(app, 'CreateFeed', { name: 'n', rule_id: 'rule_unknown' })).toMatchObject({ code: 'not_found' });
    for (let n = 0; n < 100; n++) expect(await app.feed()).toHaveProperty('feed_id');
    expect(await app.feed()).toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'feeds', limit: 100 },
    });
  });
});

describe.skipIf(!hasFeedparser)('feedparser: a feed', () => {
  it('is well-formed to Python’s feedparser, with the titles, links, ids and dates that are in it', async () => {
    await using app = await feedApp();
    await push(app, 'x', post(1, HARD), post(2, 'lava again'));
    const { urls } = await app.feed();
    const { items } = (await app.read(urls.json)).json<{
      items: { id: string; title: string; url: string; date_published: string }[];
    }>();
    const script = `
import feedparser, json, sys, calendar
feed = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps({ 'bozo': int(feed.bozo), 'version': feed.version, 'title': feed.feed.title,
  'entries': [[e.id, e.title, e.link, calendar.timegm(e.published_parsed)] for e in feed.entries] }))`;
    for (const [url, version] of [
      [urls.atom, 'atom10'],
      [urls.rss, 'rss20'],
    ] as const) {
      const { rawPayload } = await app.read(url);
      const read = JSON.parse(execFileSync(PYTHON, ['-c', script], { input: rawPayload, encoding: 'utf8' })) as object;
      expect(read).toEqual({
        bozo: 0,
        version,
        title: 'Lava <&> news',
        entries: items.map(({ id, title, url: link, date_published }) => [
          id,
          title,
          link,
          Math.floor(Date.parse(date_published) / 1_000),
        ]),
      });
    }
  });
});
