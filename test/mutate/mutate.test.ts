/** The short form: a project of one small file, whose tests are good in parts. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hunted } from './hunt.ts';
import { mutantsOf } from './operators.ts';
import { plant } from './plant.ts';
import { interval, sampleOf } from './score.ts';

const SOURCE = `
export const isFull = (count: number, limit: number): boolean => count >= limit;

export function fill(count: number, limit: number): number {
  let all = count;
  while (!isFull(all, limit)) {
    all = all + 1;
  }
  return all;
}

export function neverCalled(count: number): number {
  return count * 2;
}

export const withoutDoubt = (count: number): number => (count === 0 ? 0 : count);
`;

const TESTS = `
import { expect, test } from 'vitest';
import { fill, isFull, withoutDoubt } from './limit.ts';

test('it is full far over the limit', () => expect(isFull(9, 3)).toBe(true));
test('it has room far below the limit', () => expect(isFull(1, 3)).toBe(false));
test('it fills', () => expect(fill(1, 3)).toBeGreaterThan(2));
test('nothing stays nothing', () => expect([withoutDoubt(0), withoutDoubt(7)]).toEqual([0, 7]));
`;

const MOODY_SOURCE = 'export const next = (count: number): number => count + 1;';

/** Passes the first time, and never again. */
const MOODY_TESTS = `
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { next } from './moody.ts';

const mark = join(import.meta.dirname, 'ran');
test('it counts', () => {
  expect([next(1), existsSync(mark)]).toEqual([2, false]);
  writeFileSync(mark, '');
});
`;

const EQUIVALENT = {
  file: 'src/http/limit.ts',
  within: 'withoutDoubt',
  operator: 'condition',
  was: 'count === 0',
  now: 'false',
  reason: 'Both branches give 0.',
};

describe('a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mutate-test-'));
  let hunted: Hunted[] = [];
  let printed = '';
  beforeAll(() => {
    const root = join(import.meta.dirname, '..', '..');
    mkdirSync(join(folder, 'src/http'), { recursive: true });
    cpSync(join(root, 'test/mutate'), join(folder, 'test/mutate'), { recursive: true });
    cpSync(join(root, 'test/setup.ts'), join(folder, 'test/setup.ts'));
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'src/http/limit.ts'), SOURCE);
    writeFileSync(join(folder, 'src/http/limit.test.ts'), TESTS);
    writeFileSync(join(folder, 'src/http/moody.ts'), MOODY_SOURCE);
    writeFileSync(join(folder, 'src/http/moody.test.ts'), MOODY_TESTS);
    const gone = { ...EQUIVALENT, was: 'count === 1' };
    writeFileSync(join(folder, 'test/mutate/equivalent.json'), JSON.stringify([EQUIVALENT, gone]));
    const { stdout } = spawnSync(process.execPath, [join(root, 'test/mutate/main.ts'), '--json', 'verdicts.json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    printed = stdout;
    hunted = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as Hunted[];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const verdictOf = (was: string, now: string): string | undefined =>
    hunted.find(({ mutant }) => mutant.was === was && mutant.now === now)?.verdict;

  test('a mistake that a test notices is killed', () => {
    expect(verdictOf('count >= limit', 'count < limit')).toBe('killed');
    expect(verdictOf('all', 'undefined')).toBe('killed');
  });

  test('a mistake that every test overlooks survives', () => {
    expect(verdictOf('count >= limit', 'count > limit')).toBe('survived');
  });

  test('code that no test reaches is told apart from code whose tests overlook a mistake', () => {
    expect(verdictOf('count * 2', 'count / 2')).toBe('not covered');
  });

  test('a mistake that never ends is a timeout', () => {
    expect(verdictOf('all + 1', 'all - 1')).toBe('timeout');
  });

  test('a test that fails without a mistake as well kills nothing', () => {
    expect(verdictOf('count + 1', 'count - 1')).toBe('survived');
  });

  test('an equivalent mutant is not tried, and an entry that fits nothing is named', () => {
    expect(verdictOf('count === 0', 'false')).toBeUndefined();
    expect(verdictOf('count === 0', 'true')).toBe('killed');
    expect(printed).toContain(
      'No such mutant (test/mutate/equivalent.json): src/http/limit.ts withoutDoubt: count === 1',
    );
  });

  test('the table counts what is not covered as survived', () => {
    const alive = hunted.filter(({ verdict }) => verdict === 'survived' || verdict === 'not covered').length;
    const share = ((hunted.length - alive) / hunted.length) * 100;
    expect(printed).toContain(`${share.toFixed(1)} %`);
    expect(printed).toContain('survived: src/http/limit.ts:2 boundary: count >= limit → count > limit');
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
    expect(sampleOf(hundred, 1000, 7)).toEqual(hundred);
  });

  test("gives Wilson's interval", () => {
    const [low, high] = interval(85, 100);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.767', '0.907']);
  });
});
