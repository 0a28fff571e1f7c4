/**
 * The live rules at the start: from a snapshot and the changes of the log since then, or, where there is no snapshot that
 * fits, one by one from the store.
 */
import type { Rule } from '../../domain/rule.ts';
import type { ImageReader } from '../../engine/core/image.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import type { GoneRule } from '../ingest/live-rule.ts';
import type { Matching } from '../ingest/matching.ts';
import { type ReconcileDeps, reconciled } from './reconcile.ts';

export interface RuleSnapshots {
  /**
   * Opens the snapshot that fits the store. Where there are many rules and none fits, one is made first. Returns
   * undefined where the rules are to be read one by one.
   */
  open(signal: AbortSignal): Promise<RuleSnapshot | undefined>;
  /** Makes a new one when many rules have changed, until the signal aborts. It never rejects. */
  run(matching: Pick<Matching, 'changes' | 'size'>, signal: AbortSignal): Promise<void>;
}

export interface RuleSnapshot extends ImageReader, AsyncDisposable {
  /** The snapshot knows all changes of the log up to this one. */
  readonly position: number;
  /** Rules that the snapshot lacks because their texts are no longer valid. */
  readonly unreadable: readonly StoredRuleName[];
}

/** How a snapshot is named in the log of rule changes, before its token. */
export const SNAPSHOT_MARK = 'snapshot ';

export interface StoredRuleName {
  readonly accountId: string;
  readonly ruleId: string;
}

type LoadDeps = ReconcileDeps & {
  readonly matching: Pick<Matching, 'load' | 'restore'>;
  readonly platforms: Readonly<Record<string, Pick<LivePlatform, 'shape'>>>;
};

export async function loadRules(
  deps: LoadDeps,
  snapshots: RuleSnapshots | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { matching, store } = deps;
  await using snapshot = await snapshots?.open(signal);
  signal.throwIfAborted();
  if (snapshot === undefined || !(await isRestored(deps, snapshot))) {
    await matching.load(untilAborted(reconciled(deps, store.everyRule()), signal));
    return;
  }
  // Rules that a crash left half made are settled first: the log then tells of them.
  for await (const _ of untilAborted(reconciled(deps, toReconcile(deps)), signal));
  await matching.load(untilAborted(sinceSnapshot(store, snapshot), signal));
}

/** A damaged snapshot is as good as none. */
async function isRestored({ matching, log }: LoadDeps, snapshot: RuleSnapshot): Promise<boolean> {
  try {
    await matching.restore(snapshot);
    return true;
  } catch (error) {
    log.warn({ err: error }, 'the snapshot of the rules cannot be used: the rules are read one by one');
    return false;
  }
}

/** Upstreams must hold the text of every rule; without one, only what is unfinished needs a look. */
const toReconcile = ({ store, platforms }: LoadDeps): AsyncIterable<Rule[]> =>
  Object.values(platforms).some(({ shape }) => shape === 'upstream') ? store.everyRule() : store.unfinishedRules();

async function* sinceSnapshot(
  store: Store,
  { position, unreadable }: RuleSnapshot,
): AsyncIterable<(Rule | GoneRule)[]> {
  for (let from = 0; from < unreadable.length; from += CHANGES_AT_ONCE)
    yield await storedNow(store, unreadable.slice(from, from + CHANGES_AT_ONCE));
  yield* changesSince(store, position);
}

/** Their rules are read together: one or two milliseconds of work. */
const CHANGES_AT_ONCE = 250;

type ChangedRules = Pick<Store, 'ruleChanges' | 'rulesNamed'>;

/** The rules that changed after a change of the log, as they are stored now. */
export async function* changesSince(store: ChangedRules, position: number): AsyncIterable<(Rule | GoneRule)[]> {
  for (let after = position; ; ) {
    const changes = await store.ruleChanges(after, CHANGES_AT_ONCE);
    if (changes.length === 0) return;
    // Notes to the nodes stand in the log beside rules, with a space in their names.
    yield await storedNow(
      store,
      changes.filter(({ ruleId }) => !ruleId.includes(' ')),
    );
    after = changes.at(-1)!.number;
  }
}

async function storedNow(store: ChangedRules, names: readonly StoredRuleName[]): Promise<(Rule | GoneRule)[]> {
  const gone = new Set(names.map(({ ruleId }) => ruleId));
  const stored = await store.rulesNamed([...gone]);
  for (const { id } of stored) gone.delete(id);
  return [...stored, ...Array.from(gone, (ruleId) => ({ gone: ruleId }))];
}

/** The rules, slice by slice; throws the signal's reason once the service is asked to stop. */
async function* untilAborted<T>(slices: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  for await (const slice of slices) {
    signal.throwIfAborted();
    yield slice;
  }
}
