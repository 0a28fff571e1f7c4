/** The receivers that webhooks can have, with the form of each address, so that a new webhook starts filled in. */
import type { Input } from '../../../packages/client/src/index.ts';
import type { Webhook } from '../data/queries.ts';

type Format = Webhook['format'];
type WrittenFormat = Format & Input<'previewMessage'>['format'];

/** The formats that people read. */
const WRITTEN: readonly Format[] = ['slack', 'discord', 'telegram', 'ntfy', 'teams', 'matrix', 'email'];
export const isWritten = (format: Format): format is WrittenFormat => WRITTEN.includes(format);

export interface Receiver {
  readonly label: string;
  readonly format: Format;
  /** The address that a new webhook starts with; the parts in angle brackets are the owner's. */
  readonly url: string;
  /** The events that a new webhook tells of, where those are not matches. */
  readonly events?: Webhook['events'];
}

interface FormatHelp {
  /** How to get the URL. */
  readonly hint: string;
  readonly placeholder: string;
  /** The name of the credential; undefined when there is none to give. */
  readonly credential?: string;
  /** Whether deliveries are signed, so that the secret is worth showing. */
  readonly isSigned: boolean;
}

const SERVER = 'An https URL on a public host, port 443 or 8443.';
const SINKS = `${SERVER} Or nats://host:4222/subject, or kafka://broker:9092/topic.`;
const SINK_LOGIN = 'For NATS and Kafka: name:password.';
const BUCKET = 'A bucket of Amazon S3, or with ?endpoint=https://… of another S3-compatible store.';
const A2A_TOKEN = 'Token of the notifications';
const BUCKET_KEY = '<access key id>:<secret access key>, which may write below the prefix.';
const YOURS = 'https://example.com/sluice';

/** A format that the API gains does not compile until it has its help here. */
export const FORMAT_HELP: Readonly<Record<Format, FormatHelp>> = {
  json: { hint: SINKS, placeholder: YOURS, credential: SINK_LOGIN, isSigned: true },
  cloudevents: { hint: SINKS, placeholder: YOURS, credential: SINK_LOGIN, isSigned: true },
  'cloudevents-binary': { hint: SERVER, placeholder: YOURS, isSigned: true },
  'cloudevents-batch': { hint: SERVER, placeholder: YOURS, isSigned: true },
  slack: {
    hint: 'In Slack: create an app, activate incoming webhooks, and add one to a channel.',
    placeholder: 'https://hooks.slack.com/services/…',
    isSigned: false,
  },
  discord: {
    hint: 'In Discord: edit a channel, Integrations, Webhooks, New Webhook, Copy Webhook URL.',
    placeholder: 'https://discord.com/api/webhooks/…',
    isSigned: false,
  },
  telegram: {
    hint: 'The token comes from @BotFather. Add the bot to the chat; the id of a group is negative.',
    placeholder: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>',
    isSigned: false,
  },
  ntfy: {
    hint: 'The server and a topic that is hard to guess.',
    placeholder: 'https://ntfy.sh/<topic>',
    credential: 'An access token, if the topic needs one.',
    isSigned: false,
  },
  teams: {
    hint: 'In Teams: Workflows of the channel, “Post to a channel when a webhook request is received”.',
    placeholder: 'https://….logic.azure.com/workflows/…?sig=…',
    isSigned: false,
  },
  matrix: {
    hint: 'The homeserver, and the internal id of a room that the user has joined.',
    placeholder: 'https://<server>/_matrix/client/v3/rooms/<room id>/send/m.room.message',
    credential: 'The access token of the user that posts.',
    isSigned: false,
  },
  email: {
    hint: 'The recipient gets a mail first, and must confirm.',
    placeholder: 'mailto:ada@example.com',
    isSigned: false,
  },
  ndjson: { hint: BUCKET, placeholder: 's3://<bucket>/<prefix>', credential: BUCKET_KEY, isSigned: false },
  parquet: { hint: BUCKET, placeholder: 's3://<bucket>/<prefix>', credential: BUCKET_KEY, isSigned: false },
  wake: { hint: 'An agent at an address, or one that asks: wake:<name>.', placeholder: 'https://', isSigned: true },
  a2a: {
    hint: 'The address for push notifications of A2A.',
    placeholder: 'https://',
    credential: A2A_TOKEN,
    isSigned: true,
  },
};

/** A server of yours checks the signature; only brokers let nobody in without a name and a password. */
export const takesCredential = (format: Format, url: string): boolean =>
  FORMAT_HELP[format].credential !== undefined &&
  (FORMAT_HELP[format].credential !== SINK_LOGIN || /^[^h]/i.test(url.trim()));

/** In the order in which they are offered. */
export const RECEIVERS: readonly Receiver[] = [
  { label: 'Your server', format: 'json', url: '' },
  { label: 'Slack', format: 'slack', url: 'https://hooks.slack.com/services/' },
  { label: 'Discord', format: 'discord', url: 'https://discord.com/api/webhooks/' },
  { label: 'Telegram', format: 'telegram', url: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>' },
  { label: 'Microsoft Teams', format: 'teams', url: '' },
  { label: 'Matrix', format: 'matrix', url: 'https://<server>/_matrix/client/v3/rooms/<room id>/send/m.room.message' },
  { label: 'ntfy', format: 'ntfy', url: 'https://ntfy.sh/' },
  { label: 'E-mail', format: 'email', url: 'mailto:' },
  { label: 'CloudEvents', format: 'cloudevents', url: '' },
  { label: 'NATS', format: 'json', url: 'nats://<host>:4222/<subject>' },
  { label: 'Kafka', format: 'json', url: 'kafka://<broker>:9092/<topic>' },
  { label: 'S3 bucket', format: 'parquet', url: 's3://<bucket>/<prefix>?region=<region>' },
  { label: 'Notices of trouble', format: 'json', url: '', events: ['operational'] },
];
