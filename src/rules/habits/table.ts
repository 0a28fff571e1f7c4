/** All habits, in the order in which they are looked for. */
import { COMPARISONS } from './comparisons.ts';
import { NAMES } from './fields.ts';
import type { Habit } from './habit.ts';
import { PATTERNS } from './patterns.ts';
import { PROXIMITY } from './proximity.ts';
import { SIGNS } from './signs.ts';
import { BRACKETS, WRAPPINGS } from './wrappings.ts';

export const HABITS: readonly Habit[] = [
  ...WRAPPINGS,
  ...PROXIMITY,
  ...SIGNS,
  ...COMPARISONS,
  ...NAMES,
  ...PATTERNS,
  ...BRACKETS,
];
