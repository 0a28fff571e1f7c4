import { describe, expect, it } from 'vitest';
import { type Issue, invalidArgument, ServiceError } from '../service/errors.ts';
import { errorResult } from './errors.ts';
import { type Flag, visible } from './untrusted.ts';

const told = (error: ServiceError): string[] => {
  const { isError, content } = errorResult(error);
  expect(isError).toBe(true);
  return (content[0] as { text: string }).text.split('\n');
};

const issue = (message: string, more: Partial<Issue> = {}): Issue => ({ path: 'overrides.x', message, ...more });

describe('a failure, as an agent reads it', () => {
  it('says what is wrong, and what to do next', () => {
    expect(told(new ServiceError('not_found', 'There is no such rule.'))).toEqual([
      'not_found: There is no such rule.',
      'Next: Call list_rules or list_matches to see what exists; ids are never guessed.',
    ]);
  });

  it('lists mistakes with their places, and each corrected text once', () => {
    const fixes = [{ value: 'storm', meaning: 'without the operator' }];
    const at = { position: { start: 3, end: 7 }, fixes };
    expect(told(invalidArgument([issue('Empty.'), issue('Unknown operator.', at), issue('Twice.', at)]))).toEqual([
      'invalid_argument: this must be put right.',
      '- Empty.',
      '- overrides.x: Unknown operator. (characters 3 to 7)',
      '- overrides.x: Twice. (characters 3 to 7)',
      'Corrected overrides.x: storm (without the operator)',
      'Next: Correct what is listed and call again. check_rule tries a rule without creating it.',
    ]);
  });

  it('lists ten mistakes at most, and says how many more there are', () => {
    const many = (count: number) => invalidArgument(Array.from({ length: count }, (_, at) => issue(`Mistake ${at}.`)));
    expect(told(many(10)).slice(9, 12)).toEqual(['- Mistake 8.', '- Mistake 9.', expect.stringMatching(/^Next: /)]);
    expect(told(many(12)).slice(10, 12)).toEqual(['- Mistake 9.', '- and 2 more']);
  });

  it('leads on from a cursor that is too old, and from a full X account', () => {
    const expired = new ServiceError('failed_precondition', 'It is too old.', {
      details: { reason: 'cursor_expired' },
    });
    expect(told(expired).at(-1)).toMatch(/^Next: Call list_matches without a cursor/);
    const full = new ServiceError('resource_exhausted', 'It is full.', { details: { platform: 'x' } });
    expect(told(full).at(-1)).toMatch(/^Next: Delete a rule that is no longer needed/);
    const others = [
      new ServiceError('resource_exhausted', 'It is full.', { details: { platform: 'firehose' } }),
      new ServiceError('failed_precondition', 'It is not ready.', { details: { platform: 'x' } }),
    ];
    expect(others.map((error) => told(error).at(-1))).toEqual([
      'Next: Wait, then call again.',
      'Next: Call status to see the state of the platforms.',
    ]);
  });
});

describe('what is hidden in a text', () => {
  it.each<[string, Flag]>([
    ['\u{e0000}', 'tag_characters'],
    ['\u{e007f}', 'tag_characters'],
    ['\u{e0080}', 'invisible'],
    ['\u202e', 'direction'],
    ['\u200b', 'zero_width'],
    ['\u0007', 'control'],
  ])('is told by its kind: %j', (character, flag) => {
    const flags = new Set<Flag>();
    visible(`a${character}b`, flags);
    expect([...flags]).toEqual([flag]);
  });
});
