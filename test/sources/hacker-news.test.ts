/** Hacker News against a server with its paths: numbers that grow, items that come late, edits and votes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { hackerNews } from '../../src/sources/kinds/hacker-news.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { openServer } from './server.ts';
import { passages, stage } from './stage.ts';

interface Item {
  readonly id: number;
  readonly [field: string]: unknown;
}

const comment = (id: number, text = `I think that comment number ${id} is right`): Item => ({
  id,
  type: 'comment',
  by: 'pg',
  time: 1_763_195_400,
  parent: 1,
  text,
});

async function openSite(newest: number) {
  const items = new Map<number, Item | null>(Array.from({ length: newest }, (_, at) => [at + 1, comment(at + 1)]));
  const site = { newest, updates: [] as number[], refusals: 0 };
  const server = await openServer(({ url = '' }, response) => {
    if (site.refusals > 0) {
      site.refusals--;
      return void response.writeHead(503, { 'retry-after': '0' }).end();
    }
    const answer = (value: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (url === '/v0/maxitem.json') answer(site.newest);
    else if (url === '/v0/updates.json') answer({ items: site.updates, profiles: ['pg'] });
    else answer(items.get(Number(url.match(/item\/(\d+)/)?.[1])) ?? null);
  });
  return Object.assign(server, { items, site });
}

const sourceAt = (url: string, options = {}) =>
  hackerNews('hn', { url, every: 0.01, stories: true, comments: true, ...options });

describe('hacker news', () => {
  beforeAll(loadLanguages);

  it('makes pages of stories, comments and jobs', async () => {
    await using server = await openSite(0);
    server.items.set(1, {
      id: 1,
      type: 'story',
      time: 1_763_195_400,
      title: 'Storms &amp; ships',
      url: 'https://www.example.co.uk/storms',
    });
    server.items.set(2, comment(2, '<p>It&#x27;s <i>windy</i></p>'));
    server.items.set(3, { id: 3, type: 'job', title: 'Weather Co is hiring', text: 'Come' });
    server.items.set(4, { id: 4, type: 'comment', deleted: true });
    server.site.newest = 4;
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === 3);
    expect(test.pages).toMatchObject([
      {
        url: 'https://www.example.co.uk/storms',
        domain: ['www.example.co.uk', 'example.co.uk'],
        title: 'Storms & ships',
        publish_time: '2025-11-15T08:30:00',
        page_types: ['/User_Generated_Content', '/User_Generated_Content/Forum_Thread'],
      },
      {
        url: 'https://news.ycombinator.com/item?id=2',
        page_types: ['/User_Generated_Content', '/User_Generated_Content/Comments'],
      },
      { page_types: ['/Listing', '/Listing/Job'], title: 'Weather Co is hiring' },
    ]);
    expect(passages(test.pages[1]!)).toEqual(["+It's windy"]);
    await test.until(() => test.cursors.get('source:hn') === '4');
  });

  it('reads every number once, through refusals, failed commits and a restart', async () => {
    await using server = await openSite(40);
    server.site.refusals = 2;
    await using test = stage(sourceAt(server.url));
    test.fault.commits = 1;
    await test.until(() => test.pages.length >= 30);
    await test.stop();
    for (let id = 41; id <= 75; id++) server.items.set(id, comment(id));
    server.site.newest = 75;
    test.start();
    server.site.refusals = 3;
    await test.until(() => test.cursors.get('source:hn') === '75');
    const numbers = test.pages.map(({ id }) => Number(id.split(/[:/]/)[1]));
    expect(numbers).toEqual(Array.from({ length: 65 }, (_, at) => at + 11));
    expect([test.fault.fired, server.site.refusals]).toEqual([1, 0]);
    expect(test.troubles).toContain('Hacker News answered 503.');
  });

  it('waits for an item whose number was given out early, and not for ever', async () => {
    await using server = await openSite(3);
    server.items.set(2, null);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === 2);
    expect(test.cursors.get('source:hn')).toBe('1');
    server.items.set(2, comment(2));
    await test.until(() => test.pages.length === 3);
    server.site.newest = 5;
    server.items.set(5, comment(5));
    await test.until(() => test.cursors.get('source:hn') === '5');
    expect(server.asked('/v0/item/4.json')).toBe(10);
  });

  it('yields an edit as a change, and a vote not at all', async () => {
    await using server = await openSite(2);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === 2);
    server.items.set(1, { ...comment(1), score: 7 });
    server.items.set(2, comment(2, 'I have changed my mind about this'));
    server.site.updates = [1, 2, 999];
    await test.until(() => test.pages.length === 3);
    expect(passages(test.pages[2]!)).toEqual([
      '-I think that comment number 2 is right',
      '+I have changed my mind about this',
    ]);
    expect(test.pages[2]!.id).not.toBe(test.pages[1]!.id);
    expect(server.asked('/v0/item/999.json')).toBe(0);
  });
});
