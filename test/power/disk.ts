/**
 * The states of a disk after a power failure. Everything that a sync covered is there. Any part of the rest may be:
 * calls that were dropped, kept in another order, or torn between two sectors; names without their bytes, and bytes
 * without their names; files whose length was kept and whose bytes were not, so that they hold what was in those blocks
 * before.
 */
import { pick, type Random } from '../../bench/random.ts';

export type DiskCall =
  | {
      readonly kind: 'names';
      readonly folder: string;
      /** All of them or none: a file system renames in one step. A name without a file is removed. */
      readonly changes: readonly (readonly [name: string, file: number | 'folder' | undefined])[];
    }
  | { readonly kind: 'write'; readonly file: number; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'size'; readonly file: number; readonly size: number }
  /** Covers the calls below `before`. */
  | { readonly kind: 'sync'; readonly file: number; readonly before: number }
  | { readonly kind: 'sync folder'; readonly folder: string; readonly before: number }
  /** Somebody was told something. */
  | { readonly kind: 'told'; readonly fact: unknown };

export interface DiskImage {
  readonly folders: Set<string>;
  readonly files: Map<string, Uint8Array>;
}

export interface Recording {
  /** All of it is on the disk. */
  readonly start: DiskImage;
  /** The numbers of those files. */
  readonly begin: ReadonlyMap<string, number>;
  readonly calls: readonly DiskCall[];
}

/** How what no sync covers comes out. */
const FATES = ['lost', 'kept', 'first part', 'any calls'] as const;
const SECTORS = [512, 4096];

type Change = Extract<DiskCall, { kind: 'write' | 'size' }>;
type Naming = Extract<DiskCall, { kind: 'names' }>;

/** The disk after all calls and a sync of everything. */
export const wholeImage = (recording: Recording): DiskImage => imageOf(recording, recording.calls.length, undefined);

/** The disk after the first `cut` calls and a power failure. */
export const imageAfter = (recording: Recording, cut: number, random: Random): DiskImage =>
  imageOf(recording, cut, random);

/** Without chance everything is kept. */
function imageOf({ start, begin, calls }: Recording, cut: number, random: Random | undefined): DiskImage {
  const namings = new Map<string, { call: Naming; index: number }[]>();
  const changes = new Map<number, { call: Change; index: number }[]>();
  const syncedFolders = new Map<string, number>();
  const syncedFiles = new Map<number, number>();
  for (const [index, call] of calls.slice(0, cut).entries()) {
    if (call.kind === 'names') listIn(namings, call.folder).push({ call, index });
    else if (call.kind === 'sync') syncedFiles.set(call.file, call.before);
    else if (call.kind === 'sync folder') syncedFolders.set(call.folder, call.before);
    else if (call.kind !== 'told') listIn(changes, call.file).push({ call, index });
  }
  const names = new Map<string, number | 'folder'>([
    ...begin,
    ...[...start.folders].map((path) => [path, 'folder'] as const),
  ]);
  for (const [folder, all] of namings) {
    const kept = survivors(all, syncedFolders.get(folder) ?? 0, random);
    for (const { call } of kept)
      for (const [name, file] of call.changes) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (file === undefined) names.delete(path);
        else names.set(path, file);
      }
  }
  const before = new Map([...begin].map(([path, file]) => [file, start.files.get(path)!]));
  const image: DiskImage = { folders: new Set(), files: new Map() };
  for (const [path, file] of names) {
    if (!isReachable(path, names)) continue;
    if (file === 'folder') image.folders.add(path);
    else {
      const content = contentOf(before.get(file), changes.get(file) ?? [], syncedFiles.get(file) ?? 0, random);
      image.files.set(path, content);
    }
  }
  return image;
}

function listIn<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** Whether every folder on the way is there. */
const isReachable = (path: string, names: ReadonlyMap<string, number | 'folder'>): boolean =>
  path
    .split('/')
    .slice(0, -1)
    .every((_, index, parts) => names.get(parts.slice(0, index + 1).join('/')) === 'folder');

/** The calls that a sync covers, and some of the others. */
function survivors<One extends { readonly index: number }>(
  all: readonly One[],
  synced: number,
  random: Random | undefined,
): readonly One[] {
  if (random === undefined) return all;
  const fate = pick(random, FATES);
  const open = all.filter(({ index }) => index >= synced);
  const until = open[Math.floor(random() * (open.length + 1))]?.index ?? Number.POSITIVE_INFINITY;
  return all.filter(({ index }) => {
    if (index < synced || fate === 'kept') return true;
    if (fate === 'lost') return false;
    return fate === 'first part' ? index < until : random() < 0.5;
  });
}

function contentOf(
  before: Uint8Array | undefined,
  all: readonly { readonly call: Change; readonly index: number }[],
  synced: number,
  random: Random | undefined,
): Uint8Array {
  const bytes = new GrowingBytes(before);
  for (const { call, index } of all) if (index < synced) bytes.apply(call);
  const open = all.filter(({ index }) => index >= synced);
  if (open.length === 0) return bytes.content();
  const whole = open.reduce((size, { call }) => sizeAfter(size, call), bytes.size);
  const sector = random && random() < 0.5 ? pick(random, SECTORS) : undefined;
  for (const { call } of survivors(open, synced, random)) {
    if (call.kind === 'size' || sector === undefined || random === undefined) bytes.apply(call);
    else for (const part of sectorsOf(call, sector)) if (random() < 0.7) bytes.apply(part);
  }
  if (random === undefined) return bytes.content();
  // The length is kept apart from the bytes. Blocks that were never written hold what they held before.
  if (random() < 0.4) bytes.lengthen(whole, random() < 0.5 ? random : undefined);
  return bytes.content();
}

const sizeAfter = (size: number, call: Change): number =>
  call.kind === 'size' ? call.size : Math.max(size, call.at + call.bytes.length);

/** The write in parts that end where sectors of the disk end. */
function* sectorsOf({ kind, file, at, bytes }: Extract<Change, { kind: 'write' }>, sector: number): Iterable<Change> {
  for (let from = 0; from < bytes.length; ) {
    const end = Math.min(bytes.length, from + sector - ((at + from) % sector));
    yield { kind, file, at: at + from, bytes: bytes.subarray(from, end) };
    from = end;
  }
}

class GrowingBytes {
  #bytes: Buffer;
  #size: number;

  constructor(before: Uint8Array = new Uint8Array()) {
    this.#bytes = Buffer.from(before);
    this.#size = before.length;
  }

  get size(): number {
    return this.#size;
  }

  apply(call: Change): void {
    if (call.kind === 'size') {
      this.#resize(call.size);
      return;
    }
    this.#resize(Math.max(this.#size, call.at + call.bytes.length));
    this.#bytes.set(call.bytes, call.at);
  }

  lengthen(size: number, random: Random | undefined): void {
    const from = this.#size;
    if (size <= from) return;
    this.#resize(size);
    if (random !== undefined) for (let at = from; at < size; at++) this.#bytes[at] = Math.floor(random() * 256);
  }

  content(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  #resize(size: number): void {
    if (size > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(size, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}
