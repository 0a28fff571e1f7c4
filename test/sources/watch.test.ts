/** Watched pages against a site that edits them, forbids them, and says when nothing changed. */
import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../../src/sources/kinds/kinds.ts';
import { watch } from '../../src/sources/kinds/watch.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { type Answerer, openServer } from './server.ts';
import { PATIENCE, passages, stage } from './stage.ts';

const FILLER = Array.from(
  { length: 6 },
  (_, at) =>
    `<p>This is paragraph ${at} of a page that is long enough to count as an article, with several words in it.</p>`,
).join('');

const html = (...paragraphs: string[]) =>
  `<!doctype html><html lang="en"><head><title>Prices</title><script>var a = "<p>not text</p>";</script></head><body>
   <nav><a href="/">Home</a> <a href="/about">About us</a></nav><main><article><h1>Our prices</h1>${FILLER}
   ${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></main><footer>Imprint</footer></body></html>`;

const sourceAt = (urls: string[], options = {}) =>
  watch('pages', {
    urls,
    every: 0.01,
    pause: 0,
    first: 'whole',
    ignore: [],
    ignore_text: [],
    browser: false,
    ...options,
  });

const page = (response: ServerResponse, text: string, headers = {}) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(text);

/** A site with one page, `/prices`, and a robots.txt. */
const siteOf =
  (robots: string | number, answer: Answerer): Answerer =>
  (request, response) => {
    if (request.url !== '/robots.txt') return answer(request, response);
    if (typeof robots === 'number') response.writeHead(robots).end();
    else response.writeHead(200, { 'content-type': 'text/plain' }).end(robots);
  };

