/** The tree of a log as RFC 9162 defines it: no node is kept, and every root is computed from all entries. The oracle of the real one. */
import { createHash } from 'node:crypto';

export function plainRoot(entries: readonly (string | Buffer)[]): Buffer {
  if (entries.length === 0) return sha();
  if (entries.length === 1) return sha(Buffer.of(0), entries[0]!);
  let split = 1;
  while (split * 2 < entries.length) split *= 2;
  return sha(Buffer.of(1), plainRoot(entries.slice(0, split)), plainRoot(entries.slice(split)));
}

function sha(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
