import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import { type Stage, TIME, xPost, xRule } from './stage.ts';

export function matchCases({ call, push, post, createRule, matchesOf }: Stage): void {
  describe('List Matches', () => {
    it('shows a match with its payload, once, however often the post comes', async () => {
      const rule_id = await createRule(xRule('comet', 'Comets'));
      const event = { data: { id: '77', text: 'A comet passes' }, includes: { users: [{ id: '5', username: 'ana' }] } };
      expect((await push('x', [event, event])).body).toEqual({ accepted: 2, matches: 1, rejected: [] });
      expect((await push('x', [event])).body).toMatchObject({ matches: 0 });
      const { body } = await post('/matches', { rule_id });
      expect(body).toEqual({
        latest_cursor: expect.any(String),
        matches: [
          {
            id: expect.stringMatching(/^match_/),
            created_at: expect.stringMatching(TIME),
            platform: 'x',
            platform_post_id: '77',
            rule_id,
            rule_name: 'Comets',
            rule_version: 1,
            payload: event,
            highlights: [{ field: 'data.text', start: 2, end: 7 }],
            event_id: expect.stringMatching(/^event_/),
            source: 'push',
            story_id: expect.stringMatching(/^st_/),
            story_first: true,
            relevance: null,
            rating: null,
          },
        ],
        coverage: expect.objectContaining({ complete: true, complete_through: expect.stringMatching(TIME), gaps: [] }),
      });
      const listed = (await call('GET', `/api.GetRule?rule_id=${rule_id}`)).body as {
        platforms: { x: Record<string, unknown> };
      };
      expect(listed.platforms.x).toMatchObject({ match_count: 1, last_match_at: expect.stringMatching(TIME) });
      await post('/api.DeleteRule', { rule_id });
    });

    it('pages newest first, and a page is stable while new matches arrive', async () => {
      const rule_id = await createRule(xRule('page'));
      await push(
        'x',
        Array.from({ length: 25 }, (_, n) => xPost(`3${n}`, `page ${n}`)),
      );
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await post('/matches', { rule_id, limit: 10, ...(cursor && { cursor }) });
        seen.push(...(body['matches'] as { id: string }[]).map(({ id }) => id));
        cursor = body['next_cursor'] as string | undefined;
        if (seen.length === 10) await push('x', [xPost('3999', 'page late')]);
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(25);
      const all = await matchesOf({ rule_id });
      expect(all.slice(1).map(({ id }) => id)).toEqual(seen);
      const order = all.map((match) => JSON.stringify([match['created_at'], match['id']]));
      expect(order).toEqual(order.toSorted().toReversed());
      await post('/api.DeleteRule', { rule_id });
    });

    it('takes all fields as optional, and filters by platform, time and text', async () => {
      const rule_id = await createRule(xRule('filtered'));
      await push('x', [xPost('41', 'filtered Café'), xPost('42', 'filtered tea')]);
      expect((await matchesOf({})).length).toBeGreaterThanOrEqual(2);
      expect(await matchesOf({ rule_id, platform: 'firehose' })).toEqual([]);
      expect(await matchesOf({ rule_id, platform: 'x', limit: 1 })).toHaveLength(1);
      expect((await matchesOf({ rule_id, text: 'CAFÉ' })).map((match) => match['platform_post_id'])).toEqual(['41']);
      expect(await matchesOf({ rule_id, since: '2100-01-01T00:00:00Z' })).toEqual([]);
      expect(await matchesOf({ rule_id, until: '2100-01-01T00:00:00Z' })).toHaveLength(2);
      await post('/api.DeleteRule', { rule_id });
    });

    it.each([
      [{ limit: 0 }],
      [{ limit: 1_001 }],
      [{ limit: 1.5 }],
      [{ limit: '5' }],
      [{ platform: 'web' }],
      [{ cursor: 'nonsense' }],
      [{ since: 'yesterday' }],
      [{ rules: [] }],
    ])('refuses %o', async (body) => {
      expect(failureIn(await post('/matches', body))).toBe('400 invalid_argument');
    });
  });
}
