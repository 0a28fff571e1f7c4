/** How registrations leave: written down as leaving, taken away when it is time, and remembered for a while. */
import type { Registration } from '../../domain/registration.ts';
import { type HeldRule, PlatformError } from '../../platforms/platform.ts';
import type { DeskState } from './queue-state.ts';
import { textsOf } from './registration-table.ts';

/** An upstream needs about this long to act on a new rule: until then the one that it replaces stays. */
const OVERLAP = 20_000;

export const isLeaving = ({ state }: Registration): boolean => state === 'leaving';

/** When the registration may be taken away; never, unless it is to go. */
export function dueAt({ book }: DeskState, row: Registration): number {
  if (!isLeaving(row)) return Number.POSITIVE_INFINITY;
  const isReplaced = row.platformRuleId !== undefined && book.wantedOf(row).length > 0;
  return row.since.getTime() + (isReplaced ? OVERLAP : 0);
}

/**
 * Another process on the same store may have rules that we have not heard of: they are on their way, or we began after
 * them. What these registrations hold for such a rule is wanted by us, too.
 */
export async function wantForOthers(
  { book, store, platform }: DeskState,
  rows: readonly Registration[],
): Promise<void> {
  if (!store.isShared) return;
  for (const row of rows) {
    if (row.state === 'leaving' || book.wantedOf(row).length > 0) continue;
    for (const text of textsOf(row)) {
      if ((await store.countHolders(platform.name, text.value, text.flags)) > 0) book.want(text, row);
    }
  }
}

/** Whatever is held and is no text's home any more is to go. */
export async function retire(state: DeskState): Promise<void> {
  const { book, clock } = state;
  const idleRows = () => book.rows().filter((row) => row.state === 'held' && book.livingIn(row).length === 0);
  await wantForOthers(state, idleRows());
  const idle = idleRows();
  if (idle.length === 0) return;
  await book.write({ put: idle.map((row) => ({ ...row, state: 'leaving', since: clock.now() })) });
  // A rule may have come to need one of them between the question and this.
  const unwanted = idle.filter((row) => book.wantedOf(row).length === 0);
  await wantForOthers(state, unwanted);
  const needed = unwanted.filter((row) => book.wantedOf(row).length > 0);
  if (needed.length > 0) await book.write({ put: needed });
}

/** Takes away what is due, in one call. Says whether slots came free. */
export async function takeAway(state: DeskState): Promise<boolean> {
  const { book, clock, ours } = state;
  const now = clock.now();
  const due = book.rows().filter((row) => dueAt(state, row) <= now.getTime());
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
  await book.write({ put: gone, drop: never });
  return true;
}

/** Whose is what: an id that we were given may be a stranger's rule with the same value. */
async function look({ platform, prefix, ours }: DeskState): Promise<readonly HeldRule[]> {
  const listed = await platform.held();
  for (const { id, tag } of listed) if (tag?.startsWith(prefix)) ours.add(id);
  return listed;
}

const isNeeded = ({ book }: DeskState, id: string): boolean => book.byId(id).some((row) => row.state === 'held');

async function unregister({ platform, log, ours }: DeskState, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  try {
    await platform.unregister(ids);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.fault !== 'refused') throw error;
    // Asking again would be answered the same; should they still be there, a later comparison finds them.
    log.warn({ platform: platform.name, err: error }, 'an upstream refused to take registrations away');
  }
  for (const id of ids) ours.delete(id);
}
