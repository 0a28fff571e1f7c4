import * as fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { Digest } from '../domain/wake.ts';
import { type Digestible, digestHeadline, digestOfItems, heldItem } from './digest.ts';
import { digestHtml, digestMarkdown } from './digest-documents.ts';

const START = Date.parse('2026-11-15T08:00:00Z');

const page = (number: number, change: Partial<Digestible> = {}): Digestible => ({
  id: `match_${String(number).padStart(6, '0')}`,
  createdAt: new Date(START + number * 60_000),
  platform: 'firehose',
  platformPostId: `page ${number}`,
  ruleId: 'rule_1',
  ruleName: 'Storms',
  payload: { title: `Storm ${number}`, url: `https://site${number}.test/a` },
  source: 'push',
  storyId: undefined,
  ...change,
});

const post = (number: number, text: string, change: Partial<Digestible> = {}): Digestible =>
  page(number, {
    platform: 'x',
    platformPostId: String(number),
    payload: { data: { text, author_id: '7' }, includes: { users: [{ id: '7', username: 'ada' }] } },
    ...change,
  });

const digest = (...matches: Digestible[]): Digest => digestOfItems(matches.map(heldItem));

describe('a digest', () => {
  it('has a story once, the one with the newest match first, with who else and the links', () => {
    const made = digest(
      page(1, { storyId: 'story_a' }),
      page(2, { storyId: 'story_b' }),
      post(3, 'Storm over the coast', { storyId: 'story_a', ruleId: 'rule_2', ruleName: 'Coast' }),
      page(4),
    );
    expect(made).toMatchObject({
      match_count: 4,
      story_count: 3,
      since: '2026-11-15T08:01:00.000Z',
      until: '2026-11-15T08:04:00.001Z',
    });
    expect(made.stories.map(({ story_id, size, title }) => [story_id, size, title])).toEqual([
      [null, 1, 'Storm 4'],
      ['story_a', 2, 'Storm 1'],
      ['story_b', 1, 'Storm 2'],
    ]);
    expect(made.stories[1]).toEqual({
      story_id: 'story_a',
      title: 'Storm 1',
      url: 'https://site1.test/a',
      size: 2,
      first_at: '2026-11-15T08:01:00.000Z',
      last_at: '2026-11-15T08:03:00.000Z',
      platforms: ['firehose', 'x'],
      by: ['site1.test', '@ada'],
      rules: [
        { id: 'rule_1', name: 'Storms' },
        { id: 'rule_2', name: 'Coast' },
      ],
      links: ['https://x.com/i/status/3'],
      match_ids: ['match_000003', 'match_000001'],
    });
  });

  it('counts everything and lists so many stories, of each so many matches', () => {
    const matches = Array.from({ length: 1_000 }, (_, number) => page(number, { storyId: `story_${number % 3}` }));
    const made = digestOfItems(matches.map(heldItem), 2);
    expect([made.match_count, made.story_count, made.stories.length]).toEqual([1_000, 3, 2]);
    expect(
      made.stories.map(({ size, match_ids, links, by }) => [size, match_ids.length, links.length, by.length]),
    ).toEqual([
      [334, 100, 5, 5],
      [333, 100, 5, 5],
    ]);
    expect(digestHeadline(made)).toBe(
      'Digest: 1000 matches in 3 stories, stored from 2026-11-15 08:00 to 2026-11-16 00:39 UTC. The 2 newest stories are listed.',
    );
  });

  it('of nothing is empty', () => {
    expect(digest()).toMatchObject({ match_count: 0, story_count: 0, stories: [] });
  });

  it('has no link of the demo feed, of another scheme, or of an address without end', () => {
    const links = (payload: object, source = 'push') =>
      digest(page(1, { payload: { title: 't', ...payload }, source })).stories[0]!.url;
    expect(links({ url: 'https://a.test/' })).toBe('https://a.test/');
    expect(links({ url: 'https://a.test/' }, 'demo')).toBeNull();
    expect(links({ url: 'javascript:alert(1)' })).toBeNull();
    expect(links({ url: `https://a.test/${'a'.repeat(2_048)}` })).toBeNull();
  });
});

