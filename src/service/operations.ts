/** All operations of the service. Interfaces that must offer all of them are built from this list. */
import { listGrants, revokeGrant } from './agents/grants.ts';
import { endSubscription, listSubscriptions } from './agents/subscriptions.ts';
import { pushEvents } from './events/push-events.ts';
import { createEntryTicket, createKey, createSession, createStreamTicket, listKeys, revokeKey } from './keys/keys.ts';
import { listChanges } from './keys/list-changes.ts';
import { certify } from './matches/certify.ts';
import { explainMatch } from './matches/explain-match.ts';
import { createFeed, deleteFeed, listFeeds } from './matches/feeds.ts';
import { listAlerts } from './matches/list-alerts.ts';
import { listStories } from './matches/list-stories.ts';
import { matchCounts } from './matches/match-counts.ts';
import { matchFacets } from './matches/match-facets.ts';
import { deleteMatches, listMatches, listMatchesText } from './matches/matches.ts';
import { rateMatch } from './matches/rate-match.ts';
import { rehearseWake } from './matches/rehearse-wake.ts';
import { ruleOverlap } from './matches/rule-overlap.ts';
import { createView, deleteView, listViews } from './matches/views.ts';
import { resumeAccount, setAccountLimits, suspendAccount } from './operator/accounts.ts';
import { listUsage } from './operator/list-usage.ts';
import type { Operation } from './perform/operation.ts';
import { nearMisses } from './previews/near-misses.ts';
import { previewRule } from './previews/preview-rule.ts';
import { cancelRehearsal, getRehearsal, listRehearsals, rehearseRule } from './previews/rehearse-rule.ts';
import { translateRule } from './previews/translate-rule.ts';
import { validateRule } from './previews/validate-rule.ts';
import { createRule } from './rules/create-rule.ts';
import { platformValues } from './rules/platform-values.ts';
import { getRule, listRules } from './rules/read-rules.ts';
import { deleteRule, restoreRule } from './rules/restore-rule.ts';
import { platformSyntax } from './rules/syntax.ts';
import { updateRule } from './rules/update-rule.ts';
import { createAccountSource, testSource } from './sources/create-source.ts';
import { discoverSource } from './sources/discover-source.ts';
import { deleteSource, getSource, listSources, updateSource } from './sources/read-sources.ts';
import { setDemo } from './status/set-demo.ts';
import { status } from './status/status.ts';
import { draftRule } from './suggestions/draft-rule.ts';
import { explainEvent } from './suggestions/explain-event.ts';
import { suggestChanges } from './suggestions/suggest-changes.ts';
import { listDeliveries, redeliverWebhook, testWebhook } from './webhooks/deliveries.ts';
import { previewMessage, sendMatch } from './webhooks/preview-message.ts';
import { createSilence, endSilence, listSilences } from './webhooks/silences.ts';
import { acknowledgeWake, listWakes, nextWake } from './webhooks/wakes.ts';
import { webhookStats } from './webhooks/webhook-stats.ts';
import { createWebhook, deleteWebhook, listWebhooks, updateWebhook } from './webhooks/webhooks.ts';

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
  explainEvent,
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
  rehearseWake,
  sendMatch,
  previewMessage,
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
  listWakes,
  nextWake,
  acknowledgeWake,
  listSubscriptions,
  endSubscription,
  createFeed,
  listFeeds,
  deleteFeed,
  createView,
  listViews,
  deleteView,
  createSilence,
  listSilences,
  endSilence,
  discoverSource,
  createSource: createAccountSource,
  listSources,
  getSource,
  updateSource,
  deleteSource,
  testSource,
  suspendAccount,
  resumeAccount,
  setAccountLimits,
  listUsage,
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Operations that write their answer as JSON text themselves, without an object on the way. */
export const writers: Partial<Record<OperationName, Operation['run']>> = { listMatches: listMatchesText };
