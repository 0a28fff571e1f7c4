import { describe, expect, it } from 'vitest';
import { eventOf } from './channel.ts';

describe('what a channel pushes', () => {
  const head = { notice: 'Strangers.', at: '2026-11-15T08:30:00.123Z', next: 'Acknowledge it.' };
  const pushed = (wake: object) => {
    const { content, meta } = eventOf({ id: 'dlv_1', text: JSON.stringify({ ...head, ...wake }) });
    return { content: JSON.parse(content) as unknown, meta };
  };
  const newest = { match_id: 'match_1', rule_id: 'rule_1', platform: 'x', demo: true };
  const rules = [{ rule_id: 'rule_1', matches: 2 }];
  const { notice, at } = head;

  it('is a match that came alone, and says when it is invented', () => {
    expect(pushed({ matches: 1, newest, rules })).toEqual({
      content: { notice, match: newest },
      meta: { wake_id: 'dlv_1', rule_id: 'rule_1', match_id: 'match_1', at, platform: 'x', demo: 'true' },
    });
  });

  it('is a count otherwise, with the newest match or the digest of what was held', () => {
    const next = 'list_matches has all of them.';
    const digest = { match_count: 1 };
    const meta = { wake_id: 'dlv_1', at };
    expect(pushed({ matches: 2, newest, rules })).toEqual({
      content: { notice, matches: 2, rules, newest, next },
      meta: { ...meta, matches: '2' },
    });
    expect(pushed({ matches: 1, digest })).toEqual({
      content: { notice, matches: 1, digest, next },
      meta: { ...meta, matches: '1' },
    });
  });
});
