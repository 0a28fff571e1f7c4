import { describe, expect, it } from 'vitest';
import type { Match } from '../data/queries.ts';
import { csvLine } from './csv.ts';
import { curlOf } from './curl.ts';

const match: Match = {
  id: 'match_1',
  created_at: '2026-11-15T08:00:00.000Z',
  platform: 'x',
  platform_post_id: '7',
  rule_id: 'rule_1',
  rule_name: 'Storms, "big"',
  rule_version: 1,
  payload: { data: { id: '7', text: '=HYPERLINK("x")', lang: 'en' } },
  highlights: [],
  event_id: 'event_1',
  story_id: null,
  story_first: false,
  relevance: null,
  rating: null,
};

describe('what leaves the console', () => {
  it('is a line that no spreadsheet runs', () => {
    expect(csvLine(match)).toBe(
      `2026-11-15T08:00:00.000Z,x,"Storms, ""big""",,,"'=HYPERLINK(""x"")",https://x.com/i/status/7,en,,,match_1`,
    );
  });

  it('is a command that a shell reads as one, without the key', () => {
    expect(curlOf('http://localhost:4800/', 'matches', { text: "it's" })).toBe(
      [
        'curl -s http://localhost:4800/matches \\',
        '  -H "Authorization: Bearer $KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"text":"it'\\''s"}'`,
      ].join('\n'),
    );
  });
});
