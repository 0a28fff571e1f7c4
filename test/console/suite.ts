/**
 * Suites that need a browser. Where there is none they are skipped, and the last lines of `npm test` say so; with CI=true
 * that is a failure.
 *
 *     consoleSuite('the first visit', () => { it('…', async () => { await using visit = await openConsole(); … }) })
 */
import { describe, expect, inject, it } from 'vitest';
import { chromiumPath, useShared } from './visitors.ts';

export function consoleSuite(name: string, suite: () => void): void {
  if (chromiumPath === undefined && process.env['CI'] === 'true') {
    it(`browser: ${name}`, () => expect.fail('There is no Chromium, and CI=true asks for one.'));
    return;
  }
  describe.runIf(chromiumPath !== undefined)(`browser: ${name}`, () => {
    useShared(inject('server')!);
    suite();
  });
}
