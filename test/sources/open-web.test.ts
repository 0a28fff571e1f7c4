/** Every source that reads lists of the open web, held to one suite, against stand-ins with the faults of the real ones. */
import { beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Page } from '../../src/sources/contract/page.ts';
import { createSourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { type Item, itemOf, SITES, type Site } from './open-web-sites.ts';
import { type Answerer, openServer } from './server.ts';
import { PATIENCE, stage } from './stage.ts';

beforeAll(loadLanguages);

const SEED = 20_261_115;

/** A stand-in with items to be published and faults to come; each fault takes one request. */
async function openSite(site: Site, first: readonly Item[]) {
  const items = [...first];
  const faults: Answerer[] = [];
  const order = { shuffles: false };
  const random = randomFrom(SEED);
  const server = await openServer((request, response) => {
    const fault = faults.shift();
    if (fault !== undefined) return fault(request, response);
    const newest = items.toReversed();
    const listed = order.shuffles ? newest.toSorted(() => random() - 0.5) : newest;
    const { body, headers = {}, status = 200 } = site.answer(request, listed, `http://${request.headers.host}`);
    if (headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'])
      return void response.writeHead(304).end();
    response.writeHead(status, headers).end(body);
  });
  return { server, items, faults, order, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** As real servers fail. */
const FAULTS: readonly Answerer[] = [
  (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end('Too many requests'),
  (_, response) => void response.writeHead(503, { 'retry-after': '0' }).end('<html>Try again</html>'),
  (_, response) => void response.writeHead(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' }).end(),
  (_, response) =>
    void response.writeHead(200, { 'content-length': '9999' }).write('[{"id":', () => response.destroy()),
  (_, response) => void response.writeHead(200).end('\u0000\ufffd{"garbage": [<<<'),
  (_, response) => void response.writeHead(200).end('<html><body>Please log in</body></html>'),
  (request) => request.socket.destroy(),
  (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed'),
];

const numbersOf = (pages: readonly Page[]): number[] =>
  pages
    .map(({ url }) => Number(/items\.example\/(\d+)/.exec(url ?? '')?.[1]))
    .filter((number) => number > 0)
    .toSorted((one, other) => one - other);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe.each(SITES)('the source $kind', (site) => {
  /** GDELT begins with the newest file, the others with all that is listed. */
  const begun = site.kind === 'gdelt' ? [3] : [1, 2, 3];

  it('brings every item once, through faults, repeats, disorder, failed commits and restarts', async () => {
    await using at = await openSite(
      site,
      upTo(3).map((number) => itemOf(number)),
    );
    at.faults.push(...FAULTS);
    await using test = stage(site.create(at.server.url));
    test.fault.commits = 2;
    const seen = () => numbersOf(test.pages);
    await expect.poll(seen, PATIENCE).toEqual(begun);
    expect([at.faults.length, test.fault.fired]).toEqual([0, 2]);
    expect(test.status.errors).toBeGreaterThanOrEqual(FAULTS.length);
    at.items.push(...upTo(8, 4).map((number) => itemOf(number)));
    at.order.shuffles = true;
    await expect.poll(seen, PATIENCE).toEqual([...begun, ...upTo(8, 4)]);
    await test.stop();
    at.items.push(...upTo(12, 9).map((number) => itemOf(number)));
    test.start();
    at.faults.push(...FAULTS);
    await expect.poll(seen, PATIENCE).toEqual([...begun, ...upTo(12, 4)]);
    const asked = at.server.requests.length;
    await expect.poll(() => at.server.requests.length, PATIENCE).toBeGreaterThan(asked + 5);
    expect(seen()).toEqual([...begun, ...upTo(12, 4)]);
    expect(new Set(test.pages.map(({ id }) => id)).size).toBe(test.pages.length);
    expect(test.gaps).toEqual([]);
    const ids = (site.hasPosts ? test.posts : []).map(({ data }) => data.id);
    expect(ids).toEqual(site.hasPosts ? test.pages.map(({ id }) => id) : []);
  });

  it('goes on after an item of a megabyte', async () => {
    const huge: Item = { number: 2, title: 't'.repeat(1_000_000), text: 'x'.repeat(1_000_000) };
    await using at = await openSite(site, [itemOf(1), huge, itemOf(3)]);
    await using test = stage(site.create(at.server.url));
    await expect.poll(() => numbersOf(test.pages), PATIENCE).toContain(3);
    at.items.push(itemOf(4));
    await expect.poll(() => numbersOf(test.pages), PATIENCE).toContain(4);
    for (const page of test.pages) expect(JSON.stringify(page).length).toBeLessThan(300_000);
  });

  it('makes up for a break as far as the site lists, and tells of a longer one', async () => {
    await using at = await openSite(site, [itemOf(1)]);
    await using test = stage(site.create(at.server.url));
    await expect.poll(() => numbersOf(test.pages), PATIENCE).toEqual([1]);
    await test.stop();
    const short = Math.min(site.lists - 1, 130);
    at.items.push(...upTo(1 + short, 2).map((number) => itemOf(number)));
    test.start();
    await test.until(() => numbersOf(test.pages).length === 1 + short);
    expect(test.gaps).toEqual([]);
    await test.stop();
    const last = 1 + short + site.lists + 30;
    at.items.push(...upTo(last, 2 + short).map((number) => itemOf(number)));
    test.start();
    await test.until(() => numbersOf(test.pages).at(-1) === last);
    expect(test.gaps.every(({ recovered, from, to }) => !recovered && from < to)).toBe(true);
    expect(test.gaps).toHaveLength(1);
    expect(numbersOf(test.pages).length).toBeLessThan(last);
  });

  it('does not follow a redirect to a private address', async () => {
    await using inside = await openServer((_, response) => void response.writeHead(200).end('secret'), '127.0.0.2');
    await using at = await openSite(site, [itemOf(1)]);
    const away: Answerer = (_, response) => void response.writeHead(302, { location: `${inside.url}/` }).end();
    at.faults.push(away, away);
    const isPublic = (address: string) => address === '127.0.0.1';
    const http = createSourceHttp({ clock: systemClock, userAgent: 'sluice-tests', isPublic });
    await using test = stage(site.create(at.server.url), undefined, http);
    await expect.poll(() => numbersOf(test.pages), PATIENCE).toEqual([1]);
    expect(test.troubles.join()).toContain('Redirects from public to private addresses are not followed');
    expect(inside.requests).toEqual([]);
  });
});

/** These sites have short lists: the others list more than a stand-in should hold. */
describe.each(SITES.filter(({ lists }) => lists <= 300))('the short list of $kind', (site) => {
  it('leaves a gap when more came between two visits than it has room for, although the site was well all the time', async () => {
    await using at = await openSite(site, [itemOf(1)]);
    await using test = stage(site.create(at.server.url));
    await test.until(() => test.cursors.size === 1);
    at.items.push(...upTo(site.lists + 40, 2).map((number) => itemOf(number)));
    await test.until(() => test.gaps.length === 1);
    expect(test.gaps[0]).toMatchObject({ recovered: false });
  });
});
