/** Where the built console is: beside the program in the published package, in its own folder in a checkout. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function consoleDir(): string | undefined {
  const folders = ['../console', '../../console/dist'].map((path) => join(import.meta.dirname, path));
  return folders.find((folder) => existsSync(join(folder, 'index.html')));
}
