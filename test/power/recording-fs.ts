/**
 * Records what a thread asks of the disk. Every call is done for real and noted: which bytes at which place of which file,
 * which name in which folder, and what a sync covers. It replaces functions of `node:fs`, so it belongs into a thread that ends
 * afterwards: each thread has its own `node:fs`. At its end the record is held against the real disk, so a way to it that is not
 * recorded here is found.
 */
import fs, { type Mode, type PathLike, readdirSync, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type DiskCall, type DiskImage, type Recording, wholeImage } from './disk.ts';

export interface Recorder {
  /** Notes what the program told somebody: from here on it must survive. */
  tell(fact: unknown): void;
  recording(): Recording;
}

const { O_CREAT, O_TRUNC } = fs.constants;
type Flags = string | number | undefined;
const makes = (flags: Flags): boolean =>
  typeof flags === 'number' ? (flags & O_CREAT) !== 0 : /[wa]/.test(`${flags}`);
const empties = (flags: Flags): boolean => (typeof flags === 'number' ? (flags & O_TRUNC) !== 0 : /w/.test(`${flags}`));

/** The image of a folder of the real disk. */
export function imageOf(root: string): DiskImage {
  const image: DiskImage = { folders: new Set(), files: new Map() };
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const path = relative(root, join(entry.parentPath, entry.name));
    if (entry.isDirectory()) image.folders.add(path);
    else image.files.set(path, readFileSync(join(root, path)));
  }
  return image;
}

