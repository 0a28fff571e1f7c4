/** Tells the owners of a source that it fails, moved or answers again: gaps in their coverage, and notices where they want them. */
import type { Gap } from '../../domain/gap.ts';
import type { Notice } from '../../domain/webhook.ts';
import { LEAD_MS } from '../../sources/contract/source.ts';
import type { FetchOwner, SourceFetch, Store } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';

const BAD: ReadonlySet<string> = new Set(['failing', 'blocked', 'changed']);
/** One failure may be chance; after so many the owner is told. */
const TOLD_AFTER = 3;

/** The times without the source as gaps of its owners, and notices to those who want them. */
export async function tellOwners(
  { store, notify }: { readonly store: Pick<Store, 'noteGaps'>; readonly notify: Notify },
  before: SourceFetch,
  after: Pick<SourceFetch, 'status' | 'failures' | 'lastError'>,
  owners: readonly FetchOwner[],
  now: Date,
): Promise<void> {
  const [wasBad, isBad] = [BAD.has(before.status), BAD.has(after.status)];
  if (wasBad !== isBad) await store.noteGaps(owners.flatMap((owner) => gapsOf(before, owner, isBad ? undefined : now)));
  const notice = noticeOf(before, after, now);
  if (notice === undefined) return;
  for (const { accountId, sourceId, name } of owners)
    await notify(accountId, { ...notice, subject: { sourceId }, message: `${name}: ${notice.message}` });
}

/** It begins a little before the last good visit: what was on the way then is missing too. All kinds list what they published since. */
const gapsOf = (
  { lastGoodAt }: SourceFetch,
  { accountId, sourceId, platforms, createdAt }: FetchOwner,
  to: Date | undefined,
): Gap[] =>
  platforms.map((platform) => ({
    platform,
    accountId,
    source: sourceId,
    from: new Date((lastGoodAt ?? createdAt).getTime() - LEAD_MS),
    to,
    cause: `source_down:${sourceId}`,
    recovered: to !== undefined,
  }));

function noticeOf(
  before: SourceFetch,
  after: Pick<SourceFetch, 'status' | 'failures' | 'lastError'>,
  at: Date,
): Omit<Notice, 'subject'> | undefined {
  const message = after.lastError?.message ?? '';
  if (BAD.has(after.status) && after.failures === TOLD_AFTER) return { type: 'source_failing', at, message };
  if (after.status === 'moved' && before.status !== 'moved') return { type: 'source_moved', at, message };
  if (before.failures >= TOLD_AFTER && after.failures === 0)
    return {
      type: 'source_recovered',
      at,
      message: 'It answers again. What it still lists of the time between was read.',
    };
  return undefined;
}
