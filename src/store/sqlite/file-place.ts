/**
 * A file that is removed or replaced while it is open takes writes as before, and all of them are lost when the program ends.
 * So whoever writes looks whether the files at the paths are still those that were opened.
 */
import { statSync } from 'node:fs';

/** Which file is at a path; undefined when that cannot be said. */
export function fileAt(path: string): string | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'none' : `${found.dev} ${found.ino}`;
  } catch {
    return undefined;
  }
}

const isSame = (now: string | undefined, then: string | undefined): boolean =>
  now === then || now === undefined || then === undefined;

/** Answers whether the files that are at these paths now are still there. */
export function placeOf(...paths: readonly string[]): () => boolean {
  const opened = paths.map((path) => ({ path, file: fileAt(path) })).filter(({ file }) => file !== 'none');
  return () => opened.every(({ path, file }) => isSame(fileAt(path), file));
}
