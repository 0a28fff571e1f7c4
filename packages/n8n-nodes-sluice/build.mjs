// Compiles the nodes to dist and puts beside them what n8n reads as files: icons and codex files.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const folder = import.meta.dirname;
const { values } = parseArgs({ options: { outDir: { type: 'string', default: join(folder, 'dist') } } });
const outDir = resolve(values.outDir);

rmSync(outDir, { recursive: true, force: true });
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', folder, '--outDir', outDir], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

for (const part of ['icons', 'nodes'])
  for (const name of readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' }))
    if (/\.(svg|node\.json)$/.test(name)) cpSync(join(folder, part, name), join(outDir, part, name));
