import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import { type Stage, TIME, xPost, xRule } from './stage.ts';

export function ruleCases({ call, push, post, createRule, matchesOf }: Stage): void {
  describe('List Rules and Delete Rule', () => {
    it('lists rules oldest first, by GET and by POST alike', async () => {
      const ids = [await createRule(xRule('first', 'one')), await createRule(xRule('second', 'two'))];
      const { status, body } = await call('GET', '/api.ListRules');
      expect(status).toBe(200);
      const rules = body['rules'] as Record<string, unknown>[];
      expect(rules.map(({ id }) => id).filter((id) => ids.includes(id as string))).toEqual(ids);
      expect(rules.find(({ id }) => id === ids[0])).toEqual({
        id: ids[0],
        name: 'one',
        intent: '',
        created_at: expect.stringMatching(TIME),
        version: 1,
        paused: false,
        alerts: { surge: false, silence: false },
        platforms: {
          x: {
            platform_rule_id: expect.any(String),
            translated_value: 'first',
            rule_type: 'premium',
            status: 'active',
            match_count: 0,
            last_match_at: null,
          },
        },
      });
      expect((await call('POST', '/api.ListRules')).body).toEqual(body);
      expect((await post('/api.ListRules', {})).body).toEqual(body);
      for (const rule_id of ids) await post('/api.DeleteRule', { rule_id });
    });

    it('deletes with 200 and until when it can be restored; then the rule and its matches are gone, and nothing more is stored', async () => {
      const rule_id = await createRule(xRule('deletable'));
      await push('x', [xPost('901', 'a deletable post')]);
      expect(await matchesOf({ rule_id })).toHaveLength(1);
      const { status, body } = await post('/api.DeleteRule', { rule_id });
      expect([status, body]).toEqual([200, { restorable_until: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }]);
      expect(failureIn(await post('/api.DeleteRule', { rule_id }))).toBe('404 not_found');
      expect(failureIn(await post('/matches', { rule_id }))).toBe('404 not_found');
      expect((await push('x', [xPost('902', 'another deletable post')])).body).toMatchObject({
        accepted: 1,
        matches: 0,
      });
      expect((await matchesOf({})).map((match) => match['rule_id'])).not.toContain(rule_id);
    });

    it('answers not_found to an id that never was', async () => {
      expect(failureIn(await post('/api.DeleteRule', { rule_id: 'rule_nothing' }))).toBe('404 not_found');
      expect(failureIn(await call('GET', '/api.GetRule?rule_id=rule_nothing'))).toBe('404 not_found');
    });
  });
}