describe('watched pages', () => {
  beforeAll(loadLanguages);

  it('keep to themselves what may be a secret in their address', async () => {
    const site = siteOf(404, (_, response) => page(response, html('The small plan costs 29 dollars a month.')));
    await using server = await openServer(site);
    await using test = stage(sourceAt([`${server.url}/prices?plan=small&api_key=hush`]));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]).toMatchObject({
      url: `${server.url}/prices?plan=small`,
      source: { original: { url: `${server.url}/prices?***` } },
    });
    expect(JSON.stringify(test.pages)).not.toContain('hush');
  });

  it('yield what appears and what vanishes', async () => {
    let text = html('The small plan costs 29 dollars a month.');
    await using server = await openServer(siteOf(404, (_, response) => page(response, text)));
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]).toMatchObject({ url: `${server.url}/prices`, title: 'Prices', language: 'en' });
    expect(passages(test.pages[0]!)).toContain('+The small plan costs 29 dollars a month.');
    expect(passages(test.pages[0]!).join()).not.toMatch(/not text|Imprint|About us/);
    await test.stop();
    text = html('The small plan costs 39 dollars a month.', 'There is a free trial.');
    test.start();
    await test.until(() => test.pages.length === 2);
    await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(8);
    expect(passages(test.pages[1]!)).toEqual([
      '-The small plan costs 29 dollars a month.',
      '+The small plan costs 39 dollars a month.',
      '+There is a free trial.',
    ]);
    expect(test.pages).toHaveLength(2);
  });

  it('tell of a price that comes back as of any other change', async () => {
    let text = html('It costs 29.');
    await using server = await openServer(siteOf(404, (_, response) => page(response, text)));
    await using test = stage(sourceAt([`${server.url}/prices`], { first: 'skip' }));
    await test.until(() => test.cursors.size === 1);
    text = html('It costs 39.');
    await test.until(() => test.pages.length === 1);
    text = html('It costs 29.');
    await test.until(() => test.pages.length === 2);
    text = html('It costs 39.');
    await test.until(() => test.pages.length === 3);
    expect(test.pages.map(passages)).toEqual([
      ['-It costs 29.', '+It costs 39.'],
      ['-It costs 39.', '+It costs 29.'],
      ['-It costs 29.', '+It costs 39.'],
    ]);
    expect(new Set(test.pages.map(({ id }) => id)).size).toBe(3);
  });

  it('have the id that they always had for the first change after a cursor without a number', async () => {
    let text = html('It costs 29.');
    await using server = await openServer(siteOf(404, (_, response) => page(response, text)));
    await using test = stage(sourceAt([`${server.url}/prices`], { first: 'skip' }));
    await test.until(() => test.cursors.size === 1);
    await test.stop();
    const [[name, value] = ['', '{}']] = test.cursors;
    const { changes, ...old } = JSON.parse(value);
    expect(changes).toBe(1);
    test.cursors.set(name, JSON.stringify(old));
    text = html('It costs 39.');
    test.start();
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]!.id.split('/')).toHaveLength(3);
  });

  it.each<[string, string, Answerer]>([
    ['empty', 'is empty, and was not before', (_, response) => page(response, '<html></html>')],
    ['cut off', 'is cut off in the middle', (_, response) => page(response, html('It costs').slice(0, 900))],
    [
      'an image',
      'which is no text',
      (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
    ],
    [
      'a login page',
      'for now',
      ({ url }, response) =>
        url === '/login' ? page(response, html('Log in.')) : void response.writeHead(302, { location: '/login' }).end(),
    ],
  ])('that are %s for a while are not new when they come back', async (_, trouble, odd) => {
    const usual: Answerer = (_request, response) => page(response, html('It costs 29.'));
    let answer = usual;
    await using server = await openServer(siteOf(404, (request, response) => answer(request, response)));
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await expect.poll(() => test.status.state, PATIENCE).toBe('live');
    answer = odd;
    await expect.poll(() => test.status.state, PATIENCE).toBe('waiting');
    expect(test.troubles.at(-1)).toContain(trouble);
    answer = usual;
    await expect.poll(() => test.status.state, PATIENCE).toBe('live');
    expect(test.pages).toHaveLength(1);
  });

  it('whose text is made by scripts are not well, and say so; a part of one may begin empty', async () => {
    const app = '<!doctype html><html><body><div id="app"></div><script>for(i=0;i<n;i++)f(i)</script></body></html>';
    await using server = await openServer(siteOf(404, (_, response) => page(response, app)));
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await test.until(() => test.troubles.length > 0);
    expect(test.troubles[0]).toContain('/prices has no text. If scripts make the page, watch it with browser: true.');
    expect([test.status.state, test.cursors.size]).toEqual(['waiting', 0]);
    await using part = stage(sourceAt([`${server.url}/prices`], { select: '#app' }));
    await part.until(() => part.cursors.size === 1);
    expect(part.troubles).toEqual([]);
  });

  it('are asked for with what the server told last time, and refusals are survived', async () => {
    let looks = 0;
    await using server = await openServer(
      siteOf(404, (request, response) => {
        looks++;
        if (looks === 1) return void response.writeHead(503, { 'retry-after': '0' }).end();
        if (looks === 2) return void response.writeHead(302, { location: '/new/prices' }).end();
        if (request.headers['if-none-match'] === '"a"') return void response.writeHead(304).end();
        page(response, html('Once.'), { etag: '"a"' });
      }),
    );
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(5);
    expect(test.pages).toHaveLength(1);
    expect(test.pages[0]).toMatchObject({
      url: `${server.url}/prices`,
      source: { original: { url: `${server.url}/new/prices` } },
    });
  });

  it.each([
    ['forbids all', 'User-agent: *\nDisallow: /'],
    ['forbids us by name', 'User-agent: Sluice\nDisallow: /pri*es$\n\nUser-agent: *\nAllow: /'],
    ['cannot say', 500],
  ])('are left alone where robots.txt %s', async (_, robots) => {
    await using server = await openServer(siteOf(robots, (_request, response) => page(response, html('Secret.'))));
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await test.until(() => test.troubles.length >= 2);
    expect(test.troubles[0]).toContain('robots.txt');
    expect(server.asked('/prices')).toBe(0);
  });

  it('are looked at where robots.txt allows it, which is asked for once', async () => {
    const robots = 'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private\nAllow: /prices';
    await using server = await openServer(siteOf(robots, (_, response) => page(response, html('Open.'))));
    await using test = stage(sourceAt([`${server.url}/prices`]));
    await test.until(() => test.pages.length === 1);
    await expect.poll(() => server.asked('/prices'), PATIENCE).toBeGreaterThan(3);
    expect(server.asked('/robots.txt')).toBe(1);
  });

  it('may be plain text, or in an old encoding', async () => {
    const answers: Record<string, Answerer> = {
      '/plain': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/plain' }).end('Line one\n\n  line <two>'),
      '/latin': (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
          .end(Buffer.from('<p>Çà et là</p>', 'latin1')),
    };
    await using server = await openServer(
      siteOf(404, (request, response) => answers[request.url!]!(request, response)),
    );
    await using test = stage(sourceAt([`${server.url}/plain`, `${server.url}/latin`]));
    await test.until(() => test.pages.length === 2);
    expect(test.pages.map(passages)).toEqual([['+Line one', '+line <two>'], ['+Çà et là']]);
  });
});

