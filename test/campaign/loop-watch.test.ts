import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const WATCH = resolve(import.meta.dirname, 'loop-watch.ts');

/** Uses the processor for that many milliseconds of its own time. */
const SPIN = `const spin = (ms) => { const from = process.threadCpuUsage(); let used = 0;
  while (used < ms) { const { user, system } = process.threadCpuUsage(from); used = (user + system) / 1000; } };
const turn = () => new Promise((done) => setImmediate(done));`;

interface Line {
  readonly cpu?: number;
  readonly heap?: number;
  readonly at?: number;
  readonly stacks?: readonly string[];
}

function linesOf(script: string): Line[] {
  const file = join(mkdtempSync(join(tmpdir(), 'loop-watch-')), 'blocks.ndjson');
  const env = { ...process.env, SLUICE_TEST_BLOCKS: file, NODE_OPTIONS: '' };
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', WATCH, '--input-type=module', '--eval', `${SPIN}\nawait turn();\n${script}\nawait turn();`],
    { env, encoding: 'utf8' },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

const blocksOf = (script: string): number[] => linesOf(script).flatMap(({ cpu }) => cpu ?? []);

it('notes one callback whose parts together take long, also across promises and ticks', () => {
  const blocks = blocksOf(
    'spin(30); await Promise.resolve(); spin(30); await new Promise((done) => process.nextTick(done)); spin(30);',
  );
  expect(blocks).toHaveLength(1);
  expect(blocks[0]).toBeGreaterThanOrEqual(90);
});

it('tells what a long callback did', () => {
  const lines = linesOf(`const { readFileSync } = await import('node:fs');
await turn();
const busy = () => spin(200);
busy();
await turn();
process.kill(process.pid, 'SIGUSR2');
while (!readFileSync(process.env.SLUICE_TEST_BLOCKS, 'utf8').includes('heap')) await turn();`);
  const { at } = lines.find(({ cpu }) => cpu !== undefined && cpu >= 200)!;
  const told = lines.find((line) => line.stacks !== undefined && line.at === at);
  expect(told?.stacks?.join()).toContain('busy');
});

it('does not add up callbacks that each take little', () => {
  expect(blocksOf('for (let i = 0; i < 6; i++) { spin(15); await turn(); }')).toEqual([]);
});

it('tells the memory in use when it is asked', () => {
  const lines = linesOf(`const { existsSync } = await import('node:fs');
globalThis.kept = Array.from({ length: 30_000 }, (_, at) => ({ at }));
await turn();
process.kill(process.pid, 'SIGUSR2');
while (!existsSync(process.env.SLUICE_TEST_BLOCKS)) await turn();`);
  const [told] = lines.flatMap(({ heap }) => heap ?? []);
  expect(told).toBeGreaterThan(30_000 * 16);
});
