/** Tells the owners of a source that it fails, moved or answers again: gaps in their coverage, and notices where they want them. */
import type { Gap } from '../../domain/coverage.ts';
import type { Notice } from '../../domain/webhook.ts';
import { LEAD_MS } from '../../sources/contract/source.ts';
import type { FetchOwner, SourceFetch, Store } from '../../store/store.ts';
import type { Notify } from '../outlets/notify.ts';

/** One failure may be chance; after so many the owner is told. */
const TOLD_AFTER = 3;

/** Notices to those owners of a source that want them. */
export async function tellOwners(
  { store, notify }: { readonly store: Pick<Store, 'fetchOwners'>; readonly notify: Notify },
  before: SourceFetch,
  after: Pick<SourceFetch, 'status' | 'failures' | 'lastError'>,
  owners: readonly FetchOwner[],
  now: Date,
): Promise<void> {
  const notice = noticeOf(before, after, now);
  if (notice === undefined) return;
  // A source that was deleted during the visit is not spoken of.
  const left = new Set((await store.fetchOwners(before.key)).map(({ sourceId }) => sourceId));
  for (const { accountId, sourceId, name } of owners.filter((owner) => left.has(owner.sourceId)))
    await notify(accountId, { ...notice, subject: { sourceId }, message: `${name}: ${notice.message}` });
}

/** The times without the source, as gaps of its owners. One that joins while it fails has its gap from the next failure on. */
export function outageGaps(
  before: SourceFetch,
  after: Pick<SourceFetch, 'failures'>,
  owners: readonly FetchOwner[],
  now: Date,
): Gap[] {
  // Not by the status: an account that rests has a source that waits, and its gap goes on.
  const [wasBad, isBad] = [before.failures > 0, after.failures > 0];
  return wasBad || isBad ? owners.flatMap((owner) => gapsOf(before, owner, isBad ? undefined : now)) : [];
}

/** The times in which owners were left out: a gap since the last visit that they had, until they are served again. */
export function waitGaps(
  { served, waiting }: { readonly served: readonly FetchOwner[]; readonly waiting: readonly WaitingOwner[] },
  now: Date,
): Gap[] {
  const begun = waiting.flatMap(({ owner, since }) =>
    owner.waitsSince === undefined ? gapsSince(owner, since, { to: undefined, recovered: false }) : [],
  );
  // An owner that goes on from where it was misses nothing; for one that was left behind the list is read anew, which
  // may be shorter than the gap.
  const ended = served.flatMap((owner) =>
    owner.waitsSince === undefined ? [] : gapsSince(owner, owner.waitsSince, { to: now, recovered: !owner.isFresh }),
  );
  return [...begun, ...ended];
}

export interface WaitingOwner {
  readonly owner: FetchOwner;
  readonly since: Date;
}

/** It begins a little before the last good visit: what was on the way then is missing too. All kinds list what they published since. */
const gapsOf = ({ lastGoodAt }: SourceFetch, owner: FetchOwner, to: Date | undefined): Gap[] =>
  gapsSince(owner, lastGoodAt ?? owner.createdAt, { to, recovered: to !== undefined });

const gapsSince = (
  { accountId, sourceId, platforms }: FetchOwner,
  since: Date,
  end: Pick<Gap, 'to' | 'recovered'>,
): Gap[] =>
  platforms.map((platform) => ({
    platform,
    accountId,
    source: sourceId,
    from: new Date(since.getTime() - LEAD_MS),
    cause: `source_down:${sourceId}`,
    ...end,
  }));

function noticeOf(
  before: SourceFetch,
  after: Pick<SourceFetch, 'status' | 'failures' | 'lastError'>,
  at: Date,
): Omit<Notice, 'subject'> | undefined {
  const message = after.lastError?.message ?? '';
  if (after.failures === TOLD_AFTER) return { type: 'source_failing', at, message };
  if (after.status === 'moved' && before.status !== 'moved') return { type: 'source_moved', at, message };
  if (before.failures >= TOLD_AFTER && after.failures === 0)
    return {
      type: 'source_recovered',
      at,
      message: 'It answers again. What it still lists of the time between was read.',
    };
  return undefined;
}
