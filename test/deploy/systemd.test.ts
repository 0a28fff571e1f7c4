/** The units, as systemd itself reads them. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../src/domain/role.ts';
import { DEPLOY, expectKnown, ROOT } from './settings.ts';

const FOLDER = join(DEPLOY, 'systemd');
const ANALYZE = 'systemd-analyze';
const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;

/** The unit under its name, with a program that is there: systemd looks whether it is. */
function verified(unit: string, name: string, ...command: string[]): { status: number | null; complaints: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-systemd-'));
  try {
    const text = readFileSync(join(FOLDER, unit), 'utf8');
    writeFileSync(join(folder, name), text.replace('ExecStart=sluice', `ExecStart=${process.execPath}`));
    const { status, stderr } = spawnSync(ANALYZE, [...command, join(folder, name)], { encoding: 'utf8' });
    return { status, complaints: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.runIf(hasSystemd)('systemd: the units', () => {
  const names: [string, string][] = [
    ['sluice.service', 'sluice.service'],
    ...ROLES.map((role): [string, string] => ['sluice@.service', `sluice@${role}.service`]),
  ];
  it.each(names)('%s is sound as %s', (unit, name) => {
    expect(verified(unit, name, 'verify')).toEqual({ status: 0, complaints: '' });
  });

  it('leave little open', () => {
    // In tenths, of ten: what systemd calls medium begins at five.
    const command = ['security', '--offline=true', '--threshold=20'];
    expect(verified('sluice.service', 'sluice.service', ...command).status).toBe(0);
  });
});

it.each(['sluice.service', 'sluice@.service'])('%s starts the command that npm installs, by its name', (unit) => {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  // systemd looks for a bare name in /usr/local/bin and /usr/bin, which is where npm puts it.
  expect(readFileSync(join(FOLDER, unit), 'utf8')).toMatch(new RegExp(`^ExecStart=${Object.keys(bin)[0]} serve$`, 'm'));
});

it.each(['sluice.service', 'sluice@.service'])('%s sets only what the program knows', (unit) => {
  const set = [...readFileSync(join(FOLDER, unit), 'utf8').matchAll(/^Environment=(.*)$/gm)]
    .flatMap(([, line]) => line!.split(' '))
    .map((pair) => pair.split('=')[0]!);
  expect(set).toContain('SLUICE_DATA_DIR');
  expectKnown(set);
});
