/**
 * `npm run bench -- cold-start`: the CPU of short commands from start to end, from the sources and from the package as it is
 * built, beside a Node that does nothing. The compile cache is filled first, as it is for every start but the first.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  version: ['--version'],
  check_x: ['check', '-p', 'x', '(tea OR milk) sugar'],
  check_firehose: ['check', '-p', 'firehose', 'title:tea AND sugar'],
  // No server listens there: the command ends after it has asked.
  status: ['status', '--url', 'http://127.0.0.1:9', '--key', 'a-key-that-no-server-has'],
  rules_list: ['rules', 'list', '--url', 'http://127.0.0.1:9', '--key', 'a-key-that-no-server-has'],
};

/** Milliseconds of CPU, the median of the turns. */
type StartTimes = Readonly<Record<string, number>>;

export interface ColdStartFigures {
  readonly node_alone: number;
  readonly sources: StartTimes;
  readonly package: StartTimes;
}

export function benchColdStart({ quick = false }: { quick?: boolean }): ColdStartFigures {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cold-start-'));
  try {
    buildInto(folder);
    const nothing = join(folder, 'nothing.mjs');
    writeFileSync(nothing, '');
    const turns = quick ? 5 : 21;
    const meter = meterIn(folder);
    return {
      node_alone: median(turns, () => meter([nothing])),
      sources: timesOf(join(ROOT, 'bin', 'sluice.mjs'), turns, meter),
      package: timesOf(join(folder, 'bin', 'sluice.mjs'), turns, meter),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function buildInto(folder: string): void {
  for (const name of ['bin', 'package.json', 'scripts/flatten-build.mjs'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const dist = join(folder, 'dist');
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', dist], { cwd: ROOT });
  execFileSync(process.execPath, [join(folder, 'scripts/flatten-build.mjs')]);
}

type Meter = (args: readonly string[]) => number;

/** A process says at its end how much CPU it has used since it began. */
function meterIn(folder: string): Meter {
  const used = join(folder, 'used');
  const report = join(folder, 'report.mjs');
  const script = `import { writeFileSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeFileSync(${JSON.stringify(used)}, String((user + system) / 1000)); });`;
  writeFileSync(report, script);
  return (args) => {
    const { status } = spawnSync(process.execPath, ['--import', report, ...args], {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(folder, 'cache') },
    });
    if (status !== (args.includes('--url') ? 1 : 0)) throw new Error(`${args.join(' ')} ended with ${status}`);
    return Number(readFileSync(used, 'utf8'));
  };
}

const timesOf = (program: string, turns: number, meter: Meter): StartTimes =>
  Object.fromEntries(
    Object.entries(COMMANDS).map(([name, args]) => [name, median(turns, () => meter([program, ...args]))]),
  );

function median(turns: number, once: () => number): number {
  once();
  const times = Array.from({ length: turns }, once).toSorted((a, b) => a - b);
  return Math.round(times[turns >> 1]!);
}
