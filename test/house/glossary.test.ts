/** One word, one meaning: types of the domain are named by the glossary's words, and no word names two types. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { sharedNames, sourceFiles } from './measures.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const words = [...page.matchAll(/^\| \*\*([a-z]+)\*\* \|/gm)].map(([, word]) => word!);
const typeNames = new Set(words.map((word) => word[0]!.toUpperCase() + word.slice(1)));
/** The client gives callers the service's nouns under their own names. */
const files = sourceFiles(ROOT, 'src').filter(({ path }) => !path.startsWith(join('src', 'client')));

/** Words that say which, of what kind or how many, beside a word of the glossary. */
const QUALIFIERS = new Set([
  'changed',
  'due',
  'prepared',
  'rule',
  'new',
  'stored',
  'shared',
  'webhook',
  'delivery',
  'status',
  'health',
  'format',
  'flags',
  'state',
  'secrets',
  'kind',
  'name',
  'contract',
  'unit',
  'entry',
  'limit',
  'column',
  'hours',
  'terms',
]);

const singular = (word: string): string => (words.includes(word.slice(0, -1)) ? word.replace(/s$/, '') : word);

it('says each word once', () => {
  expect(words.length).toBeGreaterThan(40);
  expect(new Set(words).size).toBe(words.length);
});

it('has a word for every type of the domain', () => {
  const domain = files.filter(({ path }) => path.startsWith(join('src', 'domain')));
  for (const { path, text } of domain) {
    for (const [, name] of text.matchAll(/^export (?:interface|type) (\w+)/gm)) {
      const parts = name!.split(/(?=[A-Z])/).map((part) => singular(part.toLowerCase()));
      expect(
        parts.some((part) => words.includes(part)) &&
          parts.every((part) => words.includes(part) || QUALIFIERS.has(part)),
        `${name} in ${path}`,
      ).toBe(true);
    }
  }
});

it('gives no word of the glossary to two types', () => {
  const twice = [...sharedNames(files)].filter(([name]) => typeNames.has(name));
  expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
});
