/** The sources that are found at addresses that people paste, on recorded pages of the kinds that there are. */
import { describe, expect, it } from 'vitest';
import { discover } from '../../../src/sources/discovery/discover.ts';
import { MOST_REQUESTS } from '../../../src/sources/discovery/visits.ts';
import { readFeed } from '../../../src/sources/feeds/read-feed.ts';
import { readSource } from '../../../src/sources/kinds/kinds.ts';
import { hasSharedData, sharedLines } from '../../stages/shared-data.ts';
import { html, playing } from './recorded.ts';
import { SERVICES } from './services.ts';
import { SITES } from './sites.ts';

const RECORDED = [...SITES, ...SERVICES];

describe('recorded pages', () => {
  it('are many', () => expect(RECORDED.length).toBeGreaterThanOrEqual(60));

  it.each(RECORDED)('$about: the right source comes first', async ({ paste, answers, first }) => {
    const { tools, asked } = playing(answers);
    const candidates = await discover(paste, tools);
    const [{ kind, options } = {}] = candidates;
    expect({ kind, options }).toEqual({ options: {}, ...first });
    expect(candidates.filter((one) => one.kind === 'watch')).toHaveLength(1);
    expect(asked.length).toBeLessThanOrEqual(MOST_REQUESTS);
    for (const one of candidates) expect(readSource({ kind: one.kind, ...one.options })).not.toHaveProperty('problems');
  });
});

describe('a candidate', () => {
  const site = SITES[0]!;

  it('has its newest events, how often they come, and the passage that would be watched', async () => {
    const candidates = await discover(site.paste, playing(site.answers).tools);
    const [feed] = candidates;
    const page = candidates.find(({ kind }) => kind === 'watch');
    expect(feed).toMatchObject({ name: 'Harbour News', ratePerDay: 0.33, problem: undefined });
    expect(feed?.samples.map(({ title }) => title)).toEqual(['Entry of day 14', 'Entry of day 12', 'Entry of day 9']);
    expect(JSON.stringify(page?.samples[0]?.['diff'])).toContain('The harbour was dredged');
    expect(page?.parts?.map(({ selector }) => selector)).toEqual([
      'body > main > h1:nth-of-type(1)',
      'body > main > p:nth-of-type(1)',
      'body > main > p:nth-of-type(2)',
    ]);
  });

  it('is offered although it refuses programs, where its address says what it is, with the reason', async () => {
    const refusing = SERVICES.find(({ about }) => about.includes('refuses programs'))!;
    const [subreddit, page] = await discover(refusing.paste, playing(refusing.answers).tools);
    expect(subreddit).toMatchObject({ kind: 'reddit', samples: [], problem: expect.stringContaining('robots.txt') });
    expect(page).toMatchObject({ kind: 'watch', samples: [], problem: 'www.reddit.com answered 403.' });
  });

  it('is one for several feeds of the same entries', async () => {
    const blogger = SITES.find(({ about }) => about.startsWith('Blogger'))!;
    const candidates = await discover(blogger.paste, playing(blogger.answers).tools);
    expect(candidates.map(({ kind }) => kind)).toEqual(['feeds', 'watch']);
  });
});

describe('an address', () => {
  it.each([
    '',
    'word',
    'two words',
    'ftp://a.example/',
    'javascript:alert(1)',
    'mailto:a@b',
    'file:///etc/passwd',
    `https://${'a'.repeat(3_000)}.example`,
  ])('%j is none of the web', async (pasted) => {
    const { tools, asked } = playing({});
    await expect(discover(pasted, tools)).rejects.toThrow('This is no address of the web.');
    expect(asked).toEqual([]);
  });

  it('where nothing answers is told as it is', async () => {
    await expect(discover('https://gone.example/x', playing({}).tools)).rejects.toThrow('gone.example answered 404.');
  });

  it('that names hundreds of feeds is asked for a bounded number of them', async () => {
    const links = Array.from(
      { length: 500 },
      (_, at) => `<link rel="alternate" type="application/rss+xml" href="/feed-${at}">`,
    );
    const { tools, asked } = playing({ 'https://many.example/': html(links.join('')) });
    const [first] = await discover('https://many.example/', tools);
    expect(first?.kind).toBe('watch');
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeLessThan(30);
  });
});

describe.runIf(hasSharedData)('shared: feeds', () => {
  it('come first when their own address is pasted', async () => {
    const url = 'https://suite.example/feed';
    let [tried, right] = [0, 0];
    for (const { body_base64: base64 } of sharedLines<{ body_base64: string }>('pages/feed-test-cases.ndjson.gz')) {
      const body = Buffer.from(base64, 'base64');
      if ((readFeed(body, undefined, url)?.entries.length ?? 0) === 0) continue;
      const [first] = await discover(url, playing({ [url]: { body, type: 'application/xml' } }).tools);
      tried++;
      if (first?.kind === 'feeds') right++;
    }
    expect(tried).toBeGreaterThan(500);
    expect(right / tried).toBeGreaterThanOrEqual(0.95);
  });
});
