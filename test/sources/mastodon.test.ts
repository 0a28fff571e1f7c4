/** Mastodon against a server that speaks its protocol: a stream that replays nothing, and a timeline that can be asked. */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { mastodon, mastodonOptions } from '../../src/sources/kinds/mastodon.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { openServer } from './server.ts';
import { PATIENCE, passages, stage } from './stage.ts';

const status = (number: number, more: object = {}) => ({
  id: String(100_000_000_000_000_000n + (BigInt(number) << 16n)),
  uri: `https://social.example/users/ada/statuses/${number}`,
  url: `https://social.example/@ada/${number}`,
  content: `<p>Storm number ${number}, <a href="https://social.example/tags/storm">#<span>storm</span></a></p><p>Stay &quot;in&quot;</p>`,
  spoiler_text: '',
  language: 'en',
  created_at: '2026-11-15T08:30:00.000Z',
  edited_at: null,
  ...more,
});
type Status = ReturnType<typeof status>;

/** A server with a list of posts; who streams hears new ones, and missed ones are in the timeline. */
async function openMastodon(options: { timeline?: number; change?: (list: Status[]) => unknown } = {}) {
  const posts: Status[] = [];
  const streams = new Set<ServerResponse>();
  const server = await openServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    if (pathname.startsWith('/api/v1/streaming/')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':)\n\n');
      streams.add(response);
      return;
    }
    if (options.timeline !== undefined) return void response.writeHead(options.timeline).end();
    const after = BigInt(searchParams.get('min_id')!);
    const found = posts.filter(({ id }) => BigInt(id) > after).slice(0, Number(searchParams.get('limit')));
    const { change = (list) => list } = options;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(change(found.toReversed())));
  });
  const send = (event: string, data: unknown) => {
    for (const stream of streams)
      stream.write(`event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  };
  return Object.assign(server, {
    streams,
    send,
    /** Posts them: those who listen hear them, others must ask. */
    post(...numbers: number[]) {
      for (const number of numbers) {
        posts.push(status(number));
        send('update', status(number));
      }
    },
    cut() {
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
  });
}

const sourceAt = (url: string, options = {}) => mastodon('masto', mastodonOptions.parse({ url, ...options }));
const idOf = (number: number) => `masto:${status(number).id}`;

describe('mastodon', () => {
  beforeAll(loadLanguages);

  it('makes a page of a post, and of an edit another one', async () => {
    await using server = await openMastodon();
    await using test = stage(sourceAt(server.url, { token: 'secret' }));
    await listening(server);
    server.send('update', status(1));
    server.send('delete', status(0).id);
    server.send('status.update', status(1, { content: '<p>Calm now</p>', edited_at: '2026-11-15T09:00:00.000Z' }));
    await test.until(() => test.pages.length === 2);
    expect(test.erased).toEqual([idOf(0)]);
    expect(test.pages[0]).toMatchObject({
      id: idOf(1),
      url: 'https://social.example/@ada/1',
      domain: ['social.example'],
      language: 'en',
      publish_time: '2026-11-15T08:30:00',
    });
    expect(test.pages.map(passages)).toEqual([['+Storm number 1, #storm\nStay "in"'], ['+Calm now']]);
    expect(server.requests[0]?.url).toBe('/api/v1/streaming/public');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('follows a hashtag, of the server alone', async () => {
    await using server = await openMastodon();
    await using test = stage(sourceAt(server.url, { hashtag: 'storm', local: true }));
    await listening(server);
    server.post(1);
    await test.until(() => test.pages.length === 1);
    expect(server.requests[0]?.url).toBe('/api/v1/streaming/hashtag/local?tag=storm');
  });

  it('reads in the timeline what was posted while it was away, each post once', async () => {
    await using server = await openMastodon();
    await using test = stage(sourceAt(server.url));
    await listening(server);
    server.post(1, 2);
    await test.until(() => test.pages.length === 2);
    server.cut();
    server.post(...Array.from({ length: 95 }, (_, at) => at + 3));
    await test.until(() => test.pages.length >= 97);
    await listening(server);
    server.post(98);
    await test.until(() => test.pages.length >= 98);
    expect(test.pages.map(({ id }) => id)).toEqual(Array.from({ length: 98 }, (_, at) => idOf(at + 1)));
  });

  it('goes on without a timeline that is closed, and says so', async () => {
    await using server = await openMastodon({ timeline: 401 });
    await using test = stage(sourceAt(server.url));
    await listening(server);
    server.post(1);
    await test.until(() => test.pages.length === 1);
    server.cut();
    await test.until(() => test.troubles.some((trouble) => trouble.includes('answered 401')));
    await listening(server);
    server.post(2);
    await test.until(() => test.pages.length === 2);
  });

  /** Posts 1, is cut off, and posts 2 to 4: what is stored and told of the break. */
  async function breakWith(change: (list: Status[]) => unknown) {
    await using server = await openMastodon({ change });
    await using test = stage(sourceAt(server.url));
    await listening(server);
    server.post(1);
    await test.until(() => test.pages.length === 1);
    server.cut();
    server.post(2, 3, 4);
    await test.until(() => test.troubles.length > 1);
    return { stored: test.pages.map(({ id }) => id), troubles: test.troubles, gaps: test.gaps, status: test.status };
  }

  it('takes the other posts of a page in which one cannot be read, and tells of that one', async () => {
    const broken = (list: Status[]) => list.map((one) => (one.id === status(3).id ? { ...one, content: null } : one));
    const { stored, troubles, gaps, status: now } = await breakWith(broken);
    expect(stored).toEqual([1, 2, 4].map(idOf));
    expect(troubles.at(-1)).toMatch(/^Items of 127\.0\.0\.1:\d+ are missing: 1 that cannot be read\.$/);
    expect(gaps).toMatchObject([{ cause: 'source_unread', recovered: false }]);
    expect(now.unread).toBe(1);
  });

  it('takes a post with a field that cannot be read, without it, and tells of it', async () => {
    const { stored, gaps } = await breakWith((list) => list.map((one) => ({ ...one, tags: 'storm' })));
    expect(stored).toEqual([1, 2, 3, 4].map(idOf));
    expect(gaps).toMatchObject([{ cause: 'source_unread', recovered: false }]);
  });

  it('does not take an answer of another shape for an empty timeline', async () => {
    const { troubles, status: now } = await breakWith(() => '<html>Log in</html>');
    expect(troubles.at(-1)).toContain('no list of posts');
    expect(now.state).toBe('waiting');
  });

  it.each([
    ['empty', () => []],
    ['the same page', (list: Status[]) => (list.length > 0 ? list : [status(1)])],
  ])('says what is lost when the timeline is %s', async (_, change) => {
    const { troubles, status: now } = await breakWith(change);
    expect(troubles.at(-1)).toMatch(/^The timeline .* are missing\.$/);
    expect(now.hasLost).toBe(true);
  });

  async function listening(server: { streams: Set<ServerResponse> }): Promise<void> {
    await expect.poll(() => server.streams.size, PATIENCE).toBeGreaterThan(0);
  }
});