/** Texts that strangers may write to break out of their place. */
const HOSTILE = [
  '<script>alert(1)</script><img src=https://evil.test/p.png>',
  '"><a href="https://evil.test">bank</a>',
  '[bank](https://evil.test) ![p](https://evil.test/p.png) <https://evil.test>',
  'https://evil.test www.evil.test evil.test mail@evil.test',
  '# head\n\n- item\n> quote\n```\ncode\n```',
  'a\u202egpj.exe \u200bhttp:\u200b//evil.test',
  '](<https://evil.test>) \\](https://evil.test)',
];
const hostileText = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 20 })), { maxLength: 4 });
const hostileDigest = fc.tuple(hostileText, hostileText, hostileText).map(([title, name, host]) =>
  digest(
    page(1, {
      storyId: 'story_a',
      ruleName: name.join(' '),
      payload: { title: title.join(' '), url: `https://good.test/?${host.join('&')}` },
    }),
    page(2, { storyId: 'story_a', payload: { url: 'https://good.test/2' } }),
  ),
);
const isGood = (url: string) => new URL(url).host === 'good.test' && new URL(url).protocol === 'https:';

describe('a digest by e-mail', () => {
  it('has no markup and no link but its own, whatever strangers wrote', () => {
    fc.assert(
      fc.property(hostileDigest, (made) => {
        const { document } = parseHTML(digestHtml(made));
        const names = new Set([...document.querySelectorAll('*')].map(({ tagName }) => tagName.toLowerCase()));
        const own = ['html', 'head', 'meta', 'title', 'body', 'h1', 'h2', 'div', 'p', 'ul', 'li', 'a'];
        expect([...names].filter((name) => !own.includes(name))).toEqual([]);
        for (const link of document.querySelectorAll('a')) expect(isGood(link.getAttribute('href'))).toBe(true);
        for (const one of document.querySelectorAll('*')) expect(one.getAttribute('src')).toBeNull();
        const text = document.querySelector('body')!.textContent;
        expect(text).not.toMatch(/:\/\/|www\.evil|evil\.test|\w@|[\u202a-\u202e]/);
      }),
      { numRuns: 200 },
    );
  });

  it('shows titles, who else, rules and links', () => {
    const html = digestHtml(digest(page(1, { ruleName: 'Storms & <more>' })));
    expect(html).toContain('<a href="https://site1.test/a" rel="noopener noreferrer nofollow">Storm 1</a>');
    expect(html).toContain('Storms &amp; &lt;more&gt;, last 2026-11-15 08:01 UTC');
    expect(html).toContain('1 match: site1.\u200btest');
  });
});

describe('a digest in Markdown', () => {
  it('has no markup and no link but its own, whatever strangers wrote', () => {
    fc.assert(
      fc.property(hostileDigest, (made) => {
        for (const line of digestMarkdown(made).split('\n')) {
          const bare = line.replaceAll(/\\[!-/:-@[-`{-~]/g, '');
          const rest = bare.replace(/^## \[([^[\]]*)\]\(<([^<>\s\\]*)>\)$/, (_, title: string, url: string) => {
            expect(isGood(url)).toBe(true);
            return title;
          });
          expect(rest.replace(/^- <https:\/\/good\.test\/[^<>\s\\]*>$/, '').replace(/^(#{1,2}|-) /, '')).not.toMatch(
            /[!-/:-@[-`{-~]/,
          );
          expect(line.replaceAll('\\', '').replaceAll(/<[^>]*>/g, '')).not.toMatch(/:\/\/|evil\.test|\w@/);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('reads well', () => {
    expect(digestMarkdown(digest(page(1, { storyId: 'a' }), page(2, { storyId: 'a' })))).toBe(
      [
        '# Digest\\: 2 matches in 1 story\\, stored from 2026\\-11\\-15 08\\:01 to 2026\\-11\\-15 08\\:02 UTC\\.',
        '',
        '## [Storm 1](<https://site1.test/a>)',
        '',
        '- 2 matches\\: site1\\.\u200btest\\, site2\\.\u200btest',
        '- Storms\\, last 2026\\-11\\-15 08\\:02 UTC',
        '- <https://site2.test/a>',
        '',
      ].join('\n'),
    );
  });
});
