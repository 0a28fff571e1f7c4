/** Folders that only their owner can look into: posts, rules and webhooks of every account are in there. */
import { dirname } from 'node:path';
import { makeFolder } from '../base/durable-file.ts';
import { hasFileModes, type System } from '../base/system.ts';

/** Makes the folder of a file. One that is there keeps its mode: the operator may have chosen it. */
export const makePrivateFolder = (file: string): void => makeFolder(dirname(file));

/** The note for an operator whose system has no file modes to keep other users out; undefined where it has them. */
export const permissionNote = (system: System): string | undefined =>
  hasFileModes(system)
    ? undefined
    : 'This system has no file modes: the permissions of the data folder decide who can read it. Keep it below your own user folder.';
