import { describe, expect, it } from 'vitest';
import type { Digest } from '../domain/wake.ts';
import { digestHtml } from './digest-documents.ts';
import { cutText, speakerOf, summaryOf, wholeText } from './summary.ts';

const match = { ruleName: 'Storms', platformPostId: '7' } as const;
const post = (payload: object) => ({ ...match, platform: 'x' as const, payload: { ...payload } });
const page = (payload: object) => ({ ...match, platform: 'firehose' as const, payload: { ...payload } });

describe('a text that is cut', () => {
  it('has as many characters as it may have, of which the last says that there was more', () => {
    expect([cutText('storm', 5), cutText('storms', 5), cutText('storm at the harbour', 5)]).toEqual([
      'storm',
      'stor…',
      'stor…',
    ]);
    expect(cutText('🌩🌩🌩🌩', 3)).toBe('🌩🌩…');
  });
});

describe('a match in a few words', () => {
  it('is the text of a post and a link to it', () => {
    expect(summaryOf(post({ data: { text: 'Storm' } }))).toEqual({
      rule: 'Storms',
      title: '',
      text: 'Storm',
      url: 'https://x.com/i/status/7',
    });
    expect(summaryOf(post({ url: 'https://toot.example/7', data: { text: 'Storm' } })).url).toBe(
      'https://toot.example/7',
    );
    expect(summaryOf(post({ url: 'javascript:1', data: {} })).url).toBeUndefined();
  });

  it('is the title of a page, what came to it, and its address', () => {
    const chunks = [
      { typ: 'ins', text: 'Storage' },
      { typ: 'del', text: 'was up' },
      { typ: 'ins', text: 'is down' },
    ];
    const changed = { title: 'Status', url: 'https://status.example/', diff: { chunks } };
    expect(summaryOf(page(changed))).toEqual({
      rule: 'Storms',
      title: 'Status',
      text: 'Storage is down',
      url: 'https://status.example/',
    });
    expect(summaryOf(page({ added: ' is down ' })).text).toBe('is down');
    expect([wholeText(page(changed)), wholeText(post({ data: { text: 'Storm' } }))]).toEqual([
      'Status Storage is down',
      'Storm',
    ]);
  });

  it('has no link to what the demo feed invented, and says that it did', () => {
    const told = summaryOf({ ...post({ data: { text: 'Storm' } }), source: 'demo' });
    expect([told.rule, told.url]).toEqual(['Demo: Storms', undefined]);
  });

  it('names who said it', () => {
    const users = [
      { id: '6', username: 'other' },
      { id: '7', username: 'port' },
    ];
    expect(speakerOf(post({ data: { author_id: '7' }, includes: { users } }), undefined)).toBe('@port');
    expect(speakerOf(post({ data: { author_id: '8' }, includes: { users } }), undefined)).toBeUndefined();
    expect(speakerOf(post({ data: { author_id: '7' } }), undefined)).toBeUndefined();
    expect(speakerOf(page({}), 'https://status.example/a')).toBe('status.example');
    expect(speakerOf(page({}), undefined)).toBeUndefined();
  });
});

describe('a digest as an e-mail', () => {
  const digest = (story: object): Digest => ({
    since: '2026-11-15T08:00:00.000Z',
    until: '2026-11-15T09:00:00.000Z',
    match_count: 1,
    story_count: 1,
    stories: [
      {
        story_id: null,
        title: 'Storm',
        url: 'https://a.example/?b="c"&d=\'e\'',
        size: 1,
        first_at: '2026-11-15T08:30:00.000Z',
        last_at: '2026-11-15T08:30:00.000Z',
        platforms: ['x'],
        by: [],
        rules: [{ id: 'rule_1', name: 'Storms' }],
        links: [],
        match_ids: [],
        ...story,
      },
    ],
  });

  it('names a story without a title, and lets no text end an attribute or begin markup', () => {
    expect(digestHtml(digest({ title: '', url: null }))).toContain('>Untitled</h2>');
    expect(digestHtml(digest({ title: '<b>"Storm"</b> & \'sea\'', url: null }))).toContain(
      '>&lt;b&gt;&quot;Storm&quot;&lt;/b&gt; &amp; &#39;sea&#39;</h2>',
    );
    const links = digestHtml(digest({ links: [`https://a.example/${'p'.repeat(200)}`, 'javascript:1'] }));
    expect(links.match(/<li>/g)).toHaveLength(1);
    expect(links).toContain('href="https://a.example/?b=');
    expect(links).not.toContain('="c"');
  });
});
