import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COVERAGE_REASONS } from '../../src/domain/coverage.ts';

it('docs/coverage.md lists every reason, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/coverage.md'), 'utf8');
  // The table of reasons stands before the lines of a certificate.
  const reasons = text.slice(0, text.indexOf('## Certificates'));
  const listed = [...reasons.matchAll(/^\| `([a-z_]+)(?::<name>)?` \|/gm)].map(([, code]) => code);
  expect(listed).toEqual(Object.keys(COVERAGE_REASONS));
});
