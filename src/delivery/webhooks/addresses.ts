/**
 * The addresses of webhooks. What signs in at the receiver is taken out of an address before it is stored, and stored
 * encrypted. What is left may still be a password, as the path of a Slack webhook is: whoever knows it can post there. So
 * `shownAddress` alone goes into lists, notices, traces and the audit log.
 */
import { bucketAddressProblem, readObjectAddress } from '../../base/object-address.ts';
import { decodedPart, parseUrl } from '../../base/parse-url.ts';
import type { WebhookFormat } from '../../domain/webhook.ts';
import { hostProblem, webhookUrlProblem } from './egress.ts';
import { isObjectFormat } from './objects/object-body.ts';
import { isSink, placesOf, shownSink, sinkAddress } from './sinks/sink-address.ts';
import { schemeOf } from './transport.ts';
import { AGENT_NAME, PULLED } from './wake-body.ts';

/** Stands in an address where the secret was. */
const MASK = '***';

export const unmasked = (text: string, credential: string): string => text.replace(MASK, () => credential);

const TELEGRAM_PATH = /^\/(?:[\w.-]+\/)*bot[^/]+\/sendMessage$/;
/** The pattern matches the secret, and nothing else. */
const TELEGRAM_TOKEN = /(?<=\/bot)[^/?#]+(?=\/sendMessage(?:[?#]|$))/;
const TEAMS_SIGNATURE = /(?<=[?&]sig=)[^&#]+/;
const MATRIX_PATH = /^\/(?:[\w.-]+\/)*_matrix\/client\/v3\/rooms\/[^/]+\/send\/m\.room\.message\/?$/;
const NTFY_PATH = /^\/(?:[\w.-]+\/)*[-_A-Za-z0-9]{1,64}$/;

interface SplitAddress {
  readonly url: string;
  /** The secret that the address held; undefined when it held none, or the mask. */
  readonly secret: string | undefined;
}

/** `url` is valid. */
export function splitAddress(format: WebhookFormat, url: string): SplitAddress {
  const sink = sinkAddress(url);
  if (sink !== undefined) return { url: shownSink(sink), secret: sink.login };
  const { href } = new URL(url);
  if (format === 'email') return { url: lowerDomain(href), secret: undefined };
  const place = SECRET_PLACES[format];
  const [secret] = place?.exec(href) ?? [];
  if (place === undefined || secret === undefined || secret === MASK) return { url: href, secret: undefined };
  return { url: href.replace(place, MASK), secret };
}

const SECRET_PLACES: Partial<Record<WebhookFormat, RegExp>> = { telegram: TELEGRAM_TOKEN, teams: TEAMS_SIGNATURE };

const lowerDomain = (href: string): string => href.replace(/@[^@]*$/, (domain) => domain.toLowerCase());

export const hasMask = (url: string): boolean => url.includes(MASK);

/** Whether an address is one that we showed: it has the mask where no stored credential is put in. */
export function isShown(format: WebhookFormat, url: string): boolean {
  const [secret] = SECRET_PLACES[format]?.exec(url) ?? [];
  return hasMask(url) && secret !== MASK;
}

/** `https://hooks.slack.com/***`, `s3://bucket/***`, `mailto:a***@example.com`. */
export function shownAddress(url: string): string {
  const recipient = recipientOf(url);
  if (recipient !== undefined) return `mailto:${maskedRecipient(recipient)}`;
  const sink = sinkAddress(url);
  if (sink !== undefined) return `${sink.scheme}://${placesOf(sink.hosts)}/${MASK}`;
  if (schemeOf(url) === PULLED) return url;
  const { protocol, host, pathname, search, hash } = new URL(url);
  const isBare = /^\/?$/.test(pathname) && search === '' && hash === '';
  return `${protocol}//${host}${isBare ? pathname : `/${MASK}`}`;
}

/** A recipient is known by the first letter and the domain. */
const maskedRecipient = (recipient: string): string => recipient.replace(/(?<=^.).*(?=@)/, MASK);

/** Shorter parts of an address are words like `api`. */
const SHORTEST_SECRET = 4;

/** A text of a receiver without what would let others post there: it may repeat the path that it was asked for. */
export function withoutAddress(text: string, url: string): string {
  const recipient = recipientOf(url);
  if (recipient !== undefined) return text.replaceAll(recipient, maskedRecipient(recipient));
  return secretsIn(url).reduce((shown, secret) => shown.replaceAll(secret, MASK), text);
}

/** The longest first, since one may stand in another. */
function secretsIn(url: string): string[] {
  const parsed = isSink(url) ? null : parseUrl(url);
  if (parsed === null) return [];
  const parts = [...parsed.pathname.split('/'), ...[...parsed.searchParams].flat(), parsed.hash.slice(1)];
  return [...new Set(parts.flatMap((part) => [part, encodeURIComponent(part), decodedPart(part)]))]
    .filter((part) => part.length >= SHORTEST_SECRET && part !== MASK)
    .toSorted((one, other) => other.length - one.length);
}

/** Two addresses that a credential may go to alike. */
export const sameReceiver = (one: string, other: string): boolean =>
  schemeOf(one) === schemeOf(other) && receiverPlace(one) === receiverPlace(other);

/** The host of an address, or its recipient, which is enough to find it by and shows no secret. */
export function receiverPlace(url: string): string {
  const sink = sinkAddress(url);
  if (sink !== undefined) return placesOf(sink.hosts);
  return recipientOf(url) ?? bucketOf(url) ?? (schemeOf(url) === PULLED ? url : new URL(url).host);
}

/** A bucket of the same name at another endpoint is another place. */
function bucketOf(url: string): string | undefined {
  if (schemeOf(url) !== 's3:') return undefined;
  return `${readObjectAddress(url).host}/${new URL(url).host}`;
}

/** One recipient, as nearly every address is written: no quotes, no comment, no list and no header. */
const MAILTO =
  /^mailto:([A-Za-z0-9_+'-]+(?:\.[A-Za-z0-9_+'-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})$/;
const LONGEST_RECIPIENT = 254;

export function recipientOf(url: string): string | undefined {
  const [, recipient] = MAILTO.exec(url) ?? [];
  return recipient !== undefined && recipient.length <= LONGEST_RECIPIENT ? recipient : undefined;
}

/** Why this format cannot go to this address; undefined when it can. */
export function addressProblem(
  format: WebhookFormat,
  url: string,
  { allowPrivate }: { readonly allowPrivate: boolean },
): string | undefined {
  if (isSink(url)) return sinkProblem(format, url, allowPrivate);
  const parsed = parseUrl(url);
  if (parsed === null) return 'The URL is not valid.';
  if (parsed.protocol === PULLED) return pulledProblem(format, url);
  if ((format === 'email') !== (parsed.protocol === 'mailto:'))
    return 'The format `email` goes with a URL such as mailto:ada@example.com, and with no other.';
  if (format === 'email')
    return recipientOf(lowerDomain(parsed.href)) === undefined
      ? 'The URL must be mailto: with one plain address.'
      : undefined;
  if (isObjectFormat(format) !== (parsed.protocol === 's3:'))
    return 'The formats `ndjson` and `parquet` go with a URL such as s3://bucket/prefix, and with no other.';
  if (isObjectFormat(format)) return objectAddressProblem(parsed, allowPrivate);
  return webhookUrlProblem(parsed, allowPrivate) ?? FORMS[format]?.(parsed);
}

const pulledProblem = (format: WebhookFormat, url: string): string | undefined =>
  format === 'wake' && AGENT_NAME.test(url.slice(PULLED.length))
    ? undefined
    : 'A URL such as wake:my-agent goes with the format `wake`; the name has at most 64 small letters, digits, dots, - and _.';

function sinkProblem(format: WebhookFormat, url: string, allowPrivate: boolean): string | undefined {
  if (format !== 'json' && format !== 'cloudevents') return 'NATS and Kafka take the formats `json` and `cloudevents`.';
  const sink = sinkAddress(url);
  if (sink === undefined)
    return 'The URL must be nats://<host>:<port>/<subject> or kafka://<broker>:<port>[,<broker>:<port>]/<topic>.';
  return sink.hosts.flatMap(({ hostname }) => hostProblem(hostname, allowPrivate) ?? [])[0];
}

const FORMS: Partial<Record<WebhookFormat, (url: URL) => string | undefined>> = {
  telegram: ({ pathname, searchParams }) =>
    TELEGRAM_PATH.test(pathname) && (searchParams.get('chat_id') ?? '') !== ''
      ? undefined
      : 'The URL of a Telegram chat must be https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>.',
  ntfy: ({ pathname, search }) =>
    NTFY_PATH.test(pathname) && search === ''
      ? undefined
      : 'The URL of an ntfy topic must be https://<server>/<topic>, with at most 64 letters, digits, - and _ in the topic.',
  matrix: ({ pathname, search }) =>
    MATRIX_PATH.test(pathname) && search === ''
      ? undefined
      : 'The URL of a Matrix room must be https://<server>/_matrix/client/v3/rooms/<room id>/send/m.room.message.',
};

const OBJECT_KEY = 'Give the access key of the bucket as `credential`: <access key id>:<secret access key>.';

/** Formats whose receivers refuse everything without a credential. */
export const NEEDS_CREDENTIAL: Readonly<Partial<Record<WebhookFormat, string>>> = {
  telegram: 'Give the URL with the token of the bot in it.',
  ndjson: OBJECT_KEY,
  parquet: OBJECT_KEY,
  matrix: 'Give the access token of the user that posts to the room, as `credential`.',
};

// The address of objects of an account: not in our own network, unless the operator allows that.

/** Why objects cannot go to this address; undefined when they can. */
export const objectAddressProblem = (url: URL, allowPrivate: boolean): string | undefined =>
  bucketAddressProblem(url, (endpoint) => webhookUrlProblem(endpoint, allowPrivate));
