/**
 * Every operation of the service as the client offers it: where it is found, and under which name. The types come from
 * the operations' own schemas; nothing of the service is there when the client runs.
 */
import type { z } from 'zod';
import type { OperationName, operations } from '../service/operations/operations.ts';

export type { OperationName };

type Operations = typeof operations;

export type Input<Name extends OperationName> = z.input<Operations[Name]['input']>;
export type Answer<Name extends OperationName> = z.output<Operations[Name]['output']>;

export type Rule = Answer<'getRule'>;
export type Match = Answer<'listMatches'>['matches'][number];
export type ListedAlert = Answer<'listAlerts'>['alerts'][number];
export type Webhook = Answer<'listWebhooks'>['webhooks'][number];
export type Delivery = Answer<'listDeliveries'>['deliveries'][number];

type Route = `${'GET' | 'POST'} /${string}`;

/** An operation without a line here does not compile. */
export const CLIENT_ROUTES = {
  createRule: 'POST /api.CreateRule',
  listRules: 'GET /api.ListRules',
  deleteRule: 'POST /api.DeleteRule',
  listMatches: 'POST /matches',
  listStories: 'POST /stories',
  platformSyntax: 'POST /platforms/syntax',
  platformValues: 'POST /platforms/values',
  getRule: 'GET /api.GetRule',
  updateRule: 'POST /api.UpdateRule',
  validateRule: 'POST /api.ValidateRule',
  previewRule: 'POST /api.PreviewRule',
  nearMisses: 'POST /api.NearMisses',
  rehearseRule: 'POST /api.RehearseRule',
  getRehearsal: 'GET /api.GetRehearsal',
  listRehearsals: 'GET /api.ListRehearsals',
  cancelRehearsal: 'POST /api.CancelRehearsal',
  translateRule: 'POST /api.TranslateRule',
  certify: 'POST /api.Certify',
  explainMatch: 'POST /api.ExplainMatch',
  matchCounts: 'POST /api.MatchCounts',
  rateMatch: 'POST /api.RateMatch',
  suggestChanges: 'POST /api.SuggestChanges',
  draftRule: 'POST /api.DraftRule',
  deleteMatches: 'POST /api.DeleteMatches',
  createKey: 'POST /api.CreateKey',
  listKeys: 'GET /api.ListKeys',
  revokeKey: 'POST /api.RevokeKey',
  listGrants: 'GET /api.ListGrants',
  revokeGrant: 'POST /api.RevokeGrant',
  createSession: 'POST /api.CreateSession',
  status: 'GET /api.Status',
  setDemo: 'POST /api.SetDemo',
  listChanges: 'GET /api.ListChanges',
  listAlerts: 'POST /alerts',
  pushEvents: 'POST /events',
  createWebhook: 'POST /api.CreateWebhook',
  listWebhooks: 'GET /api.ListWebhooks',
  updateWebhook: 'POST /api.UpdateWebhook',
  deleteWebhook: 'POST /api.DeleteWebhook',
  testWebhook: 'POST /api.TestWebhook',
  listDeliveries: 'POST /api.ListDeliveries',
  redeliverWebhook: 'POST /api.RedeliverWebhook',
  createStreamTicket: 'POST /api.CreateStreamTicket',
  listSubscriptions: 'GET /api.ListSubscriptions',
  endSubscription: 'POST /api.EndSubscription',
  createFeed: 'POST /api.CreateFeed',
  listFeeds: 'GET /api.ListFeeds',
  deleteFeed: 'POST /api.DeleteFeed',
} satisfies Record<OperationName, Route>;

/** Those of which a second time is not the same as the first, so that one whose answer was lost is not sent again. */
export const ONCE: ReadonlySet<OperationName> = new Set<OperationName>([
  'deleteRule',
  'rehearseRule',
  'cancelRehearsal',
  'createKey',
  'revokeKey',
  'revokeGrant',
  'createWebhook',
  'updateWebhook',
  'deleteWebhook',
  'testWebhook',
  'redeliverWebhook',
  'createFeed',
  'deleteFeed',
]);

/** `client.rules.create(…)` and so on. */
export const METHODS = {
  status: 'status',
  demo: 'setDemo',
  changes: 'listChanges',
  stories: 'listStories',
  alerts: 'listAlerts',
  createSession: 'createSession',
  createStreamTicket: 'createStreamTicket',
  rules: {
    create: 'createRule',
    list: 'listRules',
    get: 'getRule',
    update: 'updateRule',
    delete: 'deleteRule',
    validate: 'validateRule',
    preview: 'previewRule',
    nearMisses: 'nearMisses',
    draft: 'draftRule',
    suggest: 'suggestChanges',
    translate: 'translateRule',
    certify: 'certify',
    syntax: 'platformSyntax',
    values: 'platformValues',
  },
  rehearsals: {
    start: 'rehearseRule',
    get: 'getRehearsal',
    list: 'listRehearsals',
    cancel: 'cancelRehearsal',
  },
  matches: {
    list: 'listMatches',
    explain: 'explainMatch',
    counts: 'matchCounts',
    rate: 'rateMatch',
    delete: 'deleteMatches',
  },
  events: { push: 'pushEvents' },
  keys: { create: 'createKey', list: 'listKeys', revoke: 'revokeKey' },
  grants: { list: 'listGrants', revoke: 'revokeGrant' },
  subscriptions: { list: 'listSubscriptions', end: 'endSubscription' },
  feeds: { create: 'createFeed', list: 'listFeeds', delete: 'deleteFeed' },
  webhooks: {
    create: 'createWebhook',
    list: 'listWebhooks',
    update: 'updateWebhook',
    delete: 'deleteWebhook',
    test: 'testWebhook',
    deliveries: 'listDeliveries',
    redeliver: 'redeliverWebhook',
  },
} as const satisfies Record<string, OperationName | Record<string, OperationName>>;
