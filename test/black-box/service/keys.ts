import { describe, expect, it } from 'vitest';
import { failureIn, KEY } from '../server.ts';
import { type Stage, xPost, xRule } from './stage.ts';

export function keyCases({ call, push, post }: Stage): void {
  describe('keys', () => {
    const withKey = (key: string | undefined, path = '/api.ListRules', method = 'GET') =>
      call(method, path, undefined, { key });

    it('gives one identical 401, whatever is wrong with a whole key, and says what is wrong with the form', async () => {
      const made = (await post('/api.CreateKey', { name: 'short-lived' })).body as { key: string; id: string };
      expect((await withKey(made.key)).status).toBe(200);
      expect((await post('/api.RevokeKey', { key_id: made.id })).status).toBe(200);
      const mistyped = `${made.key.slice(0, -1)}${made.key.endsWith('a') ? 'b' : 'a'}`;
      const withHeader = (authorization: string) =>
        call('GET', '/api.ListRules', undefined, { key: undefined, headers: { authorization } });
      const revoked = await withKey(made.key);
      const cases: [answer: Awaited<typeof revoked>, message: RegExp][] = [
        [revoked, /^A valid API key is needed/],
        [await withKey('sk_nonsense'), /^A valid API key is needed/],
        [await withKey(undefined), /^There is no API key in this request/],
        [await withHeader(KEY), /^The header "Authorization" has another form/],
        [await withHeader(`Basic ${KEY}`), /^The header "Authorization" has another form/],
        [await withKey(mistyped), /^This is not a whole API key/],
        [await withKey('x'.repeat(5_000)), /^This is not a whole API key/],
      ];
      for (const [answer, message] of cases) {
        expect(failureIn(answer)).toBe('401 unauthenticated');
        expect(answer.body['message']).toMatch(message);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      expect(cases[1]![0].text).toBe(revoked.text);
    });

    it('does not take a key in the query string', async () => {
      expect(failureIn(await withKey(undefined, `/api.ListRules?key=${KEY}`))).toBe('401 unauthenticated');
    });

    it('lists keys without their secrets', async () => {
      const made = (await post('/api.CreateKey', { name: 'listed', scope: 'read' })).body as {
        key: string;
        id: string;
      };
      const { text, body } = await call('GET', '/api.ListKeys');
      expect(text).not.toContain(made.key);
      expect(text).not.toContain(KEY);
      expect(body['keys']).toContainEqual(
        expect.objectContaining({ id: made.id, name: 'listed', scope: 'read', last_four: made.key.slice(-4) }),
      );
      expect(made.key).toMatch(/^sk_[A-Za-z0-9]{38}$/);
    });

    it('lets a read key read, and an ingest key push, and neither do more', async () => {
      const keyOf = async (scope: string) =>
        (await post('/api.CreateKey', { name: scope, scope })).body['key'] as string;
      const [read, ingest] = [await keyOf('read'), await keyOf('ingest')];
      const as = (key: string) => (method: string, path: string, body?: unknown) => call(method, path, body, { key });
      const reads: [string, string, unknown?][] = [
        ['GET', '/api.ListRules'],
        ['POST', '/matches', {}],
        ['POST', '/platforms/syntax', {}],
        ['POST', '/platforms/values', { platform: 'x', operator: 'lang' }],
        ['POST', '/api.ValidateRule', { platform: 'x', value: 'a' }],
        ['POST', '/api.PreviewRule', { platforms: ['x'], overrides: { x: 'lava' } }],
        ['POST', '/api.NearMisses', { platform: 'x', value: 'lava' }],
        ['GET', '/api.Status'],
      ];
      const writes: [string, string, unknown?][] = [
        ['POST', '/api.CreateRule', xRule('a')],
        ['POST', '/api.DeleteRule', { rule_id: 'rule_x' }],
        ['POST', '/api.UpdateRule', { rule_id: 'rule_x' }],
        ['POST', '/api.DeleteMatches', { platform: 'x', platform_post_id: '1' }],
        ['POST', '/api.CreateKey', { name: 'k' }],
        ['POST', '/api.RevokeKey', { key_id: 'key_x' }],
        ['GET', '/metrics'],
      ];
      for (const [method, path, body] of reads) {
        expect([path, (await as(read)(method, path, body)).status]).toEqual([path, 200]);
        expect(failureIn(await as(ingest)(method, path, body))).toBe('403 permission_denied');
      }
      for (const [method, path, body] of writes) {
        expect(failureIn(await as(read)(method, path, body))).toBe('403 permission_denied');
        expect(failureIn(await as(ingest)(method, path, body))).toBe('403 permission_denied');
      }
      expect(failureIn(await push('x', [xPost('1', 'a')], read))).toBe('403 permission_denied');
      expect((await push('x', [xPost('1', 'a')], ingest)).status).toBe(200);
    });

    it('ends a key at its expiry', async () => {
      expect(failureIn(await post('/api.CreateKey', { name: 'late', expires_at: '2020-01-01T00:00:00Z' }))).toBe(
        '400 invalid_argument',
      );
      expect((await post('/api.CreateKey', { name: 'later', expires_at: '2100-01-01T00:00:00Z' })).status).toBe(200);
    });
  });
}
