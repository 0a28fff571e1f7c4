import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import type { Stage } from './stage.ts';

export function answerCases({ call, post }: Stage): void {
  describe('every failure', () => {
    it('has the one shape', async () => {
      expect(failureIn(await call('GET', '/nowhere'))).toBe('404 not_found');
      expect(
        failureIn(await call('POST', '/nowhere', undefined, { raw: 'x', headers: { 'content-type': 'text/plain' } })),
      ).toBe('404 not_found');
      expect(failureIn(await call('GET', '/api.CreateRule'))).toBe('405 unimplemented');
      expect(failureIn(await call('OPTIONS', '/matches', undefined, { key: undefined }))).toBe('405 unimplemented');
      for (const raw of ['', '{', '[]', 'null', '"text"', '{"a":1,"a":2}', `${'['.repeat(33)}${']'.repeat(33)}`]) {
        expect(failureIn(await call('POST', '/api.CreateRule', undefined, { raw }))).toBe('400 invalid_argument');
      }
      expect(failureIn(await post('/api.CreateRule', { name: 'n'.repeat(256 * 1024) }))).toBe('413 invalid_argument');
      expect(
        failureIn(await call('POST', '/matches', undefined, { raw: '{}', headers: { 'content-type': 'text/plain' } })),
      ).toBe('415 invalid_argument');
      expect(
        failureIn(await call('POST', '/matches', undefined, { raw: '{}', headers: { 'content-encoding': 'gzip' } })),
      ).toBe('415 invalid_argument');
      expect(failureIn(await call('GET', '/%ZZ'))).toBe('400 invalid_argument');
      expect(failureIn(await call('GET', '/api.GetRule'))).toBe('400 invalid_argument');
      expect(failureIn(await call('GET', '/api.GetRule?rule_id=a&rule_id=b'))).toBe('400 invalid_argument');
      expect(failureIn(await call('GET', '/healthz', undefined, { headers: { 'x-filler': 'f'.repeat(9_000) } }))).toBe(
        '431 invalid_argument',
      );
    });

    it('says which methods a path answers', async () => {
      expect((await call('PUT', '/matches')).headers.get('allow')).toBe('POST');
      expect((await call('DELETE', '/api.ListRules')).headers.get('allow')?.split(', ').toSorted()).toEqual([
        'GET',
        'HEAD',
        'POST',
      ]);
    });
  });

  describe('every answer', () => {
    it('has a request id: the caller’s when it can stand in a log', async () => {
      expect((await call('GET', '/healthz')).headers.get('x-request-id')).toMatch(/^req_/);
      expect((await call('GET', '/nowhere')).headers.get('x-request-id')).toMatch(/^req_/);
      const echo = async (id: string) =>
        (await call('GET', '/healthz', undefined, { headers: { 'x-request-id': id } })).headers.get('x-request-id');
      expect(await echo('mine-1.2_3')).toBe('mine-1.2_3');
      expect(await echo('has "quotes"')).toMatch(/^req_/);
    });

    it('lets no other site read it', async () => {
      const { headers } = await call('GET', '/api.ListRules', undefined, {
        headers: { origin: 'https://evil.test' },
      });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    });
  });
}
