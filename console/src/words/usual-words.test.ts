/** The pages use the words that people expect. These ones are understandable, and nobody else uses them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = resolve(import.meta.dirname, '..');
const UNUSUAL = [
  'Go on',
  'Make the key',
  'I have kept it',
  'Since then',
  'Matched: here',
  'A day, about',
  'asked again and again',
  'It goes with its',
  'told once',
  'Registrations of Sluice',
  'Idempotency keys',
  'Hide facets',
  'Your rules, with paused ones',
  'Unknown source',
  'Matches that webhooks wait for',
  'Wake for',
  'held for the next digest',
  'Missed by <',
  'see their lanes',
  'by the intent alone',
  'fail or rest',
  'Silenced until',
  'Silenced for',
  'be woken',
  'is woken',
  'Since the window',
  'Registration missing',
  'rules rest until',
  "'Blind'",
  'goes out now',
  'is said an hour after it',
  'It tells of',
  'Tells of',
  'Tell me of',
  'Sends at once',
];

/** As words of a page, where names of code may be called so: the API has these operations. */
const UNUSUAL_SHOWN = /[>"'`]\s*(?:Overlap|Rehears(?:al|e))\b/g;
/** It would read “since 10s ago”. */
const SINCE_AGO = /\bsince\s+<Time\b/gi;

it('no page says an unusual word where there is a usual one', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test.'),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((name) => {
    const text = readFileSync(join(SOURCES, name), 'utf8');
    const shown = [...text.matchAll(UNUSUAL_SHOWN), ...text.matchAll(SINCE_AGO)].map(([words]) => words);
    return [...UNUSUAL.filter((words) => text.includes(words)), ...shown].map((words) => `${name}: ${words}`);
  });
  expect(found).toEqual([]);
});
