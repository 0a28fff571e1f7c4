/** How registrations leave: they are stored as leaving, removed upstream when it is time, and remembered for a while. */
import type { Registration } from '../../domain/registration.ts';
import { type HeldRule, PlatformError } from '../../platforms/platform.ts';
import { isLeaving, removableAt } from './due.ts';
import type { QueueState } from './queue-state.ts';
import { textsIn } from './registration-table.ts';

/** When the registration may be removed. */
export const dueAt = ({ table }: QueueState, row: Registration): number =>
  isLeaving(row) ? removableAt(row, table.wantedOf(row).length > 0) : Number.POSITIVE_INFINITY;

/** Another node may have rules that we have not loaded yet. A registration is wanted if any stored rule uses its text. */
export async function wantForOthers(
  { table, store, platform }: QueueState,
  rows: readonly Registration[],
): Promise<void> {
  if (!store.isShared) return;
  for (const row of rows) {
    if (row.state === 'leaving' || table.wantedOf(row).length > 0) continue;
    for (const text of textsIn(row)) {
      if ((await store.countHolders(platform.name, text.value, text.flags)) > 0) table.want(text, row);
    }
  }
}

/** Marks as leaving every registration that is no longer the holder of any wanted text. */
export async function retire(state: QueueState): Promise<void> {
  const { table, clock } = state;
  const idleRows = () => table.rows().filter((row) => row.state === 'held' && table.heldIn(row).length === 0);
  await wantForOthers(state, idleRows());
  const idle = idleRows();
  if (idle.length === 0) return;
  await table.write({ put: idle.map((row) => ({ ...row, state: 'leaving', since: clock.now() })) });
  // A rule may have come to need one of them between the count and this write.
  const unwanted = idle.filter((row) => table.wantedOf(row).length === 0);
  await wantForOthers(state, unwanted);
  const needed = unwanted.filter((row) => table.wantedOf(row).length > 0);
  if (needed.length > 0) await table.write({ put: needed });
}

/** Removes what is due, in one call. True when slots came free. */
export async function removeDue(state: QueueState): Promise<boolean> {
  const { table, clock, ours } = state;
  const now = clock.now();
  const due = table.rows().filter((row) => dueAt(state, row) <= now.getTime());
  if (due.length === 0) return false;
  const listed = due.every(({ platformRuleId: id }) => id !== undefined && ours.has(id)) ? [] : await look(state);
  const idOf = (row: Registration) => row.platformRuleId ?? listed.find(({ tag }) => tag === row.tag)?.id;
  const ids = due.map(idOf).filter((id) => id !== undefined);
  await unregister(
    state,
    ids.filter((id) => ours.has(id) && !isNeeded(state, id)),
  );
  const gone: Registration[] = [];
  const never: string[] = [];
  for (const row of due) {
    const platformRuleId = idOf(row);
    if (platformRuleId === undefined) never.push(row.tag);
    else gone.push({ ...row, platformRuleId, state: 'gone', since: now });
  }
  await table.write({ put: gone, drop: never });
  return true;
}

/** Notes which ids bear our mark: an id that we were given may be another program's rule with the same value. */
async function look({ platform, prefix, ours }: QueueState): Promise<readonly HeldRule[]> {
  const listed = await platform.held();
  for (const { id, tag } of listed) if (tag?.startsWith(prefix)) ours.add(id);
  return listed;
}

/** Two registrations may share one id: a pack can read exactly as another text does. */
const isNeeded = ({ table }: QueueState, id: string): boolean => table.byId(id).some((row) => row.state === 'held');

async function unregister({ platform, log, ours }: QueueState, ids: readonly string[]): Promise<void> {
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
