/**
 * A source that an account asks for: which kinds it may be, what its options may say, and what of them is a secret. The operator's
 * sources may read files and private addresses and hold a connection open; these are visited, at public addresses only.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseUrl } from '../../base/parse-url.ts';
import type { Platform } from '../../domain/platform.ts';
import { MOST_ENTRIES } from '../../domain/source.ts';
import { digestOf } from '../contract/page.ts';
import { isHostTooLong } from '../fetch/web-address.ts';
import { keptConfig, readSource, type SourceConfig, type SourceProblem } from './kinds.ts';

/** Kinds that are visited. Those that hold a connection open, and files, are the operator's. */
export const ACCOUNT_KINDS = ['feeds', 'watch', 'youtube', 'reddit', 'lemmy', 'arxiv', 'github'] as const;

/** All sources of one host have one shard, so that one node spares the host for all accounts. */
export const SOURCE_SHARDS = 16;

/** Options by which the operator answers for what is fetched. */
const OPERATOR_OPTIONS: readonly string[] = ['allow_private', 'permitted'];
/** Options of kinds that only their host may see. */
const SECRET_OPTIONS: readonly string[] = ['token'];
/** Options that have addresses, or a list of them: the host of the first is that of the source. */
const ADDRESS_OPTIONS: readonly string[] = ['urls', 'url', 'web'];
/** Options that say when to visit, and not what. */
const BOUNDS: readonly string[] = ['every'];

/** A source that brings nothing new is visited this much less often, unless its owner says otherwise. */
const SLOWER = 4;
const DAY = 24 * 3_600;
/** Headers that the connection is made of; a caller who set them could write requests of its own. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]{0,4000}$/;
const MOST_HEADERS = 10;

const headers = z
  .record(
    z
      .string()
      .regex(HEADER_NAME, 'Must be the name of a header.')
      .refine((name) => !OWN_HEADERS.test(name), 'Must not be a header of the connection.'),
    z.string().regex(HEADER_VALUE, 'Must be a line of at most 4000 plain characters.'),
  )
  .refine((all) => Object.keys(all).length <= MOST_HEADERS, `Must have at most ${MOST_HEADERS} headers.`);

/** A text is a bearer token. */
const secretOption = z.union(
  [
    z
      .string()
      .regex(/^[\x21-\x7e]{1,4000}$/)
      .transform((token) => ({ authorization: `Bearer ${token}` })),
    headers,
  ],
  'must be a token, or an object of headers',
);
const slowestOption = z
  .number('must be a number of seconds')
  .min(1, 'must be at least 1')
  .max(7 * DAY, 'must be at most a week');

