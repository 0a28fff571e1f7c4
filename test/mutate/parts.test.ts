import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import type { Hunted } from './hunt.ts';
import { mutantsOf } from './operators.ts';
import { plant } from './plant.ts';
import { openResults } from './results.ts';
import { interval, printTable, sampleOf, scoreOf } from './score.ts';

describe('kept verdicts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutate-results-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const text = 'const a = b > 1 ? c < 2 : d;';
  const [first, second] = mutantsOf('a.ts', text);

  test('count as long as the file is the same, and what survived is tried again when asked', () => {
    writeFileSync(join(folder, 'a.ts'), text);
    const path = join(folder, 'results.jsonl');
    const results = openResults(folder, path, false);
    results.add({ mutant: first!, verdict: 'killed', by: 'a test' });
    results.add({ mutant: second!, verdict: 'survived', by: '' });
    const verdicts = (again: boolean) =>
      [first!, second!].map((mutant) => openResults(folder, path, again).of(mutant)?.verdict);
    expect(verdicts(false)).toEqual(['killed', 'survived']);
    expect(verdicts(true)).toEqual(['killed', undefined]);
    writeFileSync(join(folder, 'a.ts'), `${text} `);
    expect(verdicts(false)).toEqual([undefined, undefined]);
  });
});

describe('what is planted', () => {
  const changesIn = (text: string): string[] =>
    mutantsOf('a.ts', text).map(({ operator, was, now }) => `${operator}: ${was} → ${now}`);

  test('types, logs, metrics and prose are left alone', () => {
    expect(changesIn("type A = 'b' | 'c'; log.warn({ a: 1 + 2 }, 'x'); metrics.event('x'); f('two words');")).toEqual([
      "statement: f('two words'); → ",
    ]);
  });

  test('an optional chain loses one link at a time and stays one expression', () => {
    expect(changesIn('const a = b?.c.filter(d)?.[0];')).toEqual([
      'chain: b?.c.filter(d)?.[0] → b?.c.filter(d)[0]',
      'chain: b?.c.filter(d)?.[0] → b.c.filter(d)?.[0]',
    ]);
  });

  test('a program still begins with the line that makes it one', () => {
    const text = '#!/usr/bin/env node\nf(1 + 2);\n';
    expect(plant(text, mutantsOf('a.ts', text), 1, './switch.ts')).toMatch(
      /^#!\/usr\/bin\/env node\nimport [^\n]*\$on\(1\)[^\n]*\n$/,
    );
  });

  test('a planted file does what it did as long as no mutant is on', () => {
    const text = 'if (a > 1) b(); else c(); return a ?? b?.d;';
    const mutants = mutantsOf('a.ts', `function f() { ${text} }`);
    const planted = plant(`function f() { ${text} }`, mutants, 1, './switch.ts').replace(
      /^import[^;]*;const \$on = \$isOn;/,
      '',
    );
    for (const a of [undefined, 1, 2]) {
      const calls: string[] = [];
      const values = { a, b: () => calls.push('b'), c: () => calls.push('c'), $on: () => false };
      expect(runInNewContext(`${planted}; f();`, values)).toEqual(
        runInNewContext(`function f() { ${text} }; f();`, values),
      );
      expect(calls[0]).toBe(calls[1]);
    }
  });
});

describe('a sample', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index);

  test('is the same for the same seed, and another for another', () => {
    expect(sampleOf(hundred, 10, 7)).toEqual(sampleOf(hundred, 10, 7));
    expect(sampleOf(hundred, 10, 7)).not.toEqual(sampleOf(hundred, 10, 8));
    expect(sampleOf(hundred, 1000, 7).toSorted((a, b) => a - b)).toEqual(hundred);
    expect(sampleOf(hundred, 20, 7).slice(0, 10)).toEqual(sampleOf(hundred, 10, 7));
  });

  test('of a whole folder it is exact', () => {
    const [mutant] = mutantsOf('src/a/b.ts', 'const a = b > 1;');
    const killed: Hunted = { mutant: mutant!, verdict: 'killed', by: '' };
    const survived: Hunted = { mutant: mutant!, verdict: 'survived', by: '' };
    expect(printTable([scoreOf('a', 2, 0, [killed, survived])])).toMatch(/50\.0 % +exact$/);
    expect(printTable([scoreOf('a', 3, 0, [killed, survived])])).toMatch(/50\.0 % +9\.5 % to 90\.5 %$/);
  });

  test("gives Wilson's interval", () => {
    const [low, high] = interval(85, 100);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.767', '0.907']);
  });
});
