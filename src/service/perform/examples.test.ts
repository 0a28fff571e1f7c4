import { describe, expect, it } from 'vitest';
import { operations } from '../operations.ts';
import type { Operation } from './operation.ts';

const all: readonly (readonly [string, Operation])[] = Object.entries(operations);

/** The paths of lists and texts in which there is nothing. */
function emptyIn(value: unknown, path: string): string[] {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => emptyIn(part, `${path}.${name}`));
}

describe.each(all)('the example of %s', (_, { input, output, example }) => {
  it('is what the operation takes and answers', () => {
    expect(input.safeParse(example.input)).toMatchObject({ success: true });
    expect(output.safeParse(example.output)).toMatchObject({ success: true });
  });
});

/** These are empty when nothing was wrong, nothing was missed and nothing else was found. */
const MAY_BE_EMPTY = [
  'listMatches.output.coverage.reasons',
  'listMatches.output.coverage.platforms.x.reasons',
  'listMatches.output.coverage.gaps',
  'validateRule.output.issues',
  'validateRule.output.explanation.of',
  'nearMisses.output.clauses.0.samples',
  'explainEvent.output.explanation.highlights',
  'explainEvent.output.explanation.of',
  'translateRule.output.measured.finds',
  'explainMatch.output.explanation.of',
  'sendMatch.output.attempts',
  'listWakes.output.waiting',
  'suggestChanges.output.suggestions.0.lost',
  'suggestChanges.output.suggestions.0.unrated_removed',
  'suggestChanges.output.checked',
  'draftRule.output.alternatives',
  'draftRule.output.notes',
  'status.output.platforms.x.slow_rules',
  'status.output.platforms.x.sources',
  'status.output.platforms.x.gaps',
  'setDemo.output.platforms',
  'pushEvents.output.rejected',
];

it('shows what an answer has, not that it may be empty', () => {
  const empty = all.flatMap(([name, { example }]) => emptyIn(example, name));
  expect(empty.toSorted()).toEqual(MAY_BE_EMPTY.toSorted());
});

it('has a name of its own, a summary and a description for every operation', () => {
  expect(new Set(all.map(([, { name }]) => name)).size).toBe(all.length);
  for (const [, { name, summary, description }] of all) {
    expect(name).toMatch(/^[a-z][A-Za-z_]+$/);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(description).toMatch(/^[A-Z].*[.`)]$/s);
  }
});
