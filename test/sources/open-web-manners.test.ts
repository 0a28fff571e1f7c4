/** The duties of each of these sources to its site: pauses, tokens, robots.txt; and what each makes of an item. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { xAnalyzer } from '../../src/engine/events/x-event.ts';
import { unzipped } from '../../src/sources/fetch/unzip.ts';
import { arxiv } from '../../src/sources/kinds/arxiv.ts';
import { gdelt, slotsAfter } from '../../src/sources/kinds/gdelt.ts';
import { linesOf, pageOfRecord } from '../../src/sources/kinds/gdelt-record.ts';
import { github } from '../../src/sources/kinds/github.ts';
import { readShortForm, readSource } from '../../src/sources/kinds/kinds.ts';
import { lemmy } from '../../src/sources/kinds/lemmy.ts';
import { reddit } from '../../src/sources/kinds/reddit.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { gdeltFile, itemOf, SITES, slotName, zipped } from './open-web-sites.ts';
import { type Answerer, openServer } from './server.ts';
import { PATIENCE, passages, reader, stage } from './stage.ts';

beforeAll(loadLanguages);

const siteOf = (kind: string) => SITES.find((site) => site.kind === kind)!;
const serving =
  (kind: string, ...numbers: number[]): Answerer =>
  (request, response) => {
    const items = numbers.map((number) => itemOf(number)).toReversed();
    const { body, headers = {} } = siteOf(kind).answer(request, items, `http://${request.headers.host}`);
    response.writeHead(200, headers).end(body);
  };
const json =
  (value: unknown): Answerer =>
  (_, response) =>
    void response.writeHead(200).end(JSON.stringify(value));

const GITHUB = { repos: ['hesper/volcano'], events: true, releases: true, advisories: false, pause: 0, every: 0.002 };

describe('github', () => {
  it('leaves its lists to the reading thread', async () => {
    const read = vi.spyOn(reader, 'feed');
    await using server = await openServer(json([]));
    await using test = stage(
      github('gh', { ...GITHUB, releases: false, advisories: true, url: server.url, web: server.url }),
    );
    await test.until(() => read.mock.calls.length >= 2);
    const lists = read.mock.calls.map(([{ list }]) => list);
    read.mockRestore();
    expect(new Set(lists)).toEqual(new Set(['github-advisories', 'github-events']));
  });

  it('waits as long as X-Poll-Interval says, also after an answer without news', async () => {
    await using server = await openServer((request, response) => {
      if (request.headers['if-none-match'] === undefined) response.writeHead(200, { etag: '"v1"' }).end('[]');
      else response.writeHead(304, { 'x-poll-interval': '3600' }).end();
    });
    await using test = stage(github('gh', { ...GITHUB, releases: false, url: server.url, web: server.url }));
    await expect.poll(() => server.requests.length, PATIENCE).toBe(2);
    await test.until(() => test.status.state === 'live');
    expect(server.requests).toHaveLength(2);
  });

  it('sends the token to its API alone: not to the site, not after a redirect, not to the next page elsewhere', async () => {
    const other = await openServer(json([]), '127.0.0.2');
    await using web = await openServer(serving('reddit', 1));
    await using api = await openServer((request, response) => {
      if (request.url!.includes('/advisories')) response.writeHead(302, { location: `${other.url}/moved` }).end();
      else
        response
          .writeHead(200, { link: `<${other.url}/next>; rel="next"` })
          .end(request.url!.includes('moved') ? '[]' : '[]');
    });
    await using test = stage(
      github('gh', { ...GITHUB, advisories: true, token: 'secret', url: api.url, web: web.url }),
    );
    await test.until(() => test.pages.length === 1);
    await expect.poll(() => other.requests.length, PATIENCE).toBeGreaterThan(0);
    const sent = (requests: typeof api.requests) => new Set(requests.map(({ headers }) => headers.authorization));
    expect(sent(api.requests)).toEqual(new Set(['Bearer secret']));
    expect(sent([...web.requests, ...other.requests])).toEqual(new Set([undefined]));
    expect(other.requests.map(({ url }) => url)).not.toContain('/next');
    await test.stop();
    await other[Symbol.asyncDispose]();
  });

  it('makes pages of releases, advisories, pushes and comments, and a release is one page', async () => {
    const event = (id: number, type: string, payload: object) => ({
      id: String(id),
      type,
      repo: { name: 'hesper/volcano' },
      payload,
    });
    const events = [
      event(4, 'ReleaseEvent', { release: { name: 'v2', body: 'twice' } }),
      event(3, 'PushEvent', { ref: 'refs/heads/main', commits: [{ message: 'Cool the lava' }] }),
      event(2, 'IssueCommentEvent', {
        issue: { title: 'Ash' },
        comment: { body: 'It rains ash', html_url: 'https://g.example/c' },
      }),
      event(1, 'CreateEvent', { ref_type: 'tag', ref: 'v1' }),
      { nonsense: true },
    ];
    const advisory = {
      ghsa_id: 'GHSA-1',
      cve_id: 'CVE-2026-1',
      summary: 'Lava leaks',
      description: 'Hot.',
      severity: 'high',
      html_url: 'https://g.example/a',
      vulnerabilities: [{ package: { ecosystem: 'npm', name: 'lava' } }],
    };
    await using server = await openServer((request, response) => {
      if (request.url!.includes('.atom')) return serving('reddit', 9)(request, response);
      json(request.url!.includes('/advisories') ? [advisory] : events)(request, response);
    });
    await using test = stage(github('gh', { ...GITHUB, advisories: true, url: server.url, web: server.url }));
    await test.until(() => test.pages.length === 5);
    const shown = test.pages.map((page) => `${String(page['title'])} | ${passages(page).join('|')}`).toSorted();
    expect(shown).toEqual([
      'GHSA-1, CVE-2026-1: Lava leaks | +lava\nhigh\nHot.',
      'Report 9 | +The volcano of Hesper erupts, report 9',
      'hesper/volcano: Ash | +It rains ash',
      'hesper/volcano: create tag v1 | +create tag v1',
      'hesper/volcano: push refs/heads/main | +Cool the lava',
    ]);
    expect(test.troubles.join()).toContain('1 that cannot be read');
  });
});

it('arxiv yields a paper of two categories once, and takes a page that is cut short for a failure', async () => {
  let cuts = 3;
  await using server = await openServer((request, response) => {
    if (cuts-- > 0)
      response
        .writeHead(200)
        .end('<feed xmlns="http://www.w3.org/2005/Atom"><opensearch:totalResults>7</opensearch:totalResults></feed>');
    else serving('arxiv', 1, 2)(request, response);
  });
  await using test = stage(
    arxiv('papers', { categories: ['cs.LG', 'cs.AI'], days: 4, every: 0.002, pause: 0, url: server.url }),
  );
  await test.until(() => test.cursors.size === 2 && test.pages.length === 2);
  expect(test.troubles.filter((trouble) => trouble.includes('cut short'))).toHaveLength(3);
  expect(server.requests.at(-1)!.url).toMatch(/cat%3Acs\..*submittedDate%3A%5B\d{8}0000\+TO\+\d{8}0000%5D/);
});

describe('reddit', () => {
  const options = { subreddits: ['volcanoes'], comments: false, every: 0.002, pause: 0 };
  const withRobots =
    (robots: string): Answerer =>
    (request, response) =>
      request.url === '/robots.txt'
        ? void response.writeHead(200).end(robots)
        : serving('reddit', 1)(request, response);

  it('asks robots.txt, and reads what it allows, or what the operator has the permission for', async () => {
    await using closed = await openServer(withRobots('User-agent: *\nDisallow: /'));
    await using refused = stage(reddit('r', { ...options, permitted: false, url: closed.url }));
    await refused.until(() => refused.troubles.length > 0);
    expect(refused.troubles[0]).toContain('Set `permitted: true`');
    expect(new Set(closed.requests.map(({ url }) => url))).toEqual(new Set(['/robots.txt']));
    await using open = await openServer(withRobots('User-agent: *\nDisallow: /user/'));
    await using allowed = stage(reddit('r', { ...options, permitted: false, url: open.url }));
    await allowed.until(() => allowed.pages.length === 1);
    await using permitted = stage(reddit('r', { ...options, permitted: true, url: closed.url }));
    await permitted.until(() => permitted.posts.length === 1);
    expect(permitted.posts[0]).toMatchObject({
      data: { text: 'Report 1\nThe volcano of Hesper erupts, report 1', author_id: 'ada', lang: 'en' },
      includes: { users: [{ id: 'ada', username: 'ada' }] },
      url: 'https://items.example/1',
    });
  });
});

describe('lemmy', () => {
  const creator = { actor_id: 'https://l.example/u/ada', name: 'ada', display_name: 'Ada', bio: 'Counts' };
  const post = {
    id: 7,
    name: 'Ash over #Hesper',
    body: 'See https://a.example/b',
    url: 'https://news.example/ash',
    ap_id: 'https://l.example/post/7',
    published: '2026-11-15T08:30:00.123456',
  };
  const comment = {
    id: 9,
    content: 'It rains & ash',
    ap_id: 'https://l.example/comment/9',
    path: '0.8.9',
    published: '2026-11-15T08:31:00Z',
  };

  it('makes posts of X of posts and comments, with replies, links and authors', async () => {
    await using server = await openServer((request, response) =>
      json(
        request.url!.includes('/comment/')
          ? { comments: [{ comment, creator, post }] }
          : { posts: [{ post, creator }] },
      )(request, response),
    );
    await using test = stage(
      lemmy('l', {
        communities: ['volcano@l.example'],
        local: true,
        comments: true,
        every: 0.002,
        pause: 0,
        url: server.url,
      }),
    );
    await test.until(() => test.posts.length === 2);
    expect(server.requests[0]!.url).toBe(
      '/api/v3/post/list?type_=Local&sort=New&limit=50&community_name=volcano%40l.example',
    );
    const [first, second] = test.posts.toSorted((one, other) => (one.url! < other.url! ? 1 : -1));
    expect(first!.data).toMatchObject({
      text: 'Ash over #Hesper\nSee https://a.example/b',
      author_id: 'https://l.example/u/ada',
      created_at: '2026-11-15T08:30:00.000Z',
      entities: {
        hashtags: [{ tag: 'Hesper', start: 9, end: 16 }],
        urls: [{ url: 'https://a.example/b', start: 21, end: 40 }, { url: 'https://news.example/ash' }],
      },
    });
    expect(second!.data.text).toBe('It rains &amp; ash');
    const conversation = first!.data['conversation_id'] as string;
    expect(first!.data.id.startsWith(`${conversation}/`)).toBe(true);
    expect(second!.data).toMatchObject({ conversation_id: conversation, referenced_tweets: [{ type: 'replied_to' }] });
    for (const one of test.posts) expect(isRejection(xAnalyzer()(one))).toBe(false);
  });

  it('leaves its lists to the reading thread, and looks for tags and links only in what becomes the post', async () => {
    const [read, search] = [vi.spyOn(reader, 'feed'), vi.spyOn(String.prototype, 'matchAll')];
    const long = { ...post, body: '#a '.repeat(60_000) };
    await using server = await openServer(json({ posts: [{ post: long, creator }] }));
    const options = { communities: [], local: false, comments: false, every: 3_600, pause: 0, url: server.url };
    await using test = stage(lemmy('l', options));
    await test.until(() => test.posts.length === 1);
    const lists = read.mock.calls.map(([{ list }]) => list);
    const longest = Math.max(...search.mock.contexts.map((text) => String(text).length));
    read.mockRestore();
    search.mockRestore();
    expect([lists, longest]).toEqual([['lemmy-posts'], 25_000]);
  });

  it('counts a pinned post for nothing when it looks for what it knows', async () => {
    let numbers = [1];
    await using server = await openServer((request, response) => serving('lemmy', ...numbers)(request, response));
    await using test = stage(siteOf('lemmy').create(server.url));
    await test.until(() => test.pages.length === 2);
    await test.stop();
    numbers = Array.from({ length: 80 }, (_, at) => at + 1);
    test.start();
    await test.until(() => test.pages.length === 81);
    expect(test.gaps).toEqual([]);
  });
});

describe('gdelt', () => {
  const OPTIONS = { translated: false, catch_up: 48, every: 0.002, pause: 0 };

  it('waits for a file that is missing or damaged, and tells of a gap when newer ones are there', async () => {
    let newest = 3;
    const bodies = new Map<number, Buffer>();
    await using server = await openServer((request, response) => {
      const number = Array.from({ length: 20 }, (_, at) => at).find((at) => request.url!.includes(slotName(at)));
      if (number === undefined)
        return void response.end(String(siteOf('gdelt').answer(request, [itemOf(newest)], 'http://a').body));
      const body = bodies.get(number) ?? (number === 5 ? undefined : gdeltFile(itemOf(number)));
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    await using test = stage(gdelt('news', { ...OPTIONS, url: server.url }), slotName(2));
    await test.until(() => test.pages.length === 1);
    newest = 8;
    bodies.set(4, gdeltFile(itemOf(4)).subarray(0, 100));
    await expect.poll(() => test.cursors.get('source:news'), PATIENCE).toBe(slotName(4));
    const asked = server.asked(`/${slotName(5)}.gkg.csv.zip`);
    await expect.poll(() => server.asked(`/${slotName(5)}.gkg.csv.zip`), PATIENCE).toBeGreaterThan(asked + 2);
    expect(test.pages).toHaveLength(1);
    newest = 9;
    await expect.poll(() => test.cursors.get('source:news'), PATIENCE).toBe(slotName(9));
    expect(test.pages.map(({ url }) => url!.slice(-1))).toEqual(['3', '6', '7', '8', '9']);
    const minutes = test.gaps.map(({ from, to, recovered }) => [(to.getTime() - from.getTime()) / 60_000, recovered]);
    expect(minutes).toEqual([
      [15, false],
      [15, false],
    ]);
    expect(test.troubles.join()).toContain(`The file ${slotName(4)} of GDELT is left out: A zip archive is damaged.`);
  });

  it('refuses an archive that unpacks to more than is allowed, whatever its directory says', async () => {
    const drain = async (archive: Buffer, most: number) => {
      let bytes = 0;
      for await (const chunk of unzipped(archive, most)) bytes += chunk.length;
      return bytes;
    };
    const bomb = zipped('a', Buffer.alloc(20_000_000));
    expect(bomb.length).toBeLessThan(30_000);
    await expect(drain(bomb, 1_000_000)).rejects.toThrow('more than 1000000 bytes');
    const lying = Buffer.from(bomb);
    lying.writeUInt32LE(10, bomb.length - 22 - 47 + 24);
    await expect(drain(lying, 1_000_000)).rejects.toThrow('more than 1000000 bytes');
    await expect(drain(bomb.subarray(0, -30), 1e9)).rejects.toThrow('damaged');
    for (let cut = 0; cut < bomb.length; cut += 997)
      await expect(
        drain(Buffer.concat([bomb.subarray(0, cut), Buffer.from('x'), bomb.subarray(cut + 1)]), 1e5),
      ).rejects.toThrow(/./);
    expect(await drain(bomb, 20_000_000)).toBe(20_000_000);
  });

  it('skips a record that is too long or is none, and knows the language of a translated one', async () => {
    async function* chunks() {
      yield Buffer.from('first\nsec');
      yield Buffer.from(`ond\n${'x'.repeat(2_000_000)}`);
      yield Buffer.from('more\nlast');
    }
    const lines: string[] = [];
    for await (const line of linesOf(chunks())) lines.push(line);
    expect(lines).toEqual(['first', 'second', '', 'last']);
    expect(pageOfRecord('news', '', { translated: false })).toBeUndefined();
    const columns = Array.from({ length: 27 }, () => '');
    Object.assign(columns, {
      0: '20261115083000-T1',
      1: '20261115083000',
      4: 'https://a.example/1',
      25: 'srclc:fra;eng:Moses',
      26: '<PAGE_TITLE>L&#xE9;gers orages</PAGE_TITLE>',
    });
    expect(pageOfRecord('news', columns.join('\t'), { translated: true })).toMatchObject({
      id: 'news:20261115083000-T1',
      title: 'Légers orages',
      language: 'fr',
      publish_time: '2026-11-15T08:30:00',
    });
  });

  it('reads the newest file first, then all since, as far as it is told', () => {
    const [quarter, now] = [15 * 60_000, 100 * 3_600_000];
    const slots = (done: number | undefined, hours: number) =>
      [...slotsAfter(done, now, { catch_up: hours })].map((at) => (at - now) / quarter);
    expect(slots(undefined, 1)).toEqual([0]);
    expect(slots(now - 3 * quarter, 1)).toEqual([-2, -1, 0]);
    expect(slots(0, 1)).toEqual([-4, -3, -2, -1, 0]);
    expect(slots(now, 1)).toEqual([]);
  });
});

it.each<Record<string, unknown>>([
  { kind: 'feeds', urls: ['https://a.example/'] },
  { kind: 'watch', urls: ['https://a.example/'] },
  { kind: 'github', repos: ['a/b'] },
  { kind: 'arxiv', categories: ['cs.LG'] },
  { kind: 'youtube', channels: ['UC_x5XG1OV2P6uZZ5FSM9Ttw'] },
  { kind: 'reddit', subreddits: ['volcanoes'] },
  { kind: 'lemmy' },
  { kind: 'gdelt' },
])('$kind pauses for a minute at most, and is visited once a week at least', (given) => {
  expect(readSource({ ...given, pause: 60, every: 604_800 })).toHaveProperty('options');
  const refused = readSource({ ...given, pause: 61, every: 604_801 });
  expect(
    'problems' in refused && Object.fromEntries(refused.problems.map(({ path, message }) => [path, message])),
  ).toEqual({
    pause: 'must be at most 60',
    every: 'must be at most 604800',
  });
});

it('the short form names what each of them reads, several times', () => {
  const given = 'github:a/b,github:c/d,arxiv:cs.LG,youtube:UC_x5XG1OV2P6uZZ5FSM9Ttw,reddit@x:volcanoes,lemmy,gdelt';
  const sources = readShortForm(given).map((one) => readSource(one));
  expect(sources).toMatchObject([
    { kind: 'github', options: { repos: ['a/b', 'c/d'] }, platforms: ['firehose'] },
    { kind: 'arxiv', options: { categories: ['cs.LG'] } },
    { kind: 'youtube', options: { every: 900 } },
    { kind: 'reddit', options: { subreddits: ['volcanoes'], permitted: false }, platforms: ['x'] },
    { kind: 'lemmy', platforms: ['x', 'firehose'] },
    { kind: 'gdelt', platforms: ['firehose'] },
  ]);
  expect(readSource({ kind: 'github', repos: ['a/b/../c'] })).toHaveProperty('problems');
  expect(readSource({ kind: 'youtube@x' })).toHaveProperty('problems');
});
