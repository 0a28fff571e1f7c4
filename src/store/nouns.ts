/**
 * All nouns of the store together. A noun gives its reads and its writes apart, so that each database may do them where it does
 * such things: a new noun is added here and to `store.ts`, and its tables to `steps.ts` and to `move.ts`.
 */
import type { Clock } from '../base/clock.ts';
import type { Db } from './db.ts';
import { accountUseReads, accountUseWrites } from './nouns/account-use.ts';
import { accountReads, accountWrites, keyWrites, restrictionWrites } from './nouns/accounts.ts';
import { acknowledgementWrites } from './nouns/acknowledgements.ts';
import { alertReads, watchReads, watchWrites } from './nouns/alerts.ts';
import { answerReads, answerStore, answerWrites } from './nouns/answers.ts';
import { attemptReads, attemptWrites } from './nouns/attempts.ts';
import { certificateLogReads, certificateLogWrites } from './nouns/certificate-log.ts';
import { changeReads } from './nouns/changes.ts';
import { coldReads } from './nouns/cold/cold-merges.ts';
import { cursorReads } from './nouns/commits.ts';
import { coverageReads, coverageWrites } from './nouns/coverage.ts';
import { deliveryReads, deliveryWrites, redeliveries } from './nouns/deliveries.ts';
import { tombstoneReads, tombstoneWrites } from './nouns/erasure/tombstones.ts';
import { clientWrites, grantReads, grantWrites } from './nouns/grants.ts';
import { inboxReads, inboxWrites } from './nouns/inbox.ts';
import { judgementReads, judgementWrites } from './nouns/judging/judgements.ts';
import { spendingReads, spendingWrites } from './nouns/judging/spending.ts';
import { matchReads } from './nouns/matches.ts';
import { countReads } from './nouns/minutes.ts';
import {
  agreedSettingReads,
  agreedSettingWrites,
  nodeReads,
  nodeWrites,
  ruleSnapshotReads,
  ruleSnapshotWrites,
} from './nouns/nodes.ts';
import { openNoticeReads, openNoticeWrites } from './nouns/open-notices.ts';
import { owedReads, owedWrites } from './nouns/owed.ts';
import { passReads, passWrites } from './nouns/passes.ts';
import { ratingReads, ratingWrites } from './nouns/ratings.ts';
import { recentReads } from './nouns/recent.ts';
import { registrationReads, registrationWrites } from './nouns/registrations.ts';
import { rehearsalReads, rehearsalWrites } from './nouns/rehearsals.ts';
import { ruleReads, ruleWrites } from './nouns/rules.ts';
import { sharedFeedReads, sharedFeedWrites } from './nouns/shared-feeds.ts';
import { silenceReads, silenceWrites } from './nouns/silences.ts';
import { sourceFetchReads, sourceFetchWrites } from './nouns/sources/source-fetches.ts';
import { sourceReads, sourceWrites } from './nouns/sources/sources.ts';
import { storyReads } from './nouns/stories.ts';
import { replays, subscriptionReads, subscriptionWrites } from './nouns/subscriptions.ts';
import { trashReads, trashWrites } from './nouns/trash.ts';
import { upstreamReads, upstreamWrites } from './nouns/upstreams.ts';
import { usageReads } from './nouns/usage.ts';
import { viewReads, viewWrites } from './nouns/views.ts';
import { wakeReads, wakeWrites } from './nouns/wakes.ts';
import { claimWrites, webhookReads, webhookWrites } from './nouns/webhooks.ts';
import { keepMatches } from './rows/match-rows.ts';
import type { WalkSteps } from './rows/walk.ts';

/**
 * The reads that any thread may ask for. `steps` is how the database walks along matches. All ways to a match share `keptMatch`: they read
 * the same ones soon after each other.
 */
export const viewedReads = (db: Db, steps: WalkSteps, keptMatch = keepMatches()) => ({
  ...accountReads(db),
  ...accountUseReads(db),
  ...passReads(db),
  ...grantReads(db),
  ...ruleReads(db),
  ...trashReads(db),
  ...registrationReads(db),
  ...cursorReads(db),
  ...matchReads(db, steps, keptMatch),
  ...coldReads(db, steps),
  ...storyReads(db, keptMatch),
  ...countReads(db),
  ...recentReads(db),
  ...tombstoneReads(db),
  ...changeReads(db),
  ...ratingReads(db),
  ...judgementReads(db),
  ...spendingReads(db),
  ...viewReads(db),
  ...silenceReads(db),
  ...openNoticeReads(db),
  ...sourceReads(db),
  ...sourceFetchReads(db),
  ...alertReads(db),
  ...rehearsalReads(db),
  ...webhookReads(db),
  ...subscriptionReads(db),
  ...sharedFeedReads(db),
  ...owedReads(db, keptMatch),
  ...wakeReads(db),
  ...deliveryReads(db),
  ...attemptReads(db),
  ...upstreamReads(db),
  ...coverageReads(db),
  ...usageReads(db),
  ...certificateLogReads(db),
  ...nodeReads(db),
});

/** With what only the store itself asks for: the time, or what must be settled first. */
export const nounReads = (db: Db, steps: WalkSteps) => ({
  ...viewedReads(db, steps),
  ...answerReads(db),
  ...watchReads(db),
  ...inboxReads(db),
  ...agreedSettingReads(db),
  ...ruleSnapshotReads(db),
});

/** Arguments and answers are plain data: they may come from another thread. */
export const nounWrites = (db: Db) => ({
  ...accountWrites(db),
  ...restrictionWrites(db),
  ...accountUseWrites(db),
  ...keyWrites(db),
  ...passWrites(db),
  ...clientWrites(db),
  ...grantWrites(db),
  ...ruleWrites(db),
  ...trashWrites(db),
  ...registrationWrites(db),
  ...answerWrites(db),
  ...tombstoneWrites(db),
  ...ratingWrites(db),
  ...judgementWrites(db),
  ...spendingWrites(db),
  ...viewWrites(db),
  ...silenceWrites(db),
  ...openNoticeWrites(db),
  ...sourceWrites(db),
  ...sourceFetchWrites(db),
  ...watchWrites(db),
  ...rehearsalWrites(db),
  ...webhookWrites(db),
  ...claimWrites(db),
  ...subscriptionWrites(db),
  ...sharedFeedWrites(db),
  ...owedWrites(db),
  ...wakeWrites(db),
  ...deliveryWrites(db),
  ...acknowledgementWrites(db),
  ...attemptWrites(db),
  ...upstreamWrites(db),
  ...coverageWrites(db),
  ...certificateLogWrites(db),
  ...inboxWrites(db),
  ...agreedSettingWrites(db),
  ...nodeWrites(db),
  ...ruleSnapshotWrites(db),
});

export type NounStore = ReturnType<typeof nounStore>;

/** The store as callers see it: several writes are one call, and the clock gives the time. */
export function nounStore(
  { rememberedAt, ...reads }: ReturnType<typeof nounReads>,
  writes: ReturnType<typeof nounWrites>,
  clock: Clock,
) {
  const { rememberAt, claimAnswerAt, redeliverSlice, oweStored, oweNewest, dropWaiting, ...single } = writes;
  return {
    ...reads,
    ...single,
    ...answerStore({ rememberedAt, rememberAt, claimAnswerAt }, clock),
    ...redeliveries({ redeliverSlice, oweStored }),
    ...replays({ oweNewest, dropWaiting }),
  };
}
