// For the image: takes out of package.json what a build does not need, so that `npm ci` installs a third. What stays of the
// packages for development: the compiler, types, and the optional clients, whose types the compiler reads.
import { readFileSync, writeFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const isForBuild = (name) => name === 'typescript' || name.startsWith('@types/') || name in manifest.peerDependencies;

manifest.workspaces = ['console', 'packages/client', 'packages/drivers'];
manifest.devDependencies = Object.fromEntries(
  Object.entries(manifest.devDependencies).filter(([name]) => isForBuild(name)),
);
writeFileSync('package.json', JSON.stringify(manifest, null, 2));
