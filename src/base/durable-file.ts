/**
 * Files that survive a power failure. A sync of a file covers its bytes and not its name: the name is in the folder, which has
 * to be synced too before anybody may rely on it. And a name must never come before its bytes.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hasFolderSync } from './system.ts';

/** Only the owner of the process may look into what is made here. */
const OWN_FOLDER = 0o700;
const OWN_FILE = 0o600;

/** Waits until the names in the folder are on the disk. */
export function syncFolder(folder: string): void {
  if (!hasFolderSync(process.platform)) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Makes a folder with those above it that are missing. */
export function makeFolder(folder: string): void {
  // The folder above a relative path ends in `.`, which is its own folder.
  const wanted = resolve(folder);
  const first = mkdirSync(wanted, { recursive: true, mode: OWN_FOLDER });
  if (first === undefined) return;
  for (let made = wanted; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
}

/** Moves a file whose bytes are on the disk to another name in its folder, in place of what was there. */
export function renameSafely(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** After a power failure there is the old content or the new one, and after this call the new one. */
export function replaceFile(path: string, content: string): void {
  renameSafely(writeBeside(path, content), path);
}

/** Makes a file that is not there yet, whole or not at all. One that is there is left: the first process wins. */
export function addFile(path: string, content: string): void {
  if (!existsSync(path)) {
    const beside = writeBeside(path, content);
    try {
      linkSync(beside, path);
    } catch (error) {
      // Some file systems have no links. There the last of two processes wins.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(beside, path);
    } finally {
      rmSync(beside, { force: true });
    }
  }
  // Also for one that is there: whoever made it may have ended before this.
  syncFolder(dirname(path));
}

function writeBeside(path: string, content: string): string {
  const beside = `${path}.${process.pid}`;
  // One that a crash left keeps neither its content nor its mode.
  rmSync(beside, { force: true });
  writeFileSync(beside, content, { flag: 'wx', mode: OWN_FILE, flush: true });
  return beside;
}
