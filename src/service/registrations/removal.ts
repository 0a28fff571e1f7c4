/** How registrations leave: they are stored as leaving, removed upstream when it is time, and remembered for a while. */
import type { Clock } from '../../base/clock.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/rule.ts';
import { type HeldRule, type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { removableAt } from './due.ts';
import { registrationChange, textsIn } from './registration-lifecycle.ts';
import type { RegistrationTable } from './registration-table.ts';

/** A registration of ours that no rule wants is kept this long: another process may be about to need it. */
const EXTRA_KEPT_MS = 600_000;
/**
 * How many are removed at a time; what else the queue has to do comes in between, and what is done is stored. X takes
 * as many in one call. Firehose takes one a call, and about fifty calls a minute.
 */
const MOST_AT_ONCE: Readonly<Record<Platform, number>> = { x: 100, firehose: 25 };

export interface RemovalDeps {
  readonly platform: LivePlatform;
  readonly store: Store;
  readonly table: RegistrationTable;
  readonly clock: Clock;
  readonly log: Log;
  /** The tags of this instance's registrations begin with it. */
  readonly prefix: string;
  /** Ids that bear our mark upstream, as far as we have seen. Nothing else is ever removed. */
  readonly ours: Set<string>;
  /** When a registration of ours was first seen that no rule wants, by its id. */
  readonly extraSince: Map<string, number>;
}

/** When the registration may be removed. */
export const dueAt = ({ table }: Pick<RemovalDeps, 'table'>, row: Registration): number =>
  removableAt(row, table.wantedOf(row).length > 0);

/** Another node may have rules that we have not loaded yet. The texts that any stored rule has are wanted. */
export async function wantForOthers(
  { table, store, platform }: Pick<RemovalDeps, 'table' | 'store' | 'platform'>,
  rows: readonly Registration[],
): Promise<void> {
  if (!store.isShared) return;
  for (const row of rows) {
    if (row.state === 'leaving') continue;
    for (const text of textsIn(row)) {
      if (!table.isWanted(text) && (await store.countHolders(platform.name, text.value, text.flags)) > 0)
        table.want(text, row);
    }
  }
}

/** Has every registration leave that is no longer the holder of any wanted text. */
export async function leaveUnneeded(deps: Pick<RemovalDeps, 'table' | 'store' | 'platform' | 'clock'>): Promise<void> {
  const { table, clock } = deps;
  const idleRows = () => table.rows().filter((row) => row.state === 'held' && table.heldIn(row).length === 0);
  await wantForOthers(deps, idleRows());
  const idle = idleRows();
  if (idle.length === 0) return;
  const at = clock.now();
  await table.write(registrationChange(idle.map((row) => ({ row, event: 'unneeded', at }))));
  // A rule may have come to need one of them between the count and this write.
  const unwanted = idle.filter((row) => table.wantedOf(row).length === 0);
  await wantForOthers(deps, unwanted);
  const needed = unwanted.filter((row) => table.wantedOf(row).length > 0);
  // It has been held all the time.
  const back = needed.map((row) => ({ row: { ...row, state: 'leaving' }, event: 'needed', at: row.since }) as const);
  await table.write(registrationChange(back));
}

/** Removes what is due, or the first part of it. True when slots came free. */
export async function removeDue(deps: RemovalDeps): Promise<boolean> {
  const { table, clock, ours, platform } = deps;
  const at = clock.now();
  const isDue = (row: Registration) => dueAt(deps, row) <= at.getTime();
  const due = table.rows().filter(isDue).slice(0, MOST_AT_ONCE[platform.name]);
  if (due.length === 0) return false;
  const listed = due.every(({ platformRuleId: id }) => id !== undefined && ours.has(id)) ? [] : await listOurs(deps);
  const idOf = (row: Registration) => row.platformRuleId ?? listed.find(({ tag }) => tag === row.tag)?.id;
  const ids = due.map(idOf).filter((id) => id !== undefined);
  await unregister(
    deps,
    ids.filter((id) => ours.has(id) && !isNeeded(deps, id)),
  );
  await table.write(registrationChange(due.map((row) => ({ row, event: 'removed', at, id: idOf(row) }))));
  return true;
}

/**
 * Removes old extras, or the first of them. The store is read once more: another process may have stored a registration
 * that we do not know.
 */
export async function removeExtra(
  { platform, store, clock, extraSince }: Pick<RemovalDeps, 'platform' | 'store' | 'clock' | 'extraSince'>,
  extra: readonly HeldRule[],
): Promise<number> {
  const now = clock.now().getTime();
  const present = new Set(extra.map(({ id }) => id));
  for (const id of extraSince.keys()) if (!present.has(id)) extraSince.delete(id);
  for (const id of present) if (!extraSince.has(id)) extraSince.set(id, now);
  const old = extra.filter(({ id }) => now - extraSince.get(id)! >= EXTRA_KEPT_MS);
  if (old.length === 0) return 0;
  const stored = (await store.registrations(platform.name)).filter(({ state }) => state !== 'gone');
  const known = new Set(stored.map(({ tag, platformRuleId }) => platformRuleId ?? tag));
  const unknown = old.filter(({ id, tag }) => !known.has(id) && !known.has(tag ?? ''));
  const ids = unknown.slice(0, MOST_AT_ONCE[platform.name]).map(({ id }) => id);
  if (ids.length > 0) await platform.unregister(ids);
  return ids.length;
}

/** Notes which ids bear our mark: an id that we were given may be another program's rule with the same value. */
async function listOurs({ platform, prefix, ours }: RemovalDeps): Promise<readonly HeldRule[]> {
  const listed = await platform.held();
  for (const { id, tag } of listed) if (tag?.startsWith(prefix)) ours.add(id);
  return listed;
}

/** Two registrations may share one id: a pack can read exactly as another text does. */
const isNeeded = ({ table }: RemovalDeps, id: string): boolean => table.byId(id).some((row) => row.state === 'held');

async function unregister({ platform, log, ours }: RemovalDeps, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    await platform.unregister(ids);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.fault !== 'refused') throw error;
    // The upstream would refuse again. If they are still there, a later comparison finds them.
    log.warn({ platform: platform.name, err: error }, 'the upstream refused to remove registrations');
  }
  for (const id of ids) ours.delete(id);
}