describe('a part of a page', () => {
  beforeAll(loadLanguages);
  const shop = (price: string, stock = 'In stock', visits = 1) =>
    `<html><body><h1>Lamp</h1><div id="offer"><p class="price">${price}</p><p class="stock">${stock}</p><p class="count">${visits} people look at this</p></div><p>Read ${visits} times</p></body></html>`;

  /** The texts that the page has, one after another, and what came of each. */
  async function seenOf(texts: readonly string[], options: object): Promise<string[][]> {
    let at = 0;
    await using server = await openServer(siteOf(404, (_, response) => page(response, texts[at]!)));
    await using test = stage(sourceAt([server.url], options));
    const seen: string[][] = [];
    for (; at < texts.length; at++) {
      const asked = server.requests.length;
      await expect.poll(() => server.requests.length, PATIENCE).toBeGreaterThan(asked + 2);
      seen.push(test.pages.splice(0).flatMap(passages));
    }
    return seen;
  }

  it('is watched alone, without what is ignored', async () => {
    const texts = [shop('40'), shop('40', 'In stock', 2), shop('38', 'In stock', 3)];
    expect(await seenOf(texts, { select: '#offer', ignore: ['.count'] })).toEqual([
      ['+40', '+In stock'],
      [],
      ['-40', '+38'],
    ]);
    expect(await seenOf(texts, { ignore_text: ['[0-9]+ people', 'Read [0-9]+ times'] })).toEqual([
      ['+Lamp', '+40', '+In stock'],
      [],
      ['-40', '+38'],
    ]);
  });

  it('is an event when its number comes within bounds, and again when it has left them in between', async () => {
    const texts = ['45', '42', '39', '38', '50', '37'].map((price) => shop(price));
    expect(await seenOf(texts, { select: '.price', when: { below: 40 } })).toEqual([
      [],
      [],
      ['-42', '+39'],
      [],
      [],
      ['-50', '+37'],
    ]);
  });

  it('is an event when a text appears, or vanishes that was there', async () => {
    const texts = ['Sold out', 'In stock', 'Sold out'].map((stock) => shop('40', stock));
    expect(await seenOf(texts, { select: '.stock', when: { appears: 'in stock' } })).toEqual([
      [],
      ['-Sold out', '+In stock'],
      [],
    ]);
    expect(await seenOf(texts, { select: '.stock', when: { vanishes: 'in stock' } })).toEqual([
      [],
      [],
      ['-In stock', '+Sold out'],
    ]);
  });

  it('shows old and new side by side', async () => {
    let text = shop('40');
    await using server = await openServer(siteOf(404, (_, response) => page(response, text)));
    await using test = stage(sourceAt([server.url], { select: '#offer' }));
    await test.until(() => test.pages.length === 1);
    text = shop('38', 'Sold out', 2);
    await test.until(() => test.pages.length === 2);
    expect(test.pages.map(({ source }) => source.original)).toMatchObject([
      { watched: true },
      {
        rows: [
          { before: '40', after: '38' },
          { before: 'In stock', after: 'Sold out' },
          { before: '1 people look at this', after: '2 people look at this' },
        ],
      },
    ]);
  });

  it('that is no longer there is told, and nothing counts as removed', async () => {
    let text = shop('40');
    await using server = await openServer(siteOf(404, (_, response) => page(response, text)));
    await using test = stage(sourceAt([server.url], { select: '#offer' }));
    await test.until(() => test.pages.length === 1);
    text = '<html><body>New shop</body></html>';
    await test.until(() => test.troubles.length > 0);
    expect(test.troubles[0]).toMatch('has nothing at #offer: its shape has changed.');
    expect(test.pages).toHaveLength(1);
  });

  it.each([
    { select: 'a:has(b)' },
    { ignore: ['a + b'] },
    { ignore_text: ['('] },
    { ignore_text: ['.{200}.{200}a.{400}'] },
    { ignore_text: ['a.{8}b', 'c.{8}d'] },
    { when: { below: 'cheap' } },
    { when: { appears: '' } },
  ])('%j is refused with a reason', (options) => {
    const read = readSource({ kind: 'watch', urls: ['https://a.example/'], ...options });
    const [problem] = 'problems' in read ? read.problems : [];
    expect(problem?.path[0]).toBe(Object.keys(options)[0]);
  });
});
