/** What the package exports. */
export type { Digest, DigestStory, OperationalEvent, Story } from './api.ts';
export { type CallOptions, type Client, createClient } from './client.ts';
export { type Issue, SluiceError, type SluiceErrorCode } from './error.ts';
export { explainReason } from './explain-reason.ts';
export type { Answer, Delivery, Input, ListedAlert, Match, OperationName, Rule, View, Webhook } from './operations.ts';
export type { Gap, MatchStream, StreamCoverage, StreamOptions } from './stream.ts';
export type { ClientOptions } from './transport.ts';
export {
  verifyWebhook,
  type WebhookBody,
  type WebhookDelivery,
  WebhookError,
} from './webhook.ts';
