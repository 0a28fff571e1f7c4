/**
 * Every setting there is, with the text it has when it is not set. `docs/configuration.md` is printed from this table,
 * and a variable that begins with `SLUICE_` and is not in it stops the start.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import { bucketAddressProblem, CREDENTIAL_FORM, objectCredentialProblem } from '../base/object-address.ts';
import { isBucket } from '../base/object-store.ts';
import { EVENT_RETRY_AFTER, RETRY_AFTER } from '../delivery/webhooks/outcome.ts';
import { SEALING_KEY_BYTES } from '../delivery/webhooks/seal.ts';
import type { JudgeLimit } from '../domain/match.ts';
import { ROLES } from '../domain/role.ts';
import { ACCOUNT_KINDS } from '../sources/kinds/account-source.ts';
import {
  ADDRESS_ERROR,
  isKeyText,
  isServerAddress,
  KEY_ERROR,
  USUAL_DATA_DIR,
  USUAL_SERVER,
  withoutFinalSlashes,
} from './server-settings.ts';

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);

const oneOf = <const Choice extends string>(...choices: Choice[]) =>
  z.enum(choices, { error: `must be one of ${choices.join(', ')}` });

const httpUrl = z.string().refine(isServerAddress, { error: ADDRESS_ERROR }).transform(withoutFinalSlashes);

/** Why old matches cannot lie there. The operator chooses the host, in their own network too. */
function coldProblem(text: string): string | undefined {
  if (text === '') return 'must be a folder, or s3://bucket/prefix';
  if (!isBucket(text)) return undefined;
  if (!URL.canParse(text)) return 'must be s3://bucket/prefix?endpoint=https://…&region=…';
  return bucketAddressProblem(new URL(text), ({ protocol }) =>
    /^https?:$/.test(protocol) ? undefined : 'It must be an http or https address.',
  );
}

/** As a browser writes it in the header `Origin`: no path, no final slash, no default port. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Whether the reader of `X-Forwarded-For` takes it: not the range of all addresses. */
function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const isRange = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
  return isIP(address) !== 0 && isRange && more.length === 0;
}

const onOff = oneOf('on', 'off').transform((text) => text === 'on');

/** Written in any of the usual ways. */
const yesNo = z
  .string()
  .refine((text) => /^(on|off|true|false|yes|no|1|0)$/i.test(text), { error: 'must be on or off' })
  .transform((text) => /^(on|true|yes|1)$/i.test(text));

/** A header carries it, so it is one word of plain characters. */
const token = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => /^[\x21-\x7e]+$/.test(text), { error: 'must be one word of plain characters' });

const price = z
  .string()
  .refine((text) => /^\d{1,6}(\.\d{1,8})?$/.test(text), { error: 'must be a number such as 0.005' })
  .transform(Number);

const currency = z.string().refine((text) => /^[A-Z]{3}$/.test(text), { error: 'must be three letters such as EUR' });

const seconds = z
  .string()
  .refine((text) => /^\d{1,3}(\.\d{1,3})?$/.test(text), { error: 'must be a number of seconds from 0 to 999' })
  .transform(Number);

const secondsList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.length <= 20 && parts.every((part) => /^\d{1,7}(\.\d{1,3})?$/.test(part)), {
    error: 'must be a comma list of seconds',
  })
  .transform((parts) => parts.map(Number));

const countOrOff = z
  .string()
  .refine((text) => text === 'off' || /^[1-9]\d{0,8}$/.test(text), { error: 'must be a whole number above 0, or off' })
  .transform((text) => (text === 'off' ? ('off' as const) : Number(text)));

/** Calls and money, for a day or a month: `calls=1000/day money=5/month`. */
const judgeBudget = z
  .string()
  .transform((text) =>
    text
      .trim()
      .split(/\s+/)
      .map((part) => /^(calls|money)=(\d{1,9}(?:\.\d{1,6})?)\/(day|month)$/.exec(part)),
  )
  .refine((parts) => parts.every((part) => part !== null && (part[1] === 'money' || !part[2]!.includes('.'))), {
    error: 'must be limits such as calls=1000/day money=5/month',
  })
  .transform((parts) =>
    parts.map((part): JudgeLimit => {
      const [, what, most, per] = part!;
      // Money is counted in millionths.
      const unit = what === 'money' ? 1_000_000 : 1;
      return {
        what: oneOf('calls', 'money').parse(what),
        most: Math.floor(Number(most) * unit),
        per: oneOf('day', 'month').parse(per),
      };
    }),
  );

