// The compiler lays the package out as the sources are: dist/src and dist/sandbox. In the package there is no src: its
// folders stand in dist, the sandbox beside them, and what crosses between the two goes one step less.
import { readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');

for (const name of readdirSync(join(dist, 'src'))) renameSync(join(dist, 'src', name), join(dist, name));
rmdirSync(join(dist, 'src'));

for (const folder of ['sandbox', 'cli']) {
  for (const name of readdirSync(join(dist, folder), { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const file = join(dist, folder, name);
    const text = readFileSync(file, 'utf8');
    const crossing = text
      .replaceAll(/(['"](?:\.\.\/)+)src\//g, '$1')
      .replaceAll(/(['"])\.\.\/((?:\.\.\/)+sandbox\/)/g, '$1$2');
    if (crossing !== text) writeFileSync(file, crossing);
  }
}
