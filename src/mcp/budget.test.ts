import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ANY_CHARACTER } from '../../test/generated/any-character.ts';
import type { Match } from '../domain/match.ts';
import { fitMatches } from './show-digest.ts';
import { showMatch } from './show-match.ts';

const REST = { notice: 'n', cursor: 'x'.repeat(16) };

const matchOf = (text: string, id = '1989234567890123456', extra: object = {}): Match => ({
  id: 'match_01k3zqb2v4n8s6d0f3h5j7k9m1',
  createdAt: new Date('2026-11-15T08:30:00.123Z'),
  position: 1,
  platform: 'x',
  platformPostId: id,
  ruleId: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
  ruleName: 'Volcano news',
  ruleVersion: 1,
  payload: { data: { id, text, ...extra } },
  highlights: [{ field: 'data.text', start: 0, end: Math.min(4, text.length) }],
});

const texts = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 2_000 }),
  fc.string({ minLength: 1, maxLength: 50 }),
  fc.constantFrom('\u{e0041}'.repeat(500), '"'.repeat(900), '\\'.repeat(900), 'word '.repeat(400)),
);

describe('a concise match', () => {
  it('has at most 120 tokens, whatever is in it', () => {
    fc.assert(
      fc.property(texts, texts, texts, (text, id, url) => {
        const page: Match = {
          ...matchOf(text, id),
          platform: 'firehose',
          payload: {
            url: `https://site.example/${url}`,
            title: text,
            data: { text },
            source: { original: { rows: [{ before: text, after: id }, { after: url }] } },
          },
        };
        expect(JSON.stringify(showMatch(page, 'concise')).length).toBeLessThanOrEqual(480);
        expect(JSON.stringify(showMatch(matchOf(text, id), 'concise')).length).toBeLessThanOrEqual(480);
      }),
    );
  });

  it.each(['note_tweet', 'note_post'])('shows the whole of a long post where nothing is highlighted: %s', (note) => {
    const long = { ...matchOf('lava…', '1', { [note]: { text: 'lava reaches the harbour' } }), highlights: [] };
    expect(showMatch(long, 'concise').untrusted_content['passage']).toBe('lava reaches the harbour');
  });

  it('has the name of its rule among what strangers wrote, with nothing hidden in it, when shown in full', () => {
    const shown = showMatch({ ...matchOf('lava'), ruleName: 'Vol\u202ecano \u{e0041}news' }, 'full');
    expect(shown).not.toHaveProperty('rule_name');
    expect(shown.untrusted_content['rule_name']).toBe('Vol<U+202E>cano <U+E0041>news');
    expect(shown.flags).toEqual(['tag_characters', 'direction']);
  });

  it('has what changed on a watched page as lines, with nothing hidden in them; more of them in full', () => {
    const rows = [
      { before: 'Price: 40', after: 'Price: 35 <img src=x>\u202e' },
      ...Array.from({ length: 40 }, (_, at) => ({ before: `old ${at} ${'word '.repeat(30)}`, after: 7 })),
    ];
    const page: Match = { ...matchOf('Price: 35'), platform: 'firehose', payload: { source: { original: { rows } } } };
    const [brief, full] = [showMatch(page, 'concise'), showMatch(page, 'full')];
    expect(brief.untrusted_content['changed']).toEqual([
      '- Price: 40',
      '+ Price: 35 ‹img src=x><U+202E>',
      expect.stringMatching(/^- old 0 word .{40,}…$/),
    ]);
    expect(brief.flags).toEqual(['direction', 'markup', 'cut']);
    const lines = full.untrusted_content['changed'] as string[];
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.join('').length).toBeLessThan(1_200);
    // A page that is new from top to bottom is its passage already.
    const added = { ...page, payload: { source: { original: { rows: [{ after: 'lava' }] } } } };
    expect(showMatch(added, 'full').untrusted_content).not.toHaveProperty('changed');
  });

  it('says who, when, where, what and how to get there', () => {
    const match = {
      ...matchOf('', '1989234567890123456'),
      payload: {
        data: { id: '1', text: `${'long ago '.repeat(20)} the lava flows`, author_id: '7' },
        includes: { users: [{ id: '7', username: 'mara' }] },
      },
      highlights: [{ field: 'data.text', start: 185, end: 189 }],
    };
    expect(showMatch(match, 'concise')).toEqual({
      id: match.id,
      rule_id: match.ruleId,
      at: '2026-11-15T08:30:00.123Z',
      platform: 'x',
      post_id: '1989234567890123456',
      untrusted_content: {
        passage: expect.stringMatching(/^…(?:.*) the «lava» flows$/),
        author: '@mara',
        url: 'https://x.com/i/status/1989234567890123456',
      },
    });
  });
});

describe('a match of a long text', () => {
  const ends: readonly [number, number][] = [
    [0, 4],
    [500_000, 500_004],
    [999_990, 999_994],
  ];
  const shownOf = (text: string, spans = ends) => {
    const highlights = spans.map(([start, end]) => ({ field: 'data.text', start, end }));
    return showMatch({ ...matchOf(text), highlights }, 'full');
  };

  it('is looked at no further than it may be shown', () => {
    const looked = vi.spyOn(String.prototype, 'toWellFormed');
    for (const spans of [ends, [], [[10, 900_000]] as [number, number][]]) {
      const { flags, untrusted_content } = shownOf('lava ash '.repeat(111_112), spans);
      expect(flags).toEqual(['cut']);
      expect(JSON.stringify(untrusted_content).length).toBeLessThan(5_500);
    }
    const lengths = looked.mock.contexts.map((text) => String(text).length);
    expect(lengths.length).toBeGreaterThan(6);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(4_096 + 16);
  });

  it('shows no words as neighbours between which others stand', () => {
    const text = `lava${' '.repeat(5_000)}and then ash${' '.repeat(100)}falls`;
    const { flags, untrusted_content } = shownOf(text, [
      [0, 4],
      [5_013, 5_016],
    ]);
    expect([untrusted_content['passage'], flags]).toEqual(['«lava»', ['cut']]);
  });
});

describe('fitMatches', () => {
  it('never has more than the budget, and always gets on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 20 }),
        fc.integer({ min: 300, max: 2_000 }),
        fc.constantFrom('concise' as const, 'full' as const),
        async (all, tokens, detail) => {
          const matches = all.map((text) => matchOf(text, '1', { extra: text }));
          const { shown, last } = await fitMatches(REST, matches, detail, tokens);
          expect(JSON.stringify({ ...REST, matches: shown }).length / 4).toBeLessThanOrEqual(tokens);
          expect(shown.length).toBeGreaterThanOrEqual(Math.min(1, matches.length));
          expect(last).toBe(matches[shown.length - 1]);
        },
      ),
    );
  });

  it('shows a first match concisely where it does not fit in full', async () => {
    const { shown } = await fitMatches(REST, [matchOf('a', '1', { extra: 'long '.repeat(1_000) })], 'full', 300);
    expect(shown).toMatchObject([{ flags: ['cut'] }]);
  });

  it('lets others have a turn between long matches', async () => {
    const long = { ...matchOf('a'), json: ' '.repeat(600_000) };
    let turns = 0;
    const fitting = fitMatches(REST, [long, long, long], 'concise', 2_000);
    setImmediate(() => void turns++);
    expect((await fitting).shown).toHaveLength(3);
    expect(turns).toBe(1);
  });
});
