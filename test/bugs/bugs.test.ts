/** The catalogue of bugs is alive: each can still be planted, and the test that must catch it is there. */
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bug } from './bug.ts';
import { BUGS, BUGS_BY_AREA } from './catalogue.ts';
import { tryBugs } from './try-bugs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the catalogue of bugs', () => {
  it('has at least 80, each with an id of its own', () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(80);
    expect(new Set(BUGS.map(({ id }) => id)).size).toBe(BUGS.length);
    for (const [area, bugs] of Object.entries(BUGS_BY_AREA)) expect(bugs.length, area).toBeGreaterThan(0);
  });

  it.each(BUGS)('$id stands in one place of the code, and is a program', ({ file, find, replace }) => {
    const text = textOf(file);
    expect(text.split(find)).toHaveLength(2);
    expect(() => stripTypeScriptTypes(text.replace(find, () => replace))).not.toThrow();
  });

  it.each(BUGS)('$id has its test', ({ caughtBy }) => {
    expect(hasTitle(sourcesOf(caughtBy.file), caughtBy.test)).toBe(true);
  });
});

const CONFORMANCE = 'test/conformance/store';

/** Where the titles of a test file stand. What every store must do is in a folder of its own. */
const sourcesOf = (file: string): string =>
  file.endsWith('/conformance.test.ts')
    ? readdirSync(join(ROOT, CONFORMANCE))
        .map((name) => textOf(join(CONFORMANCE, name)))
        .join('\n')
    : textOf(file);

/** Whether a text in the source is this title, or one with places for values such as `%s` and `$name`. */
const hasTitle = (source: string, title: string): boolean =>
  [...source.matchAll(/(['"`])((?:(?!\1).)+)\1/g)].some(([, , text]) => {
    const parts = text!
      .split(/%[a-z]|\$\{[^}]*\}|\$[\w.]+/)
      .map((part) => part.replaceAll(/[^\w\s]/g, String.raw`\$&`));
    return parts.join('').length >= LEAST_OF_A_TITLE && new RegExp(`^${parts.join('.*')}$`).test(title);
  });

/** Fewer characters beside its values tell nothing of a title. */
const LEAST_OF_A_TITLE = 8;

describe('the gate', () => {
  const bug: Bug = {
    id: 'gate-proof',
    hurts: 'Nobody.',
    file: 'src/delivery/webhooks/outcome.ts',
    find: 'const step = schedule[made - 1];',
    replace: 'const step = schedule[made];',
    caughtBy: { file: 'src/delivery/webhooks/schedule.test.ts', test: 'varies each step by a fifth at most' },
  };

  it('tells of a change that no test notices, and of one that a test does', () => {
    const harmless = { ...bug, id: 'gate-harmless', replace: 'const step = schedule[made - 1 + 0];' };
    const tried = tryBugs(ROOT, [bug, harmless]);
    expect(tried.map(({ bug: { id }, verdict }) => [id, verdict])).toEqual([
      ['gate-proof', 'caught'],
      ['gate-harmless', 'survived'],
    ]);
  });
});
