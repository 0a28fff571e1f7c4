/** Where each operation is found, and what a request for it counts. An operation without a line here does not compile. */
import type { OperationName } from '../service/operations.ts';

export type Method = 'GET' | 'POST';
/** The methods that are answered, the documented one first, then the path. */
export type Route = `${Method} /${string}` | `${Method}|${Method} /${string}`;

export const ROUTES = {
  createRule: 'POST /api.CreateRule',
  listRules: 'GET|POST /api.ListRules',
  deleteRule: 'POST /api.DeleteRule',
  restoreRule: 'POST /api.RestoreRule',
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
  listRehearsals: 'GET|POST /api.ListRehearsals',
  cancelRehearsal: 'POST /api.CancelRehearsal',
  translateRule: 'POST /api.TranslateRule',
  certify: 'POST /api.Certify',
  explainMatch: 'POST /api.ExplainMatch',
  matchCounts: 'POST /api.MatchCounts',
  matchFacets: 'POST /api.MatchFacets',
  ruleOverlap: 'POST /api.RuleOverlap',
  sendMatch: 'POST /api.SendMatch',
  rateMatch: 'POST /api.RateMatch',
  suggestChanges: 'POST /api.SuggestChanges',
  draftRule: 'POST /api.DraftRule',
  deleteMatches: 'POST /api.DeleteMatches',
  createKey: 'POST /api.CreateKey',
  listKeys: 'GET|POST /api.ListKeys',
  revokeKey: 'POST /api.RevokeKey',
  listGrants: 'GET|POST /api.ListGrants',
  revokeGrant: 'POST /api.RevokeGrant',
  createSession: 'POST /api.CreateSession',
  status: 'GET /api.Status',
  setDemo: 'POST /api.SetDemo',
  listChanges: 'GET|POST /api.ListChanges',
  listAlerts: 'POST /alerts',
  pushEvents: 'POST /events',
  createStreamTicket: 'POST /api.CreateStreamTicket',
  createEntryTicket: 'POST /api.CreateEntryTicket',
  createWebhook: 'POST /api.CreateWebhook',
  listWebhooks: 'GET|POST /api.ListWebhooks',
  updateWebhook: 'POST /api.UpdateWebhook',
  deleteWebhook: 'POST /api.DeleteWebhook',
  testWebhook: 'POST /api.TestWebhook',
  listDeliveries: 'POST|GET /api.ListDeliveries',
  redeliverWebhook: 'POST /api.RedeliverWebhook',
  webhookStats: 'POST /api.WebhookStats',
  listSubscriptions: 'GET|POST /api.ListSubscriptions',
  endSubscription: 'POST /api.EndSubscription',
  createFeed: 'POST /api.CreateFeed',
  listFeeds: 'GET|POST /api.ListFeeds',
  deleteFeed: 'POST /api.DeleteFeed',
  createView: 'POST /api.CreateView',
  listViews: 'GET|POST /api.ListViews',
  deleteView: 'POST /api.DeleteView',
} satisfies Record<OperationName, Route>;

/**
 * The cost of a request, taken from the limits of its key and account. An operation that reads or writes a few rows costs 1.
 * One that evaluates many events, walks many rows or sends requests to other servers costs more.
 */
export const COSTS = {
  createRule: 1,
  listRules: 1,
  deleteRule: 1,
  restoreRule: 1,
  listMatches: 1,
  listStories: 2,
  platformSyntax: 1,
  platformValues: 1,
  getRule: 1,
  updateRule: 1,
  validateRule: 1,
  previewRule: 10,
  nearMisses: 10,
  rehearseRule: 10,
  getRehearsal: 2,
  listRehearsals: 1,
  cancelRehearsal: 1,
  translateRule: 5,
  certify: 10,
  explainMatch: 2,
  matchCounts: 2,
  matchFacets: 10,
  ruleOverlap: 10,
  sendMatch: 1,
  rateMatch: 1,
  suggestChanges: 10,
  draftRule: 10,
  deleteMatches: 10,
  createKey: 1,
  listKeys: 1,
  revokeKey: 1,
  listGrants: 1,
  revokeGrant: 1,
  createSession: 1,
  status: 1,
  setDemo: 1,
  listChanges: 1,
  listAlerts: 1,
  pushEvents: 1,
  createStreamTicket: 1,
  createEntryTicket: 1,
  createWebhook: 1,
  listWebhooks: 1,
  updateWebhook: 1,
  deleteWebhook: 1,
  testWebhook: 5,
  listDeliveries: 1,
  redeliverWebhook: 10,
  webhookStats: 5,
  listSubscriptions: 1,
  endSubscription: 1,
  createFeed: 1,
  listFeeds: 1,
  deleteFeed: 1,
  createView: 1,
  listViews: 1,
  deleteView: 1,
} satisfies Record<OperationName, number>;

/** What asks for more than an index has reads payloads until the page is full, or the budget is used up. */
const SEARCH_COST = 10;
const SEARCHED = ['text', 'author', 'domain', 'language', 'source', 'min_relevance'];
const SEARCHES: Partial<Record<OperationName, readonly string[]>> = {
  listMatches: SEARCHED,
  matchCounts: [...SEARCHED, 'rating', 'story_id', 'event_id'],
};

/** The cost that the input adds. The base cost was taken before the input was read. */
export const addedCost = (name: OperationName, input: unknown): number =>
  SEARCHES[name]?.some((field) => isGiven(input, field)) ? SEARCH_COST - COSTS[name] : 0;

const isGiven = (input: unknown, field: string): boolean =>
  (((input ?? {}) as Readonly<Record<string, unknown>>)[field] ?? undefined) !== undefined;

/** An export reads as many matches as a hundred lists, and is not asked for often. */
export const exportCost = (query: object): number => (SEARCHED.some((field) => isGiven(query, field)) ? 100 : 50);

export function readRoute(route: Route): { methods: Method[]; path: string } {
  const [methods, path] = route.split(' ') as [string, string];
  return { methods: methods.split('|') as Method[], path };
}
