/** All operations of the service. Interfaces that must offer all of them are built from this list. */

import { certify } from './certify.ts';
import { createEntryTicket } from './create-entry-ticket.ts';
import { createRule } from './create-rule.ts';
import { createSession } from './create-session.ts';
import { createStreamTicket } from './create-stream-ticket.ts';
import { deleteRule } from './delete-rule.ts';
import { listDeliveries, redeliverWebhook, testWebhook } from './deliveries.ts';
import { setDemo } from './demo.ts';
import { draftRule } from './draft-rule.ts';
import { explainMatch } from './explain-match.ts';
import { createFeed, deleteFeed, listFeeds } from './feeds.ts';
import { listGrants, revokeGrant } from './grants.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { listAlerts } from './list-alerts.ts';
import { listChanges } from './list-changes.ts';
import { listStories } from './list-stories.ts';
import { matchCounts } from './match-counts.ts';
import { matchFacets } from './match-facets.ts';
import { deleteMatches, listMatches, listMatchesText } from './matches.ts';
import { nearMisses } from './near-misses.ts';
import type { Operation } from './operation.ts';
import { platformValues } from './platform-values.ts';
import { previewRule } from './preview-rule.ts';
import { pushEvents } from './push-events.ts';
import { rateMatch } from './rate-match.ts';
import { getRule, listRules } from './read-rules.ts';
import { cancelRehearsal, getRehearsal, listRehearsals, rehearseRule } from './rehearsals.ts';
import { restoreRule } from './restore-rule.ts';
import { ruleOverlap } from './rule-overlap.ts';
import { sendMatch } from './send-match.ts';
import { status } from './status.ts';
import { endSubscription, listSubscriptions } from './subscriptions.ts';
import { suggestChanges } from './suggest-changes.ts';
import { platformSyntax } from './syntax.ts';
import { translateRule } from './translate-rule.ts';
import { updateRule } from './update-rule.ts';
import { validateRule } from './validate-rule.ts';
import { createView, deleteView, listViews } from './views.ts';
import { webhookStats } from './webhook-stats.ts';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from './webhooks.ts';

export const operations = {
  createRule,
  listRules,
  deleteRule,
  restoreRule,
  listMatches,
  listStories,
  platformSyntax,
  platformValues,
  getRule,
  updateRule,
  validateRule,
  previewRule,
  nearMisses,
  rehearseRule,
  getRehearsal,
  listRehearsals,
  cancelRehearsal,
  translateRule,
  certify,
  explainMatch,
  matchCounts,
  matchFacets,
  ruleOverlap,
  sendMatch,
  rateMatch,
  suggestChanges,
  draftRule,
  deleteMatches,
  createKey,
  listKeys,
  revokeKey,
  listGrants,
  revokeGrant,
  createSession,
  status,
  setDemo,
  listChanges,
  listAlerts,
  pushEvents,
  createStreamTicket,
  createEntryTicket,
  createWebhook,
  listWebhooks,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  listDeliveries,
  redeliverWebhook,
  webhookStats,
  listSubscriptions,
  endSubscription,
  createFeed,
  listFeeds,
  deleteFeed,
  createView,
  listViews,
  deleteView,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Operations that write their answer as JSON text themselves, without an object on the way. */
export const writers: Partial<Record<OperationName, Operation['run']>> = { listMatches: listMatchesText };
