/** When snapshots of the rules are made and used. Few rules need none: they are read as fast one by one. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { type RuleSnapshot, type RuleSnapshots, SNAPSHOT_MARK } from '../../service/cluster/load-rules.ts';
import type { Log } from '../../service/telemetry.ts';
import { StoreError } from '../../store/error.ts';
import { type Holder, madeByOne } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from '../config.ts';
import type { SnapshotMade, SnapshotOrder } from './make-snapshot.ts';
import { meaningOf, programFingerprint } from './program-fingerprint.ts';
import { fittingSnapshot, SnapshotError, type SnapshotFile } from './snapshot-file.ts';

const FILE = 'rules.snapshot';
/** With fewer rules there is no snapshot. */
const MANY_RULES = 20_000;
/** A start goes through the changes since the snapshot: this many take less than a second. */
const MANY_CHANGES = 10_000;
/** When the server stops, it is worth the wait from so many changes on. */
const SOME_CHANGES = 1_000;
const LOOK_EVERY_MS = 60_000;
/** Texts of rules that were deleted leave the file within a day. */
const LOOKS_A_DAY = 24 * 60;

/** The published package is JavaScript, and its files are called so. */
const ENTRY = import.meta.url.endsWith('.ts')
  ? new URL('./snapshot-thread.ts', import.meta.url)
  : new URL('./snapshot-thread.js', import.meta.url);

export interface SnapshotParts {
  readonly config: Pick<Config, 'dataDir' | 'storeUrl' | 'xLevel' | 'upstreams'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: Holder;
  readonly manyRules?: number;
  /** Makes a snapshot: in a thread of its own, unless a test does it. */
  readonly make?: ((order: SnapshotOrder, signal: AbortSignal) => Promise<SnapshotMade>) | undefined;
}

export function createSnapshots(parts: SnapshotParts): RuleSnapshots {
  const { config, store, clock, log, holder, manyRules = MANY_RULES, make = makeInThread } = parts;
  const path = join(config.dataDir, FILE);
  const never = new AbortController().signal;
  const meaning = meaningOf(config);
  const settings = { storeUrl: config.storeUrl, ...meaning };
  /** The file turned out to be damaged when it was read. */
  let isDamaged = false;
  /** The shared one that was looked at last. */
  let seen: string | undefined;

  async function renew(signal: AbortSignal): Promise<SnapshotMade> {
    const token = randomBytes(16).toString('hex');
    const position = await store.markRuleChanges(SNAPSHOT_MARK + token);
    const began = clock.elapsed();
    const made = await make({ path, settings, token, position }, signal);
    const { rules, isRenewed } = made;
    log.info({ rules, isRenewed, seconds: (clock.elapsed() - began) / 1000 }, 'a snapshot of the rules is written');
    if (store.isShared) await share(token);
    return made;
  }

  /** When sharing fails, the next node that starts makes the snapshot again. */
  async function share(token: string): Promise<void> {
    try {
      await shareSnapshot(store, path, token);
    } catch (error) {
      log.warn({ err: error }, 'the snapshot of the rules is not shared with other nodes');
    }
  }

  async function shared(): Promise<RuleSnapshot | undefined> {
    if (!store.isShared) return undefined;
    const found = await store.ruleSnapshot();
    if (found === undefined || found.token === seen) return undefined;
    seen = found.token;
    try {
      if (!(await fetchSnapshot(store, found, path))) return undefined;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      log.warn({ err: error, path }, 'the snapshot of the rules that another node has made could not be written');
      return undefined;
    }
    log.info({}, 'a snapshot of the rules was fetched from the store');
    return kept();
  }

  async function renewOrWarn(signal: AbortSignal): Promise<SnapshotMade | undefined> {
    try {
      return await renew(signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error, path }, 'no snapshot of the rules could be written; starts take longer');
      return undefined;
    }
  }

  async function madeHere(signal: AbortSignal): Promise<RuleSnapshot | undefined> {
    const made = await renewOrWarn(signal);
    const fresh = made && (await kept());
    return fresh && { ...fresh, unreadable: made.unreadable };
  }

  async function kept(): Promise<RuleSnapshot | undefined> {
    try {
      const file = await fittingSnapshot(path, store, () => programFingerprint(meaning));
      return file && watched(file);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      log.info({ path }, `the snapshot of the rules is not used: ${error.message}`);
      return undefined;
    }
  }

  const watched = (file: SnapshotFile): RuleSnapshot => ({
    ...file,
    unreadable: [],
    readInto: (name, target) =>
      file.readInto(name, target).catch((error: unknown) => {
        isDamaged = true;
        throw error;
      }),
  });

  return {
    async open(signal) {
      const snapshot = (await kept()) ?? (await shared());
      if (snapshot !== undefined) return snapshot;
      if (!(await hasMany(store, manyRules))) return undefined;
      if (!store.isShared) return madeHere(signal);
      return madeByOne({ store, clock, holder }, 'snapshot', { look: shared, make: madeHere, signal });
    },
    async run(matching, signal) {
      const isMany = () => PLATFORMS.some((name) => matching.size(name) >= manyRules);
      let known = matching.changes;
      for (let looks = 1; !signal.aborted; looks++) {
        await clock.sleep(LOOK_EVERY_MS, signal);
        const changed = matching.changes - known;
        if (signal.aborted || !isMany()) continue;
        if (!isDamaged && changed < MANY_CHANGES && (changed === 0 || looks < LOOKS_A_DAY)) continue;
        await renewOrWarn(signal);
        if (signal.aborted) continue;
        isDamaged = false;
        // One that could not be written is tried again after as many changes.
        known += changed;
        looks = 0;
      }
      if (isMany() && matching.changes - known >= SOME_CHANGES) await renewOrWarn(never);
    },
  };
}

