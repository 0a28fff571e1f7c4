/** The exports of the package. */
export type { CertificateHead, Digest, DigestStory, LoggedCertificate, OperationalEvent, Story } from './api.ts';
export {
  type CertificateClaim,
  CertificateError,
  type CertificateSource,
  type VerifiedCertificate,
  verifyCertificate,
} from './certificate.ts';
export {
  checkLog,
  findInLog,
  LogForkError,
  type LogOptions,
  readLogged,
  verifyConsistency,
  verifyHead,
  verifyLogged,
} from './certificate-log.ts';
export { type CallOptions, type Client, createClient } from './client.ts';
export { type Issue, SluiceError, type SluiceErrorCode } from './error.ts';
export { explainReason } from './explain-reason.ts';
export type {
  Answer,
  Delivery,
  Input,
  ListedAlert,
  ListedSource,
  Match,
  OperationName,
  Rule,
  Silence,
  View,
  Webhook,
} from './operations.ts';
export type { Gap, MatchStream, StreamCoverage, StreamOptions } from './stream.ts';
export type { ClientOptions } from './transport.ts';
export {
  verifyWebhook,
  type WebhookBody,
  type WebhookDelivery,
  WebhookError,
} from './webhook.ts';
