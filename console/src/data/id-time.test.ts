import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import { timeOfId } from './id-time.ts';

it('an id says when it was made, and what is no id says nothing', () => {
  const at = new Date('2026-11-15T08:30:00.123Z');
  expect(timeOfId(newId('match', at))).toBe(at.getTime());
  for (const id of ['', 'match_', '../x', 'match_0123']) expect(timeOfId(id)).toBeUndefined();
});
