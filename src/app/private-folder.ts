/** Folders that only their owner can look into: posts, rules and webhooks of every account are in there. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the folder of a file. One that is there keeps its mode: the operator may have chosen it. */
export const makePrivateFolder = (file: string): void =>
  void mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
