/**
 * How the time of what meets a stranger's text grows when the text doubles: 2 is linear, 4 quadratic. The calls of the
 * language itself come first, on hostile texts of every kind, then our own in their place, then every regular expression of
 * the sources on the text that takes it most steps. `test/house/text-calls-table.ts` says what reaches those that grow faster.
 */
import { resolve } from 'node:path';
import { normalize } from '../src/base/normalize.ts';
import { parseUrl } from '../src/base/parse-url.ts';
import { textFinder } from '../src/base/text-finder.ts';
import { fold as foldPage } from '../src/rules/firehose/words.ts';
import { fold as foldPost } from '../src/rules/x/words.ts';
import { growthOf, upTo } from '../test/complexity/doubling.ts';
import { HARD_MARKS } from '../test/generated/marks.ts';
import { sourceFiles } from '../test/house/measures.ts';
import { hardestText } from '../test/house/regex-steps.ts';
import { regexesIn } from '../test/house/text-calls.ts';

export interface GrowthFigures {
  readonly name: string;
  readonly text: string;
  readonly growth: number;
  readonly milliseconds: number;
}

const FIRST = 1_024;
const LARGEST = 1024 * 1024;
/** A text that takes longer is not doubled again. */
const LONG_MS = 8;

const UNITS: readonly string[] = [
  ...HARD_MARKS,
  ...Array.from('a \n1-./"\\[%éΣİßŉ火🌋\u0301\u200d\ufdfa한'),
  '\ud800',
  'ab ',
  "Σ'",
  '\u1100\u1161',
  '//',
  '&amp;',
  '{"a":',
  '$&',
  'a@',
  '#a ',
];

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const middle = (text: string): string => text.slice(0, text.length / 2);

const CALLS: Readonly<Record<string, (text: string) => unknown>> = {
  'String.normalize NFC': (text) => text.normalize('NFC'),
  'String.normalize NFKC': (text) => text.normalize('NFKC'),
  toLowerCase: (text) => text.toLowerCase(),
  toUpperCase: (text) => text.toUpperCase(),
  localeCompare: (text) => `${text}a`.localeCompare(`${text}b`),
  'Intl.Collator': (text) => collator.compare(`${text}a`, `${text}b`),
  'Intl.Segmenter': (text) => Array.from(segmenter.segment(text)).length,
  'JSON.parse of a string': (text) => JSON.parse(JSON.stringify(text)) as unknown,
  'JSON.parse of anything': (text) => attempt(() => JSON.parse(text) as unknown),
  'split at a character': (text) => text.split('a'),
  'split at a text': (text) => text.split('ab'),
  'replaceAll of a text': (text) => text.replaceAll('a', 'b'),
  'toSorted of words': (text) => text.split(' ').toSorted(),
  'includes of a long text': (text) => text.includes(`${middle(text)}x${middle(text)}`),
  'URL.parse of a host': (text) => URL.parse(`http://b${text}/`),
  'URL.parse of a path': (text) => URL.parse(`http://b/${text}`),
  'our normalize NFC': (text) => normalize(`b${text}`, 'NFC'),
  'our normalize NFD': (text) => normalize(`b${text}`, 'NFD'),
  'our parseUrl': (text) => parseUrl(`http://b${text}/`),
  'our textFinder': (text) => textFinder(`${middle(text)}x${middle(text)}`).indexIn(text),
  'folding a post': foldPost,
  'folding a page': foldPage,
};

export async function* benchGrowth(): AsyncGenerator<GrowthFigures> {
  for (const [name, call] of Object.entries(CALLS)) {
    const figures: GrowthFigures[] = [];
    for (const unit of UNITS) figures.push(await grow(name, shown(unit), call, (size) => filled(unit, size)));
    yield figures.reduce((most, one) => (one.growth > most.growth ? one : most));
  }
  const root = resolve(import.meta.dirname, '..');
  const seen = new Set<string>();
  for (const file of ['src', 'console/src', 'packages/client/src'].flatMap((folder) =>
    sourceFiles(root, folder, /(?<!\.test)\.tsx?$/),
  )) {
    for (const { source, flags } of regexesIn(file)) {
      const name = `/${source}/${flags}`;
      const make = seen.has(name) ? undefined : hardestText(source, flags);
      seen.add(name);
      if (make === undefined) continue;
      const regex = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
      yield await grow(`${name} of ${file.path}`, shown(make(3)), (text) => text.replaceAll(regex, ''), make);
    }
  }
}

const shown = (text: string): string => JSON.stringify(text).slice(0, 40);
const filled = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // A text that is none of JSON was read up to where it ends to be some.
  }
}

/** Doubles the text until it takes some milliseconds, or is long, and compares it with a sixteenth of it. */
async function grow(
  name: string,
  text: string,
  call: (text: string) => unknown,
  make: (size: number) => string,
): Promise<GrowthFigures> {
  let largest = FIRST;
  while (largest < LARGEST && timeOf(() => call(make(largest))) < LONG_MS) largest *= 2;
  const { growth, work } = await growthOf({ sizes: upTo(largest), make, work: (given) => void call(given) });
  return { name, text, growth, milliseconds: work.at(-1)! };
}

function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
