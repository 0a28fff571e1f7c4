import { describe, expect, it } from 'vitest';
import { trialsOf } from './trials.ts';

const found = (id: string, text: string) => ({
  platform_post_id: id,
  at: '2026-11-15T08:30:00.000Z',
  payload: { data: { id, text } },
  highlights: [],
});

const preview = (...texts: string[]) => ({
  x: {
    events: 9,
    matched: texts.length,
    from: null,
    to: null,
    basis: 'whole_stream' as const,
    rate_per_day: null,
    matches: texts.map((text, at) => found(`c${at}`, text)),
  },
});

const misses = (...clauses: [text: string, missed: number, ...samples: string[]][]) => ({
  platform: 'x' as const,
  value: '',
  basis: { events: 9, span: null, of: 'whole_stream' as const },
  matched: 0,
  clauses: clauses.map(([text, missed, ...samples], clause) => ({
    text,
    missed,
    span: { start: 0, end: 1 },
    samples: samples.map((sample, at) => found(`m${clause}${at}`, sample)),
  })),
});

const shown = (trials: ReturnType<typeof trialsOf>) =>
  trials.map(({ example, lacks }) => (lacks === undefined ? example.text : `${example.text}, lacks ${lacks}`));

describe('the events that a person is asked about', () => {
  it('are three that the rule matches and two that it nearly does, none twice', () => {
    const near = misses(
      ['volcano', 40, 'erupts in anger', 'erupts again'],
      ['erupts', 3, 'volcano in sight', 'a volcano'],
    );
    expect(shown(trialsOf(preview('one', 'One', 'two', 'three', 'four', 'four 4'), [near]))).toEqual([
      'one',
      'two',
      'three',
      'volcano in sight, lacks erupts',
      'a volcano, lacks erupts',
    ]);
  });

  it('are more of one kind where there are few of the other', () => {
    expect(shown(trialsOf(preview('a', 'b', 'c', 'd', 'e', 'f'), []))).toEqual(['a', 'b', 'c', 'd', 'e']);
    const near = misses(['volcano', 4, 'p', 'q'], ['erupts', 3, 'r', 's']);
    expect(shown(trialsOf(preview('a'), [near]))).toHaveLength(5);
  });

  it('are none where the rule has one part and nothing matches it', () => {
    expect(trialsOf(preview(), [misses(['volcano', 900, 'a', 'b'])])).toEqual([]);
  });
});
