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

function blocksOf(script: string): { cpu: number }[] {
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
    .map((line) => JSON.parse(line) as { cpu: number })
    .filter(({ cpu }) => cpu !== undefined);
}

it('notes one callback whose parts together take long, also across promises and ticks', () => {
  const blocks = blocksOf(
    'spin(30); await Promise.resolve(); spin(30); await new Promise((done) => process.nextTick(done)); spin(30);',
  );
  expect(blocks).toHaveLength(1);
  expect(blocks[0]!.cpu).toBeGreaterThanOrEqual(90);
});

it('does not add up callbacks that each take little', () => {
  expect(blocksOf('for (let i = 0; i < 6; i++) { spin(15); await turn(); }')).toEqual([]);
});
