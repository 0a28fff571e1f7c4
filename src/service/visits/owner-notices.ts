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

/** An owner that was left out of a visit, and since when. */
export interface WaitingOwner {
  readonly owner: FetchOwner;
  readonly since: Date;
}

/** The owners that a visit was made for, those of them that something could be read for, and those that were left out. */
interface VisitedOwners {
  readonly active: readonly FetchOwner[];
  readonly served: readonly FetchOwner[];
  readonly waiting: readonly WaitingOwner[];
}

/**
 * The gaps that a visit begins and ends. An owner has one at a time, from the last visit that it had until it is served by one without
 * failures; a gap that goes on is not written again, however many owners there are.
 */
export function ownerGaps(
  before: SourceFetch,
  after: Pick<SourceFetch, 'failures'>,
  { active, served, waiting }: VisitedOwners,
  now: Date,
): Gap[] {
  // Not by the status: an account that rests has a source that waits, and its gap goes on.
  const isBad = after.failures > 0;
  const without = [...waiting, ...(isBad ? active.map((owner) => ({ owner, since: unreadSince(before, owner) })) : [])];
  const begun = without.flatMap(({ owner, since }) =>
    // A little before: what was on the way then is missing too. All kinds list what they published since.
    owner.gapFrom === undefined ? gapsOf(owner, new Date(since.getTime() - LEAD_MS), OPEN) : [],
  );
  const ended = (isBad ? [] : served).flatMap((owner) =>
    owner.gapFrom === undefined
      ? []
      : gapsOf(owner, owner.gapFrom, { to: now, recovered: !wasLeftBehind(before, owner, owner.gapFrom) }),
  );
  return [...begun, ...ended];
}

const OPEN = { to: undefined, recovered: false } as const;

/** One that joins while it fails misses nothing of the time before. */
const unreadSince = ({ lastGoodAt }: SourceFetch, { joinedAt }: FetchOwner): Date =>
  lastGoodAt !== undefined && lastGoodAt > joinedAt ? lastGoodAt : joinedAt;

/**
 * Whether others were served since its gap began: the list that it reads anew may be shorter than the gap. One that joined while nobody
 * was served reads what the others read.
 */
function wasLeftBehind({ lastGoodAt }: SourceFetch, { isFresh, joinedAt }: FetchOwner, gapFrom: Date): boolean {
  const since = new Date(gapFrom.getTime() + LEAD_MS);
  return isFresh && (since > joinedAt || (lastGoodAt !== undefined && lastGoodAt > since));
}

const gapsOf = (
  { accountId, sourceId, platforms }: FetchOwner,
  from: Date,
  end: Pick<Gap, 'to' | 'recovered'>,
): Gap[] =>
  platforms.map((platform) => ({
    platform,
    accountId,
    source: sourceId,
    from,
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
