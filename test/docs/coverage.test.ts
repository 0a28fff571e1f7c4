import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COVERAGE_REASONS } from '../../src/domain/coverage-reasons.ts';

it('docs/coverage.md lists every reason, and no other', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/coverage.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `([a-z_]+)(?::<name>)?` \|/gm)].map(([, code]) => code);
  expect(listed).toEqual(Object.keys(COVERAGE_REASONS));
});
