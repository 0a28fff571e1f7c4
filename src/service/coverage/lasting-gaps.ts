/** Gaps that begin and end with a state of ours: a rule that is paused, an account whose budget is spent. */
import type { CoverageReason, Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Store } from '../../store/store.ts';

/** More than one account or rule has open at once. */
const MOST_OPEN = 100;

export interface LastingGap {
  readonly platform: Platform;
  readonly accountId: string;
  readonly ruleId?: string;
  readonly cause: CoverageReason;
}

type GapStore = Pick<Store, 'gaps' | 'noteGaps'>;

/** Does nothing when it has begun already. */
export async function beginGap(store: GapStore, gap: LastingGap, from: Date): Promise<void> {
  if ((await openOf(store, gap)).length === 0)
    await store.noteGaps([{ ...gap, from, to: undefined, recovered: false }]);
}

export async function endGap(store: GapStore, gap: LastingGap, to: Date): Promise<void> {
  const open = await openOf(store, gap);
  if (open.length > 0) await store.noteGaps(open.map((one) => ({ ...one, to })));
}

async function openOf(store: GapStore, { platform, accountId, ruleId, cause }: LastingGap): Promise<Gap[]> {
  const query = { platform, accountId, isMissing: true, limit: MOST_OPEN } as const;
  const gaps = await store.gaps({ ...query, ...(ruleId !== undefined && { ruleId }) });
  return gaps.filter((gap) => gap.to === undefined && gap.cause === cause && gap.ruleId === ruleId);
}