/** The secrets that are sent to the host of a source and to no other: headers, and options of its kind. */
export interface SourceSecret {
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface AskedSource {
  readonly kind: string;
  /** Complete, without secrets. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly platforms: readonly Platform[];
  readonly secret: SourceSecret | undefined;
  /** The host that it visits. */
  readonly host: string;
  readonly everyMs: number;
  readonly slowestMs: number;
}

type Read = AskedSource | { readonly problems: readonly SourceProblem[] };

export function readAccountSource(
  {
    kind,
    options,
    platforms,
  }: { kind: string; options: Readonly<Record<string, unknown>>; platforms?: readonly Platform[] | undefined },
  kinds: readonly string[] = ACCOUNT_KINDS,
): Read {
  if (!kinds.includes(kind)) return problem('kind', kindProblem(kind, kinds));
  const { secret: givenSecret, slowest, ...rest } = options;
  const reserved = OPERATOR_OPTIONS.filter((name) => Object.hasOwn(rest, name));
  if (reserved.length > 0) return { problems: reserved.map((name) => problemAt(name, 'is for the operator alone')) };
  const long = Object.entries(rest).filter(([, value]) => Array.isArray(value) && value.length > MOST_ENTRIES);
  if (long.length > 0) return { problems: long.map(([name]) => problemAt(name, TOO_MANY)) };
  const read = readSource({ ...rest, kind, platform: platformWord(platforms) });
  if ('problems' in read) return { problems: read.problems.map(underOptions) };
  const secret = givenSecret === undefined ? undefined : secretOption.safeParse(givenSecret);
  if (secret?.success === false) return problem('options.secret', secret.error.issues[0]!.message);
  const longest = slowest === undefined ? undefined : slowestOption.safeParse(slowest);
  if (longest?.success === false) return problem('options.slowest', longest.error.issues[0]!.message);
  return completed(read, secret?.data, longest?.data);
}

function completed(config: SourceConfig, headersGiven: SourceSecret['headers'], slowest: number | undefined): Read {
  const { allow_private: _, ...options } = config.options;
  const hosts = hostsIn(options);
  if ('urls' in options && hosts.length > 1)
    return problem('options.urls', `must be on one host: make a source for ${hosts.slice(1, 4).join(', ')}`);
  const hidden = Object.entries(options).filter(
    ([name, value]) => SECRET_OPTIONS.includes(name) && value !== undefined,
  );
  const shown = Object.fromEntries(Object.entries(options).filter(([name]) => !SECRET_OPTIONS.includes(name)));
  const every = typeof options['every'] === 'number' ? options['every'] : 900;
  if (slowest !== undefined && slowest < every)
    return problem('options.slowest', `must be at least every, which is ${every}`);
  const secret = {
    ...(headersGiven && { headers: headersGiven }),
    ...(hidden.length > 0 && { options: Object.fromEntries(hidden) }),
  };
  return {
    kind: config.kind,
    options: { ...shown, ...(slowest !== undefined && { slowest }) },
    platforms: config.platforms,
    secret: Object.keys(secret).length === 0 ? undefined : secret,
    host: hosts[0] ?? config.kind,
    everyMs: every * 1_000,
    slowestMs: (slowest ?? Math.max(every, Math.min(every * SLOWER, DAY))) * 1_000,
  };
}

/** The key of what is fetched: equal for equal kinds and options. With a secret nobody else has the same. */
export function fetchKeyOf({ kind, options, secret }: AskedSource, sourceId: string): string {
  const what = Object.entries(options)
    .filter(([name]) => !BOUNDS.includes(name) && name !== 'slowest')
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digestOf(kind, what, secret === undefined ? '' : sourceId);
}

/**
 * Options that say how fast a source is read, and how for the first time. Keys have them: owners who want them otherwise do not share a
 * fetch. But a source that is read already goes on from where it is when they alone change.
 */
const MANNERS: readonly string[] = [...BOUNDS, 'slowest', 'pause', 'first'];

/** Whether both read the same, in whatever manner. */
export const readsTheSame = (one: AskedSource, other: AskedSource): boolean => readBy(one) === readBy(other);

function readBy({ kind, options, secret }: AskedSource): string {
  const what = Object.entries(options).filter(([name, value]) => value !== undefined && !MANNERS.includes(name));
  return JSON.stringify([kind, what.toSorted(([one], [other]) => (one < other ? -1 : 1)), secret !== undefined]);
}

export const shardOf = (host: string): number => createHash('sha256').update(host).digest()[0]! % SOURCE_SHARDS;

interface KeptSource {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** The host of a source that is kept: its options were read when it was added. */
export const hostOfKept = ({ kind, options }: KeptSource): string => hostsIn(options)[0] ?? kind;

/** The configuration by which its kind visits it, or why it cannot be visited. */
export function visitedConfig(
  name: string,
  { kind, options }: KeptSource,
  secret: SourceSecret | undefined,
): SourceConfig | { readonly problem: string } {
  if (addressesIn(options).some(isHostTooLong)) return { problem: NO_HOST };
  const { slowest: _, ...own } = options;
  return keptConfig(name, kind, { ...own, ...secret?.options }) ?? { problem: NO_KIND };
}

const NO_HOST = 'One of its addresses has a host that is longer than any name may be. Change its address.';
const NO_KIND = 'This server knows no sources of its kind any more. Delete the source.';

const addressesIn = (options: Readonly<Record<string, unknown>>): string[] =>
  ADDRESS_OPTIONS.flatMap((name) => options[name] ?? []).filter((address) => typeof address === 'string');

const hostsIn = (options: Readonly<Record<string, unknown>>): string[] => [
  ...new Set(
    addressesIn(options).flatMap((address) => (isHostTooLong(address) ? [] : (parseUrl(address)?.host ?? []))),
  ),
];

const platformWord = (platforms: readonly Platform[] | undefined): string =>
  platforms === undefined || new Set(platforms).size !== 1 ? 'both' : platforms[0]!;

const TOO_MANY = `must have at most ${MOST_ENTRIES} entries: make a source for each ${MOST_ENTRIES} of them`;

const problem = (path: string, message: string) => ({ problems: [{ path: path.split('.'), message }] });
const problemAt = (option: string, message: string): SourceProblem => ({ path: ['options', option], message });

/** Keys of a source are beside each other in a file; in a request its options are apart. */
const underOptions = ({ path, message }: SourceProblem): SourceProblem => ({
  path: path[0] === 'platform' ? ['platforms'] : ['options', ...path],
  message,
});

const kindProblem = (kind: string, kinds: readonly string[]): string =>
  kinds.length === 0
    ? 'is of no use: the operator lets accounts add no sources (SLUICE_ACCOUNT_SOURCES)'
    : `must be one of ${kinds.join(', ')}, which accounts may add; ${kind.slice(0, 40)} is not among them`;
