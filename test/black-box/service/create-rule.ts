import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import { firehoseRule, issuePaths, type Stage, xRule } from './stage.ts';

export function createRuleCases({ call, post, createRule }: Stage): void {
  describe('Create Rule', () => {
    it('answers 200 with the id and what each platform registered, trimmed as the caller wrote it', async () => {
      const answer = await post('/api.CreateRule', {
        name: 'Volcano news',
        intent: 'Tell me when a volcano erupts.',
        platforms: ['x', 'firehose'],
        overrides: { x: '  (volcano OR lava) erupting ', firehose: 'title:volcano' },
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        rule_id: expect.stringMatching(/^rule_/),
        platforms: {
          x: { platform_rule_id: expect.any(String), translated_value: '(volcano OR lava) erupting' },
          firehose: { platform_rule_id: expect.any(String), translated_value: 'title:volcano' },
        },
      });
      await post('/api.DeleteRule', { rule_id: answer.body['rule_id'] });
    });

    it.each([
      ['a missing field', { intent: '', platforms: ['x'], overrides: { x: 'a' } }, 'name'],
      ['an empty name', { ...xRule('a'), name: '' }, 'name'],
      ['a long name', { ...xRule('a'), name: 'n'.repeat(201) }, 'name'],
      ['a long intent', { ...xRule('a'), intent: 'n'.repeat(2_001) }, 'intent'],
      ['no platform', { ...xRule('a'), platforms: [], overrides: {} }, 'platforms'],
      ['an unknown platform', { ...xRule('a'), platforms: ['myspace'] }, 'platforms.0'],
      ['a platform twice', { ...xRule('a'), platforms: ['x', 'x'] }, 'platforms.1'],
      ['a missing override', { ...xRule('a'), platforms: ['x', 'firehose'] }, 'overrides.firehose'],
      ['an override too many', { ...xRule('a'), overrides: { x: 'a', firehose: 'b' } }, 'overrides.firehose'],
      ['an empty override', xRule('   '), 'overrides.x'],
      ['an override of another type', { ...xRule('a'), overrides: { x: 7 } }, 'overrides.x'],
      ['an unknown field', { ...xRule('a'), colour: 'red' }, 'colour'],
      ['a rule that does not parse', xRule('"never closed'), 'overrides.x'],
    ])('names %s', async (_, body, path) => {
      const answer = await post('/api.CreateRule', body);
      expect(failureIn(answer)).toBe('400 invalid_argument');
      expect(issuePaths(answer)).toContain(path);
    });

    it('shows every problem at once, with positions, and a suggestion where one is known', async () => {
      const answer = await post('/api.CreateRule', {
        name: '',
        intent: 5,
        platforms: ['x'],
        overrides: { x: 'lava AND magma' },
        extra: 1,
      });
      expect(failureIn(answer)).toBe('400 invalid_argument');
      expect(issuePaths(answer)).toEqual(expect.arrayContaining(['name', 'intent', 'extra', 'overrides.x']));
      const issues = (answer.body['details'] as { issues: Record<string, unknown>[] }).issues;
      expect(issues.find(({ path }) => path === 'overrides.x')).toMatchObject({
        position: { start: 5, end: 8 },
        suggestion: 'lava magma',
      });
    });

    it('takes two rules with one value; they share the platform’s rule', async () => {
      const ids = [
        await post('/api.CreateRule', xRule('shared value')),
        await post('/api.CreateRule', xRule('shared value')),
      ];
      const held = ids.map(({ body }) => (body['platforms'] as { x: { platform_rule_id: string } }).x.platform_rule_id);
      expect(held[0]).toBe(held[1]);
      expect(ids[0]!.body['rule_id']).not.toBe(ids[1]!.body['rule_id']);
      for (const { body } of ids) await post('/api.DeleteRule', { rule_id: body['rule_id'] });
    });

    it('takes Firehose’s own flags as options', async () => {
      const id = await createRule({ ...firehoseRule('title:lava'), options: { firehose: { quality: true } } });
      const { body } = await call('GET', `/api.GetRule?rule_id=${id}`);
      expect(body).toMatchObject({ id, platforms: { firehose: { status: 'active' } } });
      await post('/api.DeleteRule', { rule_id: id });
    });

    it('answers the same request with the same Idempotency-Key once', async () => {
      const headers = { 'idempotency-key': 'only-once' };
      const first = await post('/api.CreateRule', xRule('once'), headers);
      const again = await post('/api.CreateRule', xRule('once'), headers);
      expect(again.body).toEqual(first.body);
      expect(failureIn(await post('/api.CreateRule', xRule('another'), headers))).toBe('409 already_exists');
      expect(failureIn(await post('/api.CreateRule', xRule('another'), { 'idempotency-key': 'k'.repeat(256) }))).toBe(
        '400 invalid_argument',
      );
      await post('/api.DeleteRule', { rule_id: first.body['rule_id'] });
    });

    it('stops at the limit of x rules and says how to get more', async () => {
      const ids: string[] = [];
      for (let rule = 0; rule < 25; rule++) ids.push(await createRule(xRule(`limit${rule}`)));
      const answer = await post('/api.CreateRule', xRule('one too many'));
      expect(failureIn(answer)).toBe('429 resource_exhausted');
      expect(answer.body['details']).toEqual({ limit_code: 'x_rules', platform: 'x', limit: 25, used: 25 });
      expect(answer.body['message']).toContain('help@sluice.test');
      expect((await post('/api.CreateRule', firehoseRule('no limit here'))).status).toBe(200);
      for (const rule_id of ids) expect((await post('/api.DeleteRule', { rule_id })).status).toBe(200);
    });
  });
}
