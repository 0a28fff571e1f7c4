import { expect, it } from 'vitest';
import { trimEnd } from './parse-url.ts';

it.each([
  ['https://a//', '/', 'https://a'],
  ['a=[', '[]=', 'a'],
  ['///', '/', ''],
  ['', '/', ''],
  ['/a', '/', '/a'],
  ['a🌋', '🌋', 'a'],
])('of %j without %j at its end, %j is left', (text, characters, left) => {
  expect(trimEnd(text, characters)).toBe(left);
});
