/** No text of a stranger meets a call whose time grows faster than the text. */
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SourceFile, sourceFiles } from './measures.ts';
import { LINEAR, regexGrowth } from './regex-steps.ts';
import { regexesIn, textCalls, WATCHED } from './text-calls.ts';
import { CALLS, OWN, SLOW_REGEXES, STEADY } from './text-calls-table.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const files = ['src', 'console/src', 'sandbox', 'packages/client/src'].flatMap((folder) =>
  sourceFiles(ROOT, folder, /(?<!\.test)\.tsx?$/),
);

const WHAT_TO_DO =
  'Such a call takes more than linear time on some texts. For strangers’ texts use normalize, parseUrl and textFinder of src/base. ' +
  'Otherwise say in test/house/text-calls-table.ts which text reaches it and what bounds it; `npm run bench -- growth` measures.';

it('every call that may take more than linear time is in the table, with what reaches it', () => {
  const found = Object.fromEntries(
    files.map((file) => [file.path, textCalls(file)] as const).filter(([, calls]) => calls !== ''),
  );
  const listed = { ...OWN, ...Object.fromEntries(Object.entries(CALLS).map(([path, { calls }]) => [path, calls])) };
  expect(found, WHAT_TO_DO).toEqual(listed);
});

it('every method of texts is looked for, or is known to follow the text', () => {
  const steady = Object.keys(STEADY).flatMap((names) => names.split(' '));
  // The methods that write HTML are used nowhere: the linter refuses them.
  const html = 'anchor big blink bold fixed fontcolor fontsize italics link small strike sub sup trimLeft trimRight';
  const methods = Object.getOwnPropertyNames(String.prototype).filter((name) => !html.split(' ').includes(name));
  expect(methods.filter((name) => WATCHED.includes(name) === steady.includes(name))).toEqual([]);
});

it('no regular expression takes more than linear time, but for those whose texts are short', () => {
  const regexes = new Map(
    files.flatMap(regexesIn).map(({ source, flags, path }) => [`/${source}/${flags}`, { source, flags, path }]),
  );
  const slow = [...regexes].flatMap(([written, { source, flags, path }]) => {
    const { growth, text } = regexGrowth(source, flags);
    return growth > LINEAR ? [{ written, growth, path, text }] : [];
  });
  const shown = slow.map(({ written, growth, path, text }) => `${path}: ${written} grows ${growth} times on ${text}`);
  const whatToDo = `Its steps grow that often when the text doubles. Rewrite it, or bound its text and say so in SLOW_REGEXES:\n${shown.join('\n')}`;
  expect(slow.map(({ written }) => written).toSorted(), whatToDo).toEqual(Object.keys(SLOW_REGEXES).toSorted());
});

describe('calls are found', () => {
  const callsIn = (text: string) => textCalls({ path: join('src', 'a.ts'), text } satisfies SourceFile);

  it.each([
    ["text.normalize('NFC')", 'normalize 1'],
    ['one.localeCompare(other) + text.toLocaleLowerCase()', 'localeCompare 2'],
    ['new Intl.Collator().compare(one, other)', 'Intl.Collator 1'],
    ['new RegExp(text).test(other)', 'RegExp 1'],
    ['URL.canParse(text) && new URL(text)', 'URL 2'],
    ['z.array(z.url({ protocol: /^https$/ })).max(20)', 'URL 1'],
    ['text.split(mark)', 'pattern 1'],
    ['text.replaceAll(old, "new")', 'pattern 1'],
    ['text.replace("old", young + old)', 'replacement 1'],
  ])('%s', (text, calls) => {
    expect(callsIn(text)).toBe(calls);
  });

  it.each([
    "text.split('a').toSorted()",
    'text.replaceAll(/a/g, () => text)',
    'const MARK = /a/;\ntext.replace(MARK, "b")',
    "new URL('core.wasm', import.meta.url)",
    'new Intl.NumberFormat("en").format(1)',
    'JSON.parse(text).value.toLowerCase()',
  ])('not so %s', (text) => {
    expect(callsIn(text)).toBe('');
  });
});

describe('the steps of a regular expression', () => {
  it.each([
    ['/+$', ''],
    ['\\s*,\\s*', 'g'],
    ['(\\w+):$', ''],
    ['^(a+)+$', ''],
    ['^(?:\\w|a)*$', ''],
    ['/\\*\\s*(.*?)\\s*\\*/', 'g'],
    ['<a[^>]*>', 'g'],
    ['^x*y?x*z', ''],
    ['(?<=^\\d+)-', 'g'],
  ])('grow too fast with %s', (source, flags) => {
    expect(regexGrowth(source, flags).growth).toBeGreaterThan(3);
  });

  it.each([
    ['\\s+', 'g'],
    ['^\\d+$', ''],
    ['<a[^<>]*>', 'g'],
    ['[a-z]{1,64}$', ''],
    ['(?<![a-z])#([a-z0-9]*[a-z][a-z0-9]*)', 'gi'],
    ['^(?:[\\w-]+\\.)+[a-z]{2,}$', 'i'],
    ['[\\p{L}\\p{N}]+', 'gu'],
    ['[[a-z]--[b]]+', 'v'],
  ])('follow the text with %s', (source, flags) => {
    expect(regexGrowth(source, flags).growth).toBeLessThanOrEqual(LINEAR);
  });
});
