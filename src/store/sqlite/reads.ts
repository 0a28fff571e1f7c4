/** All that is read. Reads are short and stay in the thread that asks. */
import { accountReads } from './accounts.ts';
import { alertReads, watchReads } from './alerts.ts';
import { answerReads } from './answers.ts';
import { attemptReads } from './attempts.ts';
import { changeReads } from './changes.ts';
import { coverageReads } from './coverage.ts';
import { deliveryReads } from './deliveries.ts';
import { erasedReads } from './erased.ts';
import { grantReads } from './grants.ts';
import { matchReads } from './matches.ts';
import { minuteReads } from './minutes.ts';
import { nodeReads } from './nodes.ts';
import { owedReads } from './owed.ts';
import { passReads } from './passes.ts';
import { ratingReads } from './ratings.ts';
import { recentReads } from './recent.ts';
import { registrationReads } from './registrations.ts';
import { rehearsalReads } from './rehearsals.ts';
import { retentionReads } from './retention.ts';
import { ruleReads } from './rules.ts';
import { sharedFeedReads } from './shared-feeds.ts';
import type { Sql } from './sql.ts';
import { storyReads } from './stories.ts';
import { subscriptionReads } from './subscriptions.ts';
import { tombstoneReads } from './tombstones.ts';
import { trashReads } from './trash.ts';
import { upstreamReads } from './upstreams.ts';
import { usageReads } from './usage.ts';
import { versionReads } from './version.ts';
import { viewReads } from './views.ts';
import { wakeReads } from './wakes.ts';
import { webhookReads } from './webhooks.ts';

export type Reads = ReturnType<typeof readsOf>;

export const readsOf = (sql: Sql, { retentionDays }: { retentionDays: number }) => ({
  ...accountReads(sql),
  ...ruleReads(sql),
  ...trashReads(sql),
  ...registrationReads(sql),
  ...answerReads(sql),
  ...matchReads(sql),
  ...storyReads(sql),
  ...minuteReads(sql),
  ...recentReads(sql),
  ...erasedReads(sql),
  ...tombstoneReads(sql),
  ...changeReads(sql),
  ...ratingReads(sql),
  ...viewReads(sql),
  ...alertReads(sql),
  ...watchReads(sql),
  ...rehearsalReads(sql),
  ...webhookReads(sql),
  ...subscriptionReads(sql),
  ...sharedFeedReads(sql),
  ...owedReads(sql),
  ...wakeReads(sql),
  ...deliveryReads(sql),
  ...attemptReads(sql),
  ...upstreamReads(sql),
  ...coverageReads(sql),
  ...usageReads(sql),
  ...nodeReads(sql),
  ...passReads(sql),
  ...grantReads(sql),
  ...retentionReads(sql, retentionDays),
  ...versionReads(sql),
});
