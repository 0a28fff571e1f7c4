import { describe, expect, it } from 'vitest';
import type { Match } from '../../packages/client/src/index.ts';
import { viewMatch as paint } from './match-view.ts';

const ESCAPE = '\u001b';

/** Whoever runs the tests may have asked for colours. */
const viewMatch = (match: Match): string => paint(match).replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '');

const matchOf = (parts: Partial<Match>): Match => ({
  id: 'match_1',
  created_at: '2026-11-15T08:30:00.123Z',
  platform: 'x',
  platform_post_id: '7',
  rule_id: 'rule_1',
  rule_name: 'Volcanoes',
  rule_version: 1,
  event_id: 'event_1',
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
  payload: { data: { id: '7', text: 'A volcano.' } },
  highlights: [{ field: 'data.text', start: 2, end: 9 }],
  ...parts,
});

describe('a match for people', () => {
  it('has the text of a post and where it is', () => {
    expect(viewMatch(matchOf({}))).toBe(
      '2026-11-15 08:30:00  x         Volcanoes\n  A volcano.\n  https://x.com/i/status/7',
    );
  });

  it('says that a demo match is one, and makes no link of it', () => {
    expect(viewMatch(matchOf({ demo: true }))).toBe('2026-11-15 08:30:00  x         Volcanoes  demo\n  A volcano.');
  });

  it('shows a post whose id no URL can hold', () => {
    expect(viewMatch(matchOf({ platform_post_id: '7\ud800' }))).toContain('https://x.com/i/status/7%EF%BF%BD');
  });

  it('has the title of a page, its address, and the places that matched', () => {
    const text = `${'before '.repeat(30)}lava${' after'.repeat(30)}`;
    const payload = { title: 'Etna', url: 'https://etna.example/', diff: { chunks: [{ typ: 'ins', text }] } };
    const start = text.indexOf('lava');
    const view = viewMatch(
      matchOf({ platform: 'firehose', payload, highlights: [{ field: 'diff.chunks.0.text', start, end: start + 4 }] }),
    );
    const [, title, excerpt, url] = view.split('\n');
    expect([title, url]).toEqual(['  Etna', '  https://etna.example/']);
    expect(excerpt).toMatch(/^ {2}….*before lava after.*…$/);
    expect(excerpt!.length).toBeLessThan(140);
  });

  it.each([
    [
      'characters that move the cursor',
      { payload: { data: { text: 'a\u001b[2Jb\u202e\r\nc' } }, highlights: [] },
      '  a [2Jb   c',
    ],
    [
      'highlights that overlap or lie outside',
      { highlights: [2, 5, 400].map((start) => ({ field: 'data.text', start, end: start + 5 })) },
      '  A volcano.',
    ],
    ['paths that lead nowhere', { highlights: [{ field: '__proto__.x', start: 0, end: 1 }] }, '  A volcano.'],
  ])('is unharmed by %s', (_, parts, line) => {
    expect(viewMatch(matchOf(parts)).split('\n')[1]).toBe(line);
  });
});