/** The prices of a million tokens. */
const judgePrice = z
  .string()
  .transform((text) => /^input=(\d{1,6}(?:\.\d{1,6})?)\s+output=(\d{1,6}(?:\.\d{1,6})?)$/.exec(text.trim()))
  .refine((found) => found !== null, { error: 'must be two prices such as input=0.15 output=0.6' })
  .transform((found) => ({ input: Number(found[1]), output: Number(found[2]) }));

const isNatsUrl = (text: string): boolean => URL.canParse(text.trim()) && /^(nats|tls):\/\/[^/]+\/?$/.test(text.trim());

export interface Setting<Type extends z.ZodType = z.ZodType> {
  /** The text that stands for the variable when it is not set. */
  readonly unset?: string;
  readonly type: Type;
  readonly about: string;
}

const setting = <Type extends z.ZodType>(type: Type, about: string): Setting<Type> => ({ type, about });

/** A setting with a default has a value always, so its type says so. */
const preset = <Type extends z.ZodType>(
  unset: string,
  type: Type,
  about: string,
): Setting<Type> & { readonly unset: string } => ({
  unset,
  type,
  about,
});

export const SETTINGS = {
  SLUICE_PROFILE: preset(
    'private',
    oneOf('private', 'public'),
    'What the settings are that nothing else sets: `private`, or `public` for an installation that strangers have accounts on. See `docs/guides/public-installation.md`.',
  ),
  SLUICE_HOST: preset('127.0.0.1', z.string(), 'The address to listen on. `0.0.0.0` opens it to the network.'),
  SLUICE_PORT: preset('4800', wholeNumber(0, 65_535), 'The port to listen on; `0` takes any free one.'),
  SLUICE_DATA_DIR: preset(
    USUAL_DATA_DIR,
    z.string(),
    'The folder that holds everything durable. Made when it is missing.',
  ),
  SLUICE_STORE_URL: setting(
    z.string().refine((text) => /^(sqlite:.|postgres(ql)?:\/\/)/.test(text), {
      error: 'must be sqlite:PATH or postgres://…',
    }),
    'The database, as `sqlite:PATH` or, for several machines, `postgres://…`. When it is not set: `sluice.db` in the data folder.',
  ),
  SLUICE_API_KEY: setting(
    z.string().refine(isKeyText, { error: KEY_ERROR }),
    'For the server: a known full key of the operator’s account, added at the start when it is not there yet. For the commands that talk to a server: the key they use.',
  ),
  SLUICE_DEMO: preset(
    'on',
    onOff,
    'The demo feed, which plays as long as no source and no upstream is set, or until `sluice demo stop`: `on` or `off`.',
  ),
  SLUICE_CONFIG: setting(
    z.string(),
    'A file with what does not fit into variables. When it is not set: `sluice.yaml` in the working directory, if it is there.',
  ),
  SLUICE_SOURCES: setting(
    z.string(),
    'Open sources, in the short form: a comma list such as `jetstream,feeds:https://example.org/feed.xml`. `@x` or `@firehose` after a kind names the platform that it feeds. With a source set, the demo feed does not play.',
  ),
  SLUICE_MASTODON_TOKEN: setting(
    z.string(),
    'The access token for sources of the kind `mastodon` that have none of their own.',
  ),
  SLUICE_GITHUB_TOKEN: setting(
    z.string(),
    'The access token for sources of the kind `github` that have none of their own.',
  ),
  SLUICE_HISTORY: setting(
    z.string(),
    'A folder with NDJSON and Parquet files that rules can be rehearsed on. Callers name files below it.',
  ),
  SLUICE_JETSTREAM_KEY: setting(
    z.string(),
    'The key of Jetstream’s archive. It heals gaps that are older than the window of the hosts, and rules can be rehearsed on it.',
  ),
  SLUICE_RATE_LIMIT: preset('600', countOrOff, 'Requests a minute that one key may make, or `off`.'),
  SLUICE_ACCOUNT_RATE_LIMIT: setting(
    countOrOff,
    'Requests a minute that all keys of one account together may make, or `off`. When it is not set: four times `SLUICE_RATE_LIMIT`.',
  ),
  SLUICE_CPU_MS_PER_MINUTE: preset(
    'off',
    countOrOff,
    'Milliseconds of CPU a minute that requests and pushes of an account may take, or `off`.',
  ),
  SLUICE_MATCHES_PER_DAY: preset(
    'off',
    countOrOff,
    'How many matches an account may have in a day (UTC), or `off`. Beyond it its rules match nothing until the next day.',
  ),
  SLUICE_STORED_MIB: preset(
    'off',
    countOrOff,
    'How many MiB the matches of an account may take, or `off`. Beyond it its rules match nothing until some have gone.',
  ),
  SLUICE_RETENTION_DAYS: preset('30', wholeNumber(1, 36_500), 'Matches older than this many days are removed.'),
  SLUICE_ERASURE_DAYS: preset(
    '400',
    wholeNumber(1, 36_500),
    'An erased post is refused for this many days, and not for less than matches are kept. Set it to more than the age of your oldest backup and your oldest recording.',
  ),
  SLUICE_RECENT_EVENTS: preset(
    '50000',
    wholeNumber(0, 10_000_000),
    'How many events of each platform are kept for previews.',
  ),
  SLUICE_HOT_DAYS: setting(
    wholeNumber(1, 36_500),
    'Matches older than this many days lie in Parquet files, by account and day, instead of in the database. They are listed, counted and exported as before. When it is not set, all stay in the database.',
  ),
  SLUICE_COLD: setting(
    z.string().refine((text) => coldProblem(text) === undefined, { error: ({ input }) => coldProblem(String(input)) }),
    'Where those files lie: a folder, which every node sees, or `s3://bucket/prefix?endpoint=https://…&region=…`. When it is not set: the folder `cold` in the data folder, with SQLite.',
  ),
  SLUICE_COLD_CREDENTIAL: setting(
    z.string().refine((text) => objectCredentialProblem(text) === undefined, { error: CREDENTIAL_FORM }),
    'The key of that bucket: `<access key id>:<secret access key>`, and for a temporary key `:<session token>` after them.',
  ),
  SLUICE_MATCH_THREADS: setting(
    wholeNumber(0, 64),
    'How many threads match events beside the main one. They start with the first push of 16 events or more, and share one memory. Unless set, one fewer than there are cores, and at least 1; with `0` the main thread matches.',
  ),
  SLUICE_COMPUTE_THREADS: setting(
    wholeNumber(0, 64),
    'How many threads run the requests that read and compute much, such as previews, facets, searches and exports, beside the main one. They start when one is first needed and end when they are idle. Unless set, half as many as there are cores, and at least 1; with `0` the main thread runs them, and other requests wait meanwhile.',
  ),
  SLUICE_X_LEVEL: preset(
    'payg',
    oneOf('payg', 'enterprise', 'enterprise+embedding'),
    'The X access level whose limits rules are checked against: `payg`, `enterprise` or `enterprise+embedding`.',
  ),
  SLUICE_PUBLIC_URL: setting(
    httpUrl,
    'The address that clients use, such as `https://sluice.example`. Agents can connect with OAuth only when it is set; it must begin with `https://`, except for localhost.',
  ),
  SLUICE_WEBSUB_HUB: setting(
    httpUrl,
    'The address of a WebSub hub that feeds name, so that readers can subscribe there. Sluice does not call it. See `docs/feeds.md`.',
  ),
  SLUICE_OAUTH_REGISTRATION: preset(
    'on',
    onOff,
    'Whether agents’ programs may register by themselves when they connect with OAuth: `on` or `off`. Those that have a document on their own host need not. See `docs/oauth.md`.',
  ),
  SLUICE_TRUST_PROXY: setting(
    z.string().refine((text) => text.split(',').every((part) => isAddressOrRange(part.trim())), {
      error: 'must be a comma list of addresses or ranges, such as 10.0.0.0/8',
    }),
    'Addresses or ranges of proxies whose `X-Forwarded-For` is believed, with commas between them.',
  ),
  SLUICE_CORS_ORIGINS: setting(
    z.string().refine((text) => text === '*' || text.split(',').every((part) => isOrigin(part.trim())), {
      error: 'must be a comma list of origins, such as https://app.example, or * for all',
    }),
    'Origins whose web pages may call this server with an API key, with commas between them, such as `https://app.example`; `*` for all. Cookies of the console never count across origins. When it is not set, only pages of the server’s own origin may call it.',
  ),
  SLUICE_STOP_GRACE: preset(
    '0',
    seconds,
    'Seconds between the signal to stop and the end of the listener. `/readyz` answers 503 at once and requests are answered as before, so that a balancer sends the next ones elsewhere: set it to more than the balancer needs to see that, such as 10, wherever several processes answer requests.',
  ),
  SLUICE_STREAMS: preset(
    '1000',
    wholeNumber(1, 1_000_000),
    'How many event streams an account may have open at a time.',
  ),
  SLUICE_WAITS: preset(
    '1000',
    wholeNumber(1, 1_000_000),
    'How many requests of an account may wait for matches at a time.',
  ),
  SLUICE_ACCOUNT_SOURCES: preset(
    ACCOUNT_KINDS.join(','),
    z
      .string()
      .transform((text) => (text.trim() === 'off' ? [] : text.split(',').map((kind) => kind.trim())))
      .pipe(z.array(oneOf(...ACCOUNT_KINDS), { error: `must be off, or a comma list of ${ACCOUNT_KINDS.join(', ')}` })),
    'Kinds of sources that accounts may add, as a comma list, or `off`. Files, private addresses, tokens of the operator and kinds that hold a connection open are never among them.',
  ),
  SLUICE_BROWSER_URL: setting(
    z.url({ protocol: /^(https?|wss?)$/, error: 'must be an http, https, ws or wss address' }),
    'A Chromium with remote debugging, such as `http://127.0.0.1:9222`: watched pages with `browser: true` are loaded in it. It needs no way to the network: Sluice makes all requests of the pages.',
  ),
  SLUICE_SOURCES_PER_ACCOUNT: preset('1000', countOrOff, 'How many sources an account may add, or `off`.'),
  SLUICE_SOURCE_FETCHES_PER_HOUR: preset(
    'off',
    countOrOff,
    'How many fetches an hour the sources of an account may make, or `off`.',
  ),
  SLUICE_SOURCE_MIB_PER_DAY: preset(
    'off',
    countOrOff,
    'How many MiB the sources of an account may bring in a day (UTC), or `off`. Beyond it they wait until the next day.',
  ),
  SLUICE_SOURCE_INTERVAL: preset(
    '60',
    countOrOff,
    'The shortest time in seconds between two visits of a source that an account adds, or `off`.',
  ),
  SLUICE_FIREHOSE_RULES: preset('off', countOrOff, 'How many rules on firehose an account may have, or `off`.'),
  SLUICE_PUSHED_MIB_PER_MINUTE: preset(
    'off',
    countOrOff,
    'How many MiB of events an account may push in a minute, or `off`.',
  ),
  SLUICE_PUSHED_MIB_PER_DAY: preset('off', countOrOff, 'The same for a day (UTC).'),
  SLUICE_WEBHOOK_ALLOW_PRIVATE: preset(
    'off',
    yesNo,
    'For development: `on` lets webhooks go to any address and port, over plain HTTP too. Anybody with a full key can then reach this machine’s network.',
  ),
  SLUICE_SMTP_URL: setting(
    z.url({ protocol: /^smtps?$/, error: 'must be smtp://host:port or smtps://host:port' }),
    'The mail server that e-mail goes out by: `smtps://name:password@mail.example:465`, or `smtp://…:587`, which changes to TLS where the server can (`?requireTLS=true`: always). Without it the format `email` is off.',
  ),
  SLUICE_SMTP_FROM: setting(
    z.string().regex(/^[^\r\n@]*@[^\r\n]*$/, { error: 'must be an address, such as Sluice <sluice@example.com>' }),
    'The sender of e-mail, such as `Sluice <sluice@example.com>`.',
  ),
  SLUICE_SMTP_DOMAINS: setting(
    z.string().transform((text) => text.split(',').map((part) => part.trim().toLowerCase())),
    'The domains that e-mail may go to, with commas between them. When it is not set: any. Every recipient must confirm first, in either case.',
  ),
  SLUICE_SEALING_KEY: setting(
    z
      .string()
      .transform((text) => Buffer.from(text, 'base64'))
      .refine((key) => key.length === SEALING_KEY_BYTES, { error: `must be ${SEALING_KEY_BYTES} bytes in base64` }),
    'The secret of the installation, the same on every node: 32 random bytes in base64. Webhooks’ secrets are sealed and cursors are keyed with it; another key makes both worthless. When it is not set: `webhooks.key` in the data folder, made at the first start.',
  ),
  SLUICE_WEBHOOK_RETRIES: preset(
    RETRY_AFTER.join(','),
    secondsList,
    'Seconds before the second attempt of a delivery, the third and so on; after the last it has failed. Each varies by a fifth.',
  ),
  SLUICE_EVENT_RETRIES: preset(
    EVENT_RETRY_AFTER.join(','),
    secondsList,
    'The same for events to agents that subscribed with MCP.',
  ),
  SLUICE_SUPPORT: setting(z.string(), 'A contact, shown to those who reach the limit of their account.'),
  SLUICE_LOG_LEVEL: preset(
    'info',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'The least level that is logged: `debug`, `info`, `warn`, `error` or `silent`.',
  ),
  SLUICE_URL: preset(
    USUAL_SERVER,
    httpUrl,
    'For the commands that talk to a server: its address. `sluice mcp` runs embedded when it is not set.',
  ),
  SLUICE_X_BEARER_TOKEN: setting(
    token,
    'An app-only bearer token of X: `x` is then the real platform, and rules and posts come and go there.',
  ),
  SLUICE_X_BEARER_TOKEN_FILE: setting(
    z.string(),
    'A file that holds that token, instead of the variable. It is read again when it changes, so that a token can be replaced without a restart.',
  ),
  SLUICE_X_BASE_URL: preset('https://api.x.com', httpUrl, 'Where X is. The token is sent there and nowhere else.'),
  SLUICE_X_DELIVERY: preset(
    'stream',
    oneOf('stream', 'webhook'),
    'How posts of X arrive: on a `stream` that Sluice keeps open, or by `webhook`: X then delivers to `/upstreams/x` under `SLUICE_PUBLIC_URL`, and Sluice registers and links that address. It needs `SLUICE_X_LEVEL=enterprise`.',
  ),
  SLUICE_X_CONSUMER_SECRET: setting(
    token,
    'The consumer secret of the app at X (API key secret), with which X signs what it delivers by webhook.',
  ),
  SLUICE_X_CONSUMER_SECRET_FILE: setting(
    z.string(),
    'A file that holds that secret, instead of the variable. It is read again when it changes; the earlier secret then counts no more.',
  ),
  SLUICE_X_SLOTS: setting(
    wholeNumber(1, 1_000_000),
    'How many rules X takes from us. When it is not set, X is asked. When rules are more than slots, several share one.',
  ),
  SLUICE_X_PRICE: preset(
    '0.005',
    price,
    'What one post costs that X delivers, in `SLUICE_CURRENCY`; budgets are in the same.',
  ),
  SLUICE_CURRENCY: preset('USD', currency, 'The currency of prices and budgets. Each amount is shown with it.'),
  SLUICE_X_BUDGET: preset(
    'off',
    countOrOff,
    'What an account without a budget of its own may spend on X in a month, or `off`.',
  ),
  SLUICE_FIREHOSE_TOKEN: setting(
    token,
    'A tap token of Firehose: `firehose` is then the real platform. The open sources then feed `x` alone.',
  ),
  SLUICE_FIREHOSE_TOKEN_FILE: setting(z.string(), 'A file that holds that token; it is read again when it changes.'),
  SLUICE_FIREHOSE_BASE_URL: preset('https://api.firehose.com', httpUrl, 'Where Firehose is.'),
  SLUICE_FIREHOSE_SLOTS: setting(
    wholeNumber(1, 1_000_000),
    'How many rules the plan at Firehose takes: 25 when it is not set.',
  ),
  SLUICE_FIREHOSE_PRICE: preset('0.005', price, 'What one page costs that Firehose delivers.'),
  SLUICE_JUDGE_URL: setting(
    httpUrl,
    'An OpenAI-compatible server whose model judges matches of unsure relevance, such as `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. Without it nothing is judged. See `docs/guides/judge.md`.',
  ),
  SLUICE_JUDGE_MODEL: setting(
    z.string().regex(/^[\w.:/@+-]{1,100}$/, { error: 'must be the name of a model' }),
    'The name of the model there.',
  ),
  SLUICE_JUDGE_KEY: setting(
    token,
    'The key that is sent there and nowhere else. When it is not set, the word `none` is.',
  ),
  SLUICE_JUDGE_BUDGET: preset(
    'calls=1000/day',
    judgeBudget,
    'What all nodes together may spend on the judge: limits of `calls` and of `money` (in `SLUICE_CURRENCY`) for a `day` or a `month` of UTC, such as `calls=1000/day money=5/month`. No limit is ever passed.',
  ),
  SLUICE_JUDGE_PRICE: setting(
    judgePrice,
    'What a million tokens cost there, such as `input=0.15 output=0.6`. A budget of money needs it.',
  ),
  SLUICE_NATS_URL: setting(
    z.string().refine((text) => text.split(',').every(isNatsUrl), {
      error: 'must be a nats:// or tls:// address, or several with commas between them',
    }),
    'A NATS server with JetStream, 2.9 or newer, that carries events to the matchers; several of one cluster with commas between them. Needs a store on PostgreSQL. See `docs/scale-out.md`.',
  ),
  SLUICE_LOG_MIB: setting(
    wholeNumber(1, 1_048_576),
    'Keeps a log of events on NATS, of at most so many MiB: `POST /events?ack=log` is answered when the log has them, and they are stored later. It needs a cluster of NATS servers that is seen to be durable. See `docs/scale-out.md`.',
  ),
  SLUICE_NATS_MONITOR: setting(
    z
      .string()
      .transform((text) => text.split(',').map((part) => withoutFinalSlashes(part.trim())))
      .refine((parts) => parts.every(isServerAddress), { error: `of each server ${ADDRESS_ERROR}` }),
    'The monitoring address of every NATS server, such as `http://nats-0:8222,http://nats-1:8222,http://nats-2:8222`: `/varz` says whether it writes before it confirms.',
  ),
  SLUICE_CLUSTER: setting(
    token,
    'The name of the installation. Once a node has started with it, a node with another name, or with none, does not start on the same database.',
  ),
  SLUICE_ROLES: preset(
    ROLES.join(','),
    z
      .string()
      .transform((text) => text.split(',').map((role) => role.trim()))
      .pipe(z.array(oneOf(...ROLES), { error: `must be a comma list of ${ROLES.join(', ')}` }).min(1)),
    'What this process does among several on one PostgreSQL, as a comma list.',
  ),
} satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

