/** The size and the shape of the source, held to figures: they may fall, never rise. */
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { countOf, importCycles, longFunctions, medianLines, sharedNames, sourceFiles } from './measures.ts';

const files = sourceFiles(resolve(import.meta.dirname, '..', '..'), 'src');

it('has files of a screen or two', () => {
  expect(medianLines(files)).toBeLessThanOrEqual(117);
});

it('has few functions over 40 lines', () => {
  const long = files.flatMap((file) => longFunctions(file, 40));
  expect(long.length, long.map(({ path, line, lines }) => `${path}:${line} ${lines}`).join('\n')).toBeLessThanOrEqual(
    30,
  );
});

it('has no cycle of imports, types included', () => {
  expect(importCycles(files)).toEqual([]);
});

it('gives few exported names to several files', () => {
  const shared = sharedNames(files);
  expect(shared.size, [...shared.keys()].join(' ')).toBeLessThanOrEqual(37);
});

it('casts few rows in the store', () => {
  const store = files.filter(({ path }) => path.startsWith(join('src', 'store')));
  // Comments begin with one of these.
  expect(countOf(store, /^(?!\s*[/*]).*\bas (?!const\b)/gm)).toBeLessThanOrEqual(12);
});

it('has few files, and few in a row', () => {
  expect(files.length).toBeLessThanOrEqual(945);
  const rows = Map.groupBy(files, ({ path }) => dirname(path));
  const long = [...rows].filter(([, row]) => row.length > 40).map(([folder]) => folder);
  expect(long).toEqual([]);
  expect(rows.get(join('src', 'service'))!.length).toBeLessThanOrEqual(10);
});

it('paces little work by hand', () => {
  const paced = files.filter(({ text }) =>
    /\b(?:setImmediate|createPauses|inSlices|createTurns|breathe|oneATurn)\b/.test(text),
  );
  expect(paced.length, paced.map(({ path }) => path).join('\n')).toBeLessThanOrEqual(9);
});

it("reads Node's http in one place: an import of it loads a second client at every start", () => {
  const imports = /^import (?!type\b)[^;]* from 'node:http';/m;
  expect(files.filter(({ text }) => imports.test(text)).map(({ path }) => path)).toEqual([]);
});

it('begins comments with a noun or a sentence: a clause without its subject must be read twice', () => {
  const clause = /^\s*(?:\/\*\*|\*|\/\/) (?:Undefined|What|Of|Who|Those|The same|All that|Where|Whose)\b.*/gm;
  expect(
    files.flatMap(({ path, text }) => (text.match(clause) ?? []).map((line) => `${path}: ${line.trim()}`)),
  ).toEqual([]);
});
