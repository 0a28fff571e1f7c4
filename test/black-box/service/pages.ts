import { describe, expect, it } from 'vitest';
import { failureIn } from '../server.ts';
import type { Stage } from './stage.ts';

export function pageCases({ call, url }: Stage): void {
  describe('the pages', () => {
    it.each(['/healthz', '/readyz', '/openapi.json', '/docs', '/llms.txt'])('%s needs no key', async (path) => {
      expect((await call('GET', path, undefined, { key: undefined })).status).toBe(200);
    });

    it('shows figures to the operator alone', async () => {
      expect(failureIn(await call('GET', '/metrics', undefined, { key: undefined }))).toBe('401 unauthenticated');
      const { status, text } = await call('GET', '/metrics');
      expect(status).toBe(200);
      for (const name of [
        'sluice_events_total',
        'sluice_matches_total',
        'sluice_rules_evaluated_total',
        'sluice_queued_events',
        'sluice_commit_seconds',
        'sluice_request_seconds',
        'nodejs_eventloop_lag_seconds',
        'sluice_gaps_total',
      ]) {
        expect(text).toContain(name);
      }
    });

    it('asks no other host for anything', async () => {
      const { text, headers } = await call('GET', '/docs/', undefined, { key: undefined });
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(text.match(/(?:src|href)="(?!#|\.\.\/|style\.css")[^"]*"/g) ?? []).toEqual([]);
      expect((await call('GET', '/docs/style.css', undefined, { key: undefined })).status).toBe(200);
    });

    it('tells an agent how to begin, with the address it was reached at', async () => {
      const { text } = await call('GET', '/llms.txt', undefined, { key: undefined });
      expect(text).toContain(`${url()}/api.CreateRule`);
      expect((await call('GET', '/openapi.json')).body).toMatchObject({
        info: { version: '1' },
        servers: [{ url: url() }],
      });
    });
  });
}