/** A profile sets these variables where the environment does not. */
export const PROFILES: Readonly<Record<string, Readonly<Partial<Record<SettingName, string>>>>> = {
  public: {
    SLUICE_DEMO: 'off',
    SLUICE_RATE_LIMIT: '120',
    SLUICE_ACCOUNT_RATE_LIMIT: '240',
    SLUICE_CPU_MS_PER_MINUTE: '10000',
    SLUICE_MATCHES_PER_DAY: '100000',
    SLUICE_STORED_MIB: '1024',
    SLUICE_OAUTH_REGISTRATION: 'off',
    SLUICE_STREAMS: '20',
    SLUICE_WAITS: '50',
    SLUICE_FIREHOSE_RULES: '100',
    SLUICE_SOURCES_PER_ACCOUNT: '50',
    SLUICE_SOURCE_FETCHES_PER_HOUR: '600',
    SLUICE_SOURCE_MIB_PER_DAY: '256',
    SLUICE_SOURCE_INTERVAL: '300',
    SLUICE_PUSHED_MIB_PER_MINUTE: '8',
    SLUICE_PUSHED_MIB_PER_DAY: '1024',
    SLUICE_X_BUDGET: '10',
  },
};

/** The values of all settings, by name. */
export type Values = {
  readonly [Name in SettingName]:
    | z.output<(typeof SETTINGS)[Name]['type']>
    | ((typeof SETTINGS)[Name] extends { readonly unset: string } ? never : undefined);
};