/** Every live rule has become active once, which is a change in the log. */
const hasMany = async (store: Store, manyRules: number): Promise<boolean> =>
  (await store.news()).ruleChange >= manyRules && store.hasRules(manyRules);

async function makeInThread(order: SnapshotOrder, signal: AbortSignal): Promise<SnapshotMade> {
  const thread = new Worker(ENTRY, { workerData: order });
  const end = () => void thread.terminate();
  signal.addEventListener('abort', end);
  try {
    return await new Promise<SnapshotMade>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Error('the thread ended')));
    });
  } finally {
    signal.removeEventListener('abort', end);
    await thread.terminate();
  }
}

/** The snapshot of one node for the others on its store: what one has made, the next to start need not make again. */

const PIECE = 1024 * 1024;
/** A larger one is kept by each node for itself. A million rules take 160 MB. */
const MOST_PIECES = 512;

type SnapshotShelf = Pick<Store, 'ruleSnapshot' | 'ruleSnapshotPiece' | 'addRuleSnapshotPiece' | 'keepRuleSnapshot'>;

/** Answers whether the others can have it. */
async function shareSnapshot(store: SnapshotShelf, path: string, token: string): Promise<boolean> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const pieces = Math.ceil(size / PIECE);
  if (pieces > MOST_PIECES) return false;
  for (let number = 0; number < pieces; number++) {
    const bytes = new Uint8Array(Math.min(PIECE, size - number * PIECE));
    await file.read(bytes, 0, bytes.length, number * PIECE);
    await store.addRuleSnapshotPiece(token, number, bytes);
  }
  return store.keepRuleSnapshot({ token, pieces });
}

/** Puts the one of another node in the place of the file. Answers whether it is still there. Whether it fits and is whole, its reader sees. */
async function fetchSnapshot(
  store: SnapshotShelf,
  kept: { readonly token: string; readonly pieces: number },
  path: string,
): Promise<boolean> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  try {
    await using file = await open(unfinished, 'wx', 0o600);
    for (let number = 0; number < kept.pieces; number++) {
      const bytes = await store.ruleSnapshotPiece(kept.token, number);
      if (bytes === undefined) return false;
      await file.writeFile(bytes);
    }
    await rename(unfinished, path);
    return true;
  } finally {
    await rm(unfinished, { force: true });
  }
}
