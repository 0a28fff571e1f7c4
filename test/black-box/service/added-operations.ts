import { describe, expect, it } from 'vitest';
import { type Stage, xPost, xRule } from './stage.ts';

export function addedOperationCases({ call, push, post, createRule, matchesOf }: Stage): void {
  describe('the added operations', () => {
    it('validates without creating, and tries an event', async () => {
      const wrong = await post('/api.ValidateRule', { platform: 'x', value: 'lava AND magma' });
      expect([wrong.status, wrong.body['valid']]).toEqual([200, false]);
      const right = await post('/api.ValidateRule', { platform: 'x', value: 'lava', event: xPost('1', 'hot lava') });
      expect(right.body).toMatchObject({
        valid: true,
        issues: [],
        matched: true,
        highlights: [{ field: 'data.text', start: 4, end: 8 }],
      });
    });

    it('previews over recent events', async () => {
      await push('x', [xPost('51', 'previewable words')]);
      const { status, body } = await post('/api.PreviewRule', { platforms: ['x'], overrides: { x: 'previewable' } });
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain('previewable words');
    });

    it('translates, explains, counts, updates and erases', async () => {
      expect((await post('/api.TranslateRule', { platform: 'x', value: 'lava' })).status).toBe(200);
      const rule_id = await createRule(xRule('eruption'));
      await push('x', [xPost('61', 'an eruption')]);
      const [match] = await matchesOf({ rule_id });
      expect((await post('/api.ExplainMatch', { match_id: match!['id'] })).status).toBe(200);
      const counted = await post('/api.MatchCounts', { rule_id });
      expect(counted.status).toBe(200);

      expect((await post('/api.UpdateRule', { rule_id, name: 'Renamed', overrides: { x: 'ash' } })).status).toBe(200);
      expect((await call('GET', `/api.GetRule?rule_id=${rule_id}`)).body).toMatchObject({
        name: 'Renamed',
        version: 2,
      });
      expect(await matchesOf({ rule_id })).toMatchObject([{ rule_version: 1 }]);
      await push('x', [xPost('62', 'an eruption'), xPost('63', 'ash')]);
      expect(await matchesOf({ rule_id })).toMatchObject([
        { rule_version: 2, platform_post_id: '63' },
        { rule_version: 1 },
      ]);
      await post('/api.UpdateRule', { rule_id, paused: true });
      expect((await push('x', [xPost('64', 'ash')])).body).toMatchObject({ matches: 0 });

      expect((await post('/api.DeleteMatches', { platform: 'x', platform_post_id: '61' })).status).toBe(200);
      expect(await matchesOf({ rule_id })).toHaveLength(1);
      await post('/api.DeleteRule', { rule_id });
    });

    it('says how it does', async () => {
      expect((await call('GET', '/api.Status')).body).toMatchObject({
        ready: true,
        account: { name: 'default' },
        instance: {},
      });
    });
  });
}
