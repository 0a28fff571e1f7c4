/** Where each operation is found. An operation without a line here does not compile. */
import type { OperationName } from '../service/operations/operations.ts';

export type Method = 'GET' | 'POST';
/** The methods that are answered, the documented one first, then the path. */
export type Route = `${Method} /${string}` | `${Method}|${Method} /${string}`;

export const ROUTES = {
  createRule: 'POST /api.CreateRule',
  listRules: 'GET|POST /api.ListRules',
  deleteRule: 'POST /api.DeleteRule',
  listMatches: 'POST /matches',
  platformSyntax: 'POST /platforms/syntax',
  platformValues: 'POST /platforms/values',
  getRule: 'GET /api.GetRule',
  updateRule: 'POST /api.UpdateRule',
  validateRule: 'POST /api.ValidateRule',
  previewRule: 'POST /api.PreviewRule',
  nearMisses: 'POST /api.NearMisses',
  translateRule: 'POST /api.TranslateRule',
  explainMatch: 'POST /api.ExplainMatch',
  matchCounts: 'POST /api.MatchCounts',
  deleteMatches: 'POST /api.DeleteMatches',
  createKey: 'POST /api.CreateKey',
  listKeys: 'GET|POST /api.ListKeys',
  revokeKey: 'POST /api.RevokeKey',
  createSession: 'POST /api.CreateSession',
  status: 'GET /api.Status',
  pushEvents: 'POST /events',
  createStreamTicket: 'POST /api.CreateStreamTicket',
  createWebhook: 'POST /api.CreateWebhook',
  listWebhooks: 'GET|POST /api.ListWebhooks',
  updateWebhook: 'POST /api.UpdateWebhook',
  deleteWebhook: 'POST /api.DeleteWebhook',
  testWebhook: 'POST /api.TestWebhook',
  listDeliveries: 'POST|GET /api.ListDeliveries',
  redeliverWebhook: 'POST /api.RedeliverWebhook',
} satisfies Record<OperationName, Route>;

export function readRoute(route: Route): { methods: Method[]; path: string } {
  const [methods, path] = route.split(' ') as [string, string];
  return { methods: methods.split('|') as Method[], path };
}
