// The program and all that it needs in a few files, which start in about half the time of its thousand modules.
// The folder stands two steps below the root, as the sources do: the program finds package.json and the console from there.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');

/** Writes the bundle of the sources below `root` into a new folder under its `build`, and answers its path. The caller removes it. */
export async function bundleProgram(root = ROOT): Promise<string> {
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build', 'program-'));
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    // Optional packages are looked for where they are used, as in the sources. One of them comes with the metrics, too: as
    // forty files of its own it would take a tenth of the start. Its copies find each other.
    external: Object.keys(packageOf(root).peerDependencies).filter((name) => name !== '@opentelemetry/api'),
    // The workers are opened by their file's name, beside the file that opens them.
    input: {
      main: 'src/cli/main.ts',
      worker: 'src/store/sqlite/worker.ts',
      'snapshot-thread': 'src/app/snapshots/snapshot-thread.ts',
      'matcher-thread': 'src/engine/threads/matcher-thread.ts',
      'compute-thread': 'src/compute/compute-thread.ts',
      'document-reader-worker': 'src/sources/reading/document-reader-worker.ts',
    },
  });
  // Read beside the file that asks for it.
  for (const name of ['core.wasm', 'tables.bin']) copyFileSync(join(root, 'src/engine/core', name), join(folder, name));
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  return folder;
}

const packageOf = (root: string): { readonly peerDependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
