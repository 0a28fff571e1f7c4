/** Every invariant names a test, and that test exists. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/invariants.md'), 'utf8');
const rows = [...page.matchAll(/^\| \d+ \| (.+) \| `([^`]+)`: (.+) \|$/gm)].map(([, what, file, title]) => ({
  what: what!,
  file: file!,
  title: title!,
}));

describe('the invariants', () => {
  it('are at most twelve', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(12);
    expect(page.match(/^\| \d+ \|/gm)).toHaveLength(rows.length);
  });

  it.each(rows)('"$what" has its test', ({ file, title }) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title);
  });
});
