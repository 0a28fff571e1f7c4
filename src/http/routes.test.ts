import { describe, expect, it } from 'vitest';
import { addedCost, COSTS, exportCost, readRoute } from './routes.ts';

describe('a route', () => {
  it('has one method or two, and a path', () => {
    expect(readRoute('GET|POST /api.ListRules')).toEqual({ methods: ['GET', 'POST'], path: '/api.ListRules' });
    expect(readRoute('POST /matches')).toEqual({ methods: ['POST'], path: '/matches' });
  });
});

describe('the cost of a request', () => {
  const SEARCHED = ['text', 'author', 'domain', 'language', 'source', 'min_relevance'];

  it.each(SEARCHED)('is that of a search when `%s` is given', (field) => {
    for (const value of ['lava', '', 0, false]) expect(addedCost('listMatches', { [field]: value })).toBe(9);
    expect(COSTS.matchCounts + addedCost('matchCounts', { [field]: 'lava' })).toBe(10);
    expect(exportCost({ [field]: 'lava' })).toBe(100);
  });

  it.each(['rating', 'story_id', 'event_id'])('is that of a search for counts alone when `%s` is given', (field) => {
    expect(addedCost('matchCounts', { [field]: 'a' })).toBe(8);
    expect(addedCost('listMatches', { [field]: 'a' })).toBe(0);
    expect(exportCost({ [field]: 'a' })).toBe(50);
  });

  it('is the base for what an index has, for what is given as null, and without any input', () => {
    expect(addedCost('listMatches', { rule_id: 'rule_1', limit: 100 })).toBe(0);
    expect(addedCost('listMatches', { text: null, author: undefined })).toBe(0);
    expect([addedCost('listMatches', undefined), addedCost('listMatches', null)]).toEqual([0, 0]);
    expect(addedCost('listRules', { text: 'lava' })).toBe(0);
    expect([exportCost({}), exportCost({ text: null })]).toEqual([50, 50]);
  });
});
