/** The short form: a project of one small file, whose tests are good in parts. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hunted } from './hunt.ts';

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

/** What one test leaves behind is there for the next, as long as the process lives. */
const STICKY_SOURCE = `
export const LIMIT = 2 + 1;

let held = 0;

export function hold(): number {
  held = held + 1;
  return held - 1;
}

export function release(): void {
  held = 0;
}

export const isMany = (count: number): boolean => count > LIMIT;
`;

const STICKY_TESTS = `
import { expect, test } from 'vitest';
import { hold, isMany, LIMIT, release } from './sticky.ts';

test('nothing is held', () => {
  isMany(7);
  expect(hold()).toBe(0);
  release();
});
test('three are many', () => expect(LIMIT).toBe(3));
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

const ONCE_SOURCE = `
export const fiveTimes = (count: number): number => count * 5;

export function leave(isOver: boolean): number {
  if (isOver) process.kill(process.pid, 'SIGKILL');
  return 1 + 1;
}
`;

/** The first passes once for each time that the file is loaded. */
const ONCE_TESTS = `
import { expect, test } from 'vitest';
import { fiveTimes, leave } from './once.ts';

let runs = 0;
test('it runs once', () => expect([fiveTimes(3), runs++]).toEqual([15, 0]));
test('it stays', () => expect(leave(false)).toBe(2));
`;

const HOOKED_SOURCE = `
export const offset = (count: number): number => count + 1;

export const stored = (count: number): number => count * 3;
`;

/** What the hook makes is compared with what the same code makes in the test. */
const HOOKED_TESTS = `
import { beforeAll, expect, test } from 'vitest';
import { offset, stored } from './hooked.ts';

let before: number[] = [];
beforeAll(() => {
  before = [offset(1), stored(2)];
});
test('what was made is made again', () => expect(before[0]).toBe(offset(1)));
test('it is three times as much', () => expect(before[1]).toBe(6));
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
    writeFileSync(join(folder, 'src/http/sticky.ts'), STICKY_SOURCE);
    writeFileSync(join(folder, 'src/http/sticky.test.ts'), STICKY_TESTS);
    writeFileSync(join(folder, 'src/http/moody.ts'), MOODY_SOURCE);
    writeFileSync(join(folder, 'src/http/moody.test.ts'), MOODY_TESTS);
    writeFileSync(join(folder, 'src/http/once.ts'), ONCE_SOURCE);
    writeFileSync(join(folder, 'src/http/once.test.ts'), ONCE_TESTS);
    writeFileSync(join(folder, 'src/http/hooked.ts'), HOOKED_SOURCE);
    writeFileSync(join(folder, 'src/http/hooked.test.ts'), HOOKED_TESTS);
    const gone = { ...EQUIVALENT, was: 'count === 1' };
    writeFileSync(join(folder, 'test/mutate/equivalent.json'), JSON.stringify([EQUIVALENT, gone]));
    printed = run().stdout;
    hunted = readFileSync(join(folder, 'verdicts.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Hunted);
  });
  const run = () =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), '--near', '--results', 'verdicts.jsonl'], {
      cwd: folder,
      encoding: 'utf8',
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

  test('a mistake in what is worked out while modules are loaded is killed', () => {
    expect(verdictOf('2 + 1', '2 - 1')).toBe('killed');
  });

  test('a test that cannot run twice in one process kills in a run of its own', () => {
    expect(verdictOf('count * 5', 'count / 5')).toBe('killed');
  });

  test('a mistake that ends the process spoils no verdict on others', () => {
    expect(verdictOf('isOver', 'true')).toBe('timeout');
    expect(verdictOf('1 + 1', '1 - 1')).toBe('killed');
    expect(verdictOf('isOver', 'false')).toBe('survived');
  });

  test('a mistake is there in hooks as well as in their tests', () => {
    expect(verdictOf('count * 3', 'count / 3')).toBe('killed');
    expect(hunted.find(({ mutant }) => mutant.within === 'offset')?.verdict).toBe('survived');
  });

  test('what an earlier mistake has left behind kills nothing', () => {
    expect(verdictOf('held = held + 1;', '')).toBe('killed');
    expect(verdictOf('held - 1', 'held + 1')).toBe('killed');
    expect(verdictOf('count > LIMIT', 'count >= LIMIT')).toBe('survived');
    expect(verdictOf('count > LIMIT', 'count <= LIMIT')).toBe('survived');
  });

  test('verdicts that are kept are not found again, and give the same table', () => {
    const { stdout, stderr } = run();
    expect(stdout).toBe(printed.replaceAll(/^Left out.*\n/gm, ''));
    expect(stderr).toBe('');
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
