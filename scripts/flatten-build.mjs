// The compiler lays the package out as the sources are: dist/src, dist/sandbox and dist/packages/client/src. In the package
// there is no src: its folders stand in dist, the others beside them, and what crosses between them goes one step less.
import { copyFileSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const dist = resolve(import.meta.dirname, '../dist');

for (const folder of ['.', 'packages/client']) {
  const source = join(dist, folder, 'src');
  for (const name of readdirSync(source)) renameSync(join(source, name), join(dist, folder, name));
  rmdirSync(source);
}

// The compiler writes JavaScript and types; what the sources read beside them comes along.
const sources = resolve(dist, '../src');
for (const name of readdirSync(sources, { recursive: true }))
  if (/\.(wasm|bin)$/.test(name)) copyFileSync(join(sources, name), join(dist, name));

for (const folder of ['sandbox', 'cli', 'client']) {
  for (const name of readdirSync(join(dist, folder), { recursive: true })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue;
    const file = join(dist, folder, name);
    const text = readFileSync(file, 'utf8');
    const crossing = text
      .replaceAll(/(['"](?:\.\.\/)+)src\//g, '$1')
      .replaceAll(/(['"])\.\.\/((?:\.\.\/)+)packages\/client\/src\//g, '$1$2packages/client/')
      .replaceAll(/(['"])\.\.\/((?:\.\.\/)+sandbox\/)/g, '$1$2');
    if (crossing !== text) writeFileSync(file, crossing);
  }
}
