/** `sluice check` as a person or a script calls it: the real program, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PROGRAM } from './black-box/program.ts';

function check(args: string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [PROGRAM, 'check', ...args], {
    input,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
}

it('accepts a valid rule with status 0', () => {
  expect(check(['-p', 'x', '(tea OR milk) sugar'])).toMatchObject({
    status: 0,
    stdout: 'valid  (tea OR milk) sugar\n',
  });
});

it('puts carets under what is wrong, and says how to put it right', () => {
  const { status, stdout } = check(['--platform', 'x', 'lava AND magma']);
  expect(status).toBe(1);
  expect(stdout).toContain('  lava AND magma\n       ^^^\n');
  expect(stdout).toContain('[explicit-and]');
  expect(stdout).toContain('fix: lava magma  (posts with lava and magma)');
  expect(stdout).toContain('try  lava magma');
});

it('takes a rule that begins with a dash for a rule', () => {
  expect(check(['-p', 'x', '-lava'])).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('[only-negations]') as string,
  });
});

it('says how a legal but surprising rule is read', () => {
  const { status, stdout } = check(['-p', 'firehose', 'tesla OR ford AND recall']);
  expect(status).toBe(0);
  expect(stdout).toContain('warning');
  expect(stdout).toContain('reads as  ford AND recall');
});

it('reads many rules from standard input and answers a line of JSON for each', () => {
  const { status, stdout } = check(
    ['-p', 'x', '--file', '-', '--json'],
    // With the mark and the line ends that editors on Windows write.
    '\uFEFFlava\r\n\r\nlava AND x\r\n{"id":"1","value":"#etna"}\n',
  );
  expect(status).toBe(1);
  const verdicts = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { rule: string; valid: boolean; suggestion?: string });
  expect(verdicts.map(({ rule, valid }) => [rule, valid])).toEqual([
    ['lava', true],
    ['lava AND x', false],
    ['#etna', true],
  ]);
  expect(verdicts[1]!.suggestion).toBe('lava x');
});

it('applies the limits of the access level', () => {
  const long = Array.from({ length: 300 }, () => 'lava').join(' ');
  expect(check(['-p', 'x', long]).status).toBe(1);
  expect(check(['-p', 'x', '--level', 'enterprise', long]).status).toBe(0);
});

it.each([
  ['no rule', ['-p', 'x']],
  ['a rule and a file', ['-p', 'x', 'lava', '-f', '-']],
  ['no platform', ['lava']],
  ['an unknown platform', ['-p', 'mastodon', 'lava']],
  ['a file that is not there', ['-p', 'x', '-f', 'no-such-file.txt']],
])('ends with status 2 and one line for %s', (_, args) => {
  const { status, stderr } = check(args);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^error: /);
  expect(stderr).not.toContain('    at ');
});

it.runIf(existsSync('/dev/full'))('says that its output cannot be written, with status 1', () => {
  const full = openSync('/dev/full', 'w');
  const checkInto = (...args: string[]) =>
    spawnSync(process.execPath, [PROGRAM, 'check', '-p', 'x', 'tea', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
  const message = 'The output cannot be written (ENOSPC).';
  expect(checkInto()).toMatchObject({ status: 1, stderr: `error: ${message}\n` });
  const { status, stderr } = checkInto('--json');
  expect([status, JSON.parse(stderr)]).toEqual([1, { code: 'failed', message, details: {} }]);
  closeSync(full);
});
