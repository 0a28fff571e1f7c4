// The program and all that it needs in a few files, which start in about half the time of its thousand modules.
// The folder stands two steps below the root, as the sources do: the program finds package.json and the console from there.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * What begins a process or a thread. Threads are opened by their file's name, beside the file that opens them. They share no
 * modules with another, so each is bundled by itself: it then consists of fewer files.
 */
const ENTRIES = {
  main: 'src/cli/main.ts',
  worker: 'src/store/sqlite/worker.ts',
  'snapshot-thread': 'src/app/snapshots/snapshot-thread.ts',
  'matcher-thread': 'src/engine/threads/matcher-thread.ts',
  'compute-thread': 'src/compute/compute-thread.ts',
  'document-reader-worker': 'src/sources/reading/document-reader-worker.ts',
};

/** Writes the bundle of the sources below `root` into a new folder under its `build`, and answers its path. The caller removes it. */
export async function bundleProgram(root = ROOT): Promise<string> {
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build', 'program-'));
  // Read beside the file that asks for it.
  for (const name of ['core.wasm', 'tables.bin']) copyFileSync(join(root, 'src/engine/core', name), join(folder, name));
  // Optional packages are looked for where they are used, as in the sources. One of them comes with the metrics, too: as
  // forty files of its own it would take a tenth of the start. Its copies find each other.
  const external = Object.keys(packageOf(root).peerDependencies).filter((name) => name !== '@opentelemetry/api');
  for (const [name, source] of Object.entries(ENTRIES)) {
    const bundle = await rolldown({
      cwd: root,
      platform: 'node',
      logLevel: 'warn',
      external,
      input: { [name]: source },
    });
    const chunkFileNames = `${name}-[name]-[hash].js`;
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', chunkFileNames });
  }
  return folder;
}

const packageOf = (root: string): { readonly peerDependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
