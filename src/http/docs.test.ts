import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../service/errors.ts';
import { STATUS } from './errors.ts';
import { ROUTES, readRoute } from './routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/http-api.md'), 'utf8');

describe('docs/http-api.md', () => {
  it('lists every error code with its status, and no other', () => {
    const listed = [...page.matchAll(/^\| `([a-z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(Object.fromEntries(listed)).toEqual(STATUS);
    expect(Object.keys(STATUS)).toEqual([...ERROR_CODES]);
  });

  it('lists every operation where it is', () => {
    const listed = [...page.matchAll(/^\| `(GET|POST) ([^`?]+)[^`]*`/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const routes = Object.values(ROUTES).map((route) => {
      const { methods, path } = readRoute(route);
      return `${methods[0]} ${path}`;
    });
    expect(listed.toSorted()).toEqual(routes.toSorted());
  });
});
