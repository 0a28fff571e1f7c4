import { describe, expect, it } from 'vitest';
import { heldRulesIn, problemWords, ruleCountsIn, ruleOutcomes } from './rule-calls.ts';
import { problemIn } from './wire.ts';

const batch = ['a', 'b'].map((value) => ({ value, flags: {}, tag: '' }));
const outcomes = (status: number, body: Record<string, unknown>) =>
  Object.fromEntries(ruleOutcomes(batch, status, body, (words) => words.toUpperCase()));
const problem = (name: string) => `https://api.x.com/2/problems/${name}`;

describe('an answer about a batch of rules', () => {
  it('has the id of each rule that X made, and the problem of each that it did not', () => {
    const errors = [{ value: 'b', title: 'UnprocessableEntity', details: ['no', 'good'] }, { title: 'about no rule' }];
    expect(outcomes(200, { data: [{ id: '1', value: 'a' }], errors })).toEqual({
      a: { id: '1' },
      b: { error: expect.objectContaining({ fault: 'refused', upstreamMessage: 'NO GOOD' }) as unknown },
    });
  });

  it.each([{ title: 'DuplicateRule' }, { type: problem('duplicate-rules') }])(
    'knows a rule that is held: %j',
    (held) => {
      expect(outcomes(200, { errors: [{ value: 'a', id: '7', ...held }] })).toEqual({ a: { heldAs: '7' } });
      expect(outcomes(200, { errors: [{ value: 'a', ...held }] })).toEqual({ a: { heldAs: undefined } });
    },
  );

  it.each([{ title: 'RulesCapExceeded' }, { type: problem('rule-cap') }])('knows a full account: %j', (full) => {
    expect(outcomes(200, { errors: [{ value: 'a', detail: 'full', ...full }] })).toMatchObject({
      a: { error: { fault: 'limit', message: 'X holds as many rules as it allows.', upstreamMessage: 'FULL' } },
    });
  });

  it('concerns all of them where it names none and has failed', () => {
    const body = { title: 'RulesCapExceeded' };
    expect(outcomes(400, body)).toMatchObject({ a: { error: { fault: 'limit' } }, b: { error: { fault: 'limit' } } });
    expect(outcomes(399, body)).toEqual({});
    expect(outcomes(400, { ...body, data: [{ id: '1', value: 'a' }] })).toEqual({ a: { id: '1' } });
  });

  it('is quoted by its details, its detail or its title', () => {
    const words = (value: unknown) => problemWords(problemIn(value));
    expect(words({ title: 't', detail: 'd', details: ['x', 'y'] })).toBe('x y');
    expect(words({ title: 't', detail: 'd' })).toBe('d');
    expect(words({ title: 't' })).toBe('t');
  });
});

describe('what X lists', () => {
  it('is read with its tag, and left out without an id', () => {
    expect(heldRulesIn([{ id: '1', value: 'a', tag: 't' }, { id: '2' }, { value: 'b' }, 7])).toEqual([
      { id: '1', value: 'a', flags: {}, tag: 't' },
      { id: '2', value: '', flags: {}, tag: undefined },
    ]);
  });

  it('has as much room as the smaller cap leaves', () => {
    const counts = (data: Record<string, unknown>) => ruleCountsIn(data);
    expect(counts({ cap_per_client_app: '10' })).toEqual({ cap: 10, used: 0 });
    expect(counts({ cap_per_project: 10, client_app_rules_count: { rule_count: 4 } })).toEqual({ cap: 10, used: 4 });
    const shared = { cap_per_project: 10, project_rules_count: 7, client_app_rules_count: { rule_count: 4 } };
    expect(counts(shared)).toEqual({ cap: 7, used: 4 });
    expect(counts({ ...shared, project_rules_count: 2 })).toEqual({ cap: 10, used: 4 });
    expect(counts({ ...shared, cap_per_client_app: 5 })).toEqual({ cap: 5, used: 4 });
  });
});
