/** Every limit has a code, an end of its message and a place where it is used: the sources are read for that. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACCOUNT_LIMITS, type LimitCode, limitReached } from './limits.ts';

const SRC = join(import.meta.dirname, '..');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

const codes = Object.keys(ACCOUNT_LIMITS) as LimitCode[];

describe('every limit', () => {
  it.each(codes)('%s names itself and how to get more, and is used', (code) => {
    const error = limitReached(code, 'The limit is 7.', { support: 'help@example.com', retryAfter: 3 });
    expect(error).toMatchObject({ code: 'resource_exhausted', details: { limit_code: code }, retryAfter: 3 });
    expect(error.message).toContain(ACCOUNT_LIMITS[code].more);
    expect(error.message).toMatch(/^The limit is 7\. Try again in 3 s\. .*; ask help@example\.com\.$/);
    expect(sources.filter(({ path, text }) => path !== 'service/limits.ts' && text.includes(`'${code}'`))).not.toEqual(
      [],
    );
  });

  it('is refused in one way: no other place makes such an error', () => {
    const makers = sources
      .filter(({ text }) => /ServiceError\(\s*'resource_exhausted'/.test(text))
      .map(({ path }) => path);
    expect(makers).toEqual(['service/limits.ts']);
  });
});