/** Begins to record all that happens below this folder. Paths in the record are relative to it. */
export function recordFolder(root: string): Recorder {
  const start = imageOf(root);
  const calls: DiskCall[] = [];
  const names = new Map([...start.files.keys()].map((path, file) => [path, file]));
  const begin = new Map(names);
  const opened = new Map<number, { file: number } | { folder: string }>();
  const synced = new Set<number>();
  const logs = new Set<number>();
  let files = names.size;
  const real = { ...fs };
  const realPromises = { ...fs.promises };
  const within = (path: PathLike | string): string | undefined => {
    const inside = relative(root, String(path));
    return inside.startsWith('..') ? undefined : inside;
  };
  const folderOf = (path: string): string => (dirname(path) === '.' ? '' : dirname(path));
  function name(path: string, file: number): void {
    names.set(path, file);
    calls.push({ kind: 'names', folder: folderOf(path), changes: [[basename(path), file]] });
  }
  function unname(path: string): void {
    names.delete(path);
    calls.push({ kind: 'names', folder: folderOf(path), changes: [[basename(path), undefined]] });
  }

  /** Notes that a file was opened; answers its number. */
  function noteOpen(path: string, flags: Flags): number {
    const known = names.get(path);
    if (known !== undefined) {
      if (empties(flags)) calls.push({ kind: 'size', file: known, size: 0 });
      return known;
    }
    const file = files++;
    if (makes(flags)) name(path, file);
    if (/-(wal|journal)$/.test(path)) logs.add(file);
    return file;
  }
  const noteWrite = (file: number, at: number, bytes: Uint8Array) =>
    calls.push({ kind: 'write', file, at, bytes: Buffer.from(bytes) });

  function noteSync(file: number): void {
    calls.push({ kind: 'sync', file, before: calls.length });
    if (!logs.has(file) || synced.has(file)) return;
    // On Unix SQLite syncs the folder together with the first sync of a log that it has made. The one here, which runs in
    // WebAssembly, leaves that out.
    const path = [...names].find(([, number]) => number === file)?.[0];
    if (path !== undefined) calls.push({ kind: 'sync folder', folder: folderOf(path), before: calls.length });
    synced.add(file);
  }

  const replaced = {
    openSync(path: PathLike, flags?: string | number, mode?: Mode) {
      const fd = real.openSync(path, flags ?? 'r', mode);
      const inside = within(path);
      if (inside === undefined) return fd;
      if (real.fstatSync(fd).isDirectory()) opened.set(fd, { folder: inside });
      else opened.set(fd, { file: noteOpen(inside, flags) });
      return fd;
    },
    closeSync(fd: number) {
      opened.delete(fd);
      real.closeSync(fd);
    },
    writeSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number) {
      const written = real.writeSync(fd, bytes, offset, length, position);
      const known = opened.get(fd);
      if (known && 'file' in known) noteWrite(known.file, position, bytes.subarray(offset, offset + written));
      return written;
    },
    ftruncateSync(fd: number, size = 0) {
      real.ftruncateSync(fd, size);
      const known = opened.get(fd);
      if (known && 'file' in known) calls.push({ kind: 'size', file: known.file, size });
    },
    fsyncSync(fd: number) {
      const known = opened.get(fd);
      if (known && 'folder' in known) calls.push({ kind: 'sync folder', folder: known.folder, before: calls.length });
      else if (known) noteSync(known.file);
    },
    writeFileSync(
      path: string,
      data: string | Uint8Array,
      options: { flag?: string; mode?: Mode; flush?: boolean } = {},
    ) {
      const fd = fs.openSync(path, options.flag ?? 'w', options.mode);
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      fs.writeSync(fd, bytes, 0, bytes.length, 0);
      if (options.flush) fs.fsyncSync(fd);
      fs.closeSync(fd);
    },
    renameSync(from: string, to: string) {
      real.renameSync(from, to);
      const [old, now] = [within(from), within(to)];
      if (old === undefined || now === undefined) return;
      const file = names.get(old)!;
      names.delete(old);
      names.set(now, file);
      const changes = [[basename(old), undefined] as const, [basename(now), file] as const];
      calls.push({ kind: 'names', folder: folderOf(now), changes });
    },
    linkSync(from: string, to: string) {
      real.linkSync(from, to);
      const [old, now] = [within(from), within(to)];
      if (old !== undefined && now !== undefined) name(now, names.get(old)!);
    },
    unlinkSync(path: string) {
      real.unlinkSync(path);
      const inside = within(path);
      if (inside !== undefined) unname(inside);
    },
    rmSync(path: string, options?: { force?: boolean }) {
      real.rmSync(path, options);
      const inside = within(path);
      if (inside !== undefined && names.has(inside)) unname(inside);
    },
    mkdirSync(path: string, options?: { recursive: true; mode?: Mode }) {
      // Locks of the SQLite in WebAssembly are folders. No other process works here.
      if (path.endsWith('.lock')) return undefined;
      const first = real.mkdirSync(path, options);
      for (let made = first && path; made !== undefined; made = made === first ? undefined : dirname(made)) {
        const inside = within(made)!;
        calls.push({ kind: 'names', folder: folderOf(inside), changes: [[basename(inside), 'folder']] });
      }
      return first;
    },
    rmdirSync: () => {},
  };
  Object.assign(fs, replaced);

  async function open(path: string, flags?: string, mode?: Mode): Promise<FileHandle> {
    const handle = await realPromises.open(path, flags, mode);
    const inside = within(path);
    if (inside === undefined) return handle;
    const file = noteOpen(inside, flags);
    let position = 0;
    const recorded = {
      async writeFile(data: string | Uint8Array) {
        const bytes = typeof data === 'string' ? Buffer.from(data) : data;
        noteWrite(file, position, bytes);
        position += bytes.length;
        await handle.writeFile(data);
      },
      sync: async () => noteSync(file),
      close: () => handle.close(),
      read: handle.read.bind(handle),
    };
    return Object.assign(Object.create(handle), recorded);
  }
  Object.assign(fs.promises, {
    open,
    writeFile: async (...of: Parameters<typeof replaced.writeFileSync>) => replaced.writeFileSync(...of),
    rename: async (from: string, to: string) => replaced.renameSync(from, to),
    rm: async (path: string, options?: { force?: boolean }) => replaced.rmSync(path, options),
  });
  syncBuiltinESMExports();

  return {
    tell: (fact) => void calls.push({ kind: 'told', fact }),
    recording() {
      for (const call of Object.keys(replaced)) Object.assign(fs, { [call]: Reflect.get(real, call) });
      Object.assign(fs.promises, realPromises);
      syncBuiltinESMExports();
      const recording = { start, begin, calls };
      checkCompleteness(wholeImage(recording), imageOf(root));
      return recording;
    },
  };
}

function checkCompleteness(recorded: DiskImage, real: DiskImage): void {
  const paths = new Set([...recorded.files.keys(), ...real.files.keys()]);
  const differing = [...paths].filter((path) => {
    const [one, other] = [recorded.files.get(path), real.files.get(path)];
    return one === undefined || other === undefined || !Buffer.from(other).equals(one);
  });
  if (differing.length > 0) throw new Error(`Not every write was recorded: ${differing.join(', ')} differ.`);
}
