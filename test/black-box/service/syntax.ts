import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import type { Stage } from './stage.ts';

export function syntaxCases({ post }: Stage): void {
  describe('Get Platform Syntax', () => {
    it('describes each platform so that rules can be written from it', async () => {
      const { status, body } = await post('/platforms/syntax', {});
      expect(status).toBe(200);
      const platforms = body['platforms'] as Record<string, Record<string, unknown>>;
      expect(Object.keys(platforms).toSorted()).toEqual(['firehose', 'x']);
      for (const [name, syntax] of Object.entries(platforms)) {
        expect(Object.keys(syntax)).toEqual(
          expect.arrayContaining([
            'platform',
            'rule_type',
            'summary',
            'grammar',
            'operators',
            'limits',
            'examples',
            'pitfalls',
          ]),
        );
        expect(syntax['platform']).toBe(name);
        for (const { rule } of syntax['examples'] as { rule: string }[]) {
          expect((await post('/api.ValidateRule', { platform: name, value: rule })).body).toMatchObject({
            valid: true,
          });
        }
      }
    });

    it('describes only what is asked for, and refuses what it does not know', async () => {
      expect(Object.keys((await post('/platforms/syntax', { platforms: ['x'] })).body['platforms'] as object)).toEqual([
        'x',
      ]);
      expect(failureIn(await post('/platforms/syntax', { platforms: [] }))).toBe('400 invalid_argument');
      expect(failureIn(await post('/platforms/syntax', { platforms: ['web'] }))).toBe('400 invalid_argument');
      expect(failureIn(await post('/platforms/syntax', { platform: 'x' }))).toBe('400 invalid_argument');
    });
  });
}
