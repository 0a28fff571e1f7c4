import { describe, expect, it } from 'vitest';
import { readRoute } from './routes.ts';

describe('a route', () => {
  it('has one method or two, and a path', () => {
    expect(readRoute('GET|POST /api.ListRules')).toEqual({ methods: ['GET', 'POST'], path: '/api.ListRules' });
    expect(readRoute('POST /matches')).toEqual({ methods: ['POST'], path: '/matches' });
  });
});
