/** One request with its redirects, each looked at before it is followed. */
import { lookup as dnsLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { SourceError } from '../source.ts';

const MAX_REDIRECTS = 5;

export interface Departure {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether an address is one of the open network. */
  readonly isPublic: (address: string) => boolean;
}

/** Where the answer came from in the end. */
export interface Landing {
  readonly url: string;
  readonly answer: IncomingMessage;
}

export async function follow(departure: Departure): Promise<Landing> {
  const { signal, isPublic } = departure;
  let { url, headers } = departure;
  const reach: Reach = { isPublic, startedPublic: undefined };
  for (let redirects = 0; ; redirects++) {
    const answer = await open(url, headers, signal, reach);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) || location === undefined) return { url, answer };
    answer.destroy();
    if (redirects === MAX_REDIRECTS)
      throw new SourceError(`${hostOf(departure.url)} redirects more than ${MAX_REDIRECTS} times.`);
    const next = URL.parse(location, url);
    if (next === null || !/^https?:$/.test(next.protocol))
      throw new SourceError(`${hostOf(url)} redirects to an address that is not http or https.`);
    if (next.origin !== new URL(url).origin) headers = withoutSecrets(headers);
    url = next.href;
  }
}

/** What is meant for one host is not told to another. */
const withoutSecrets = (headers: Departure['headers']): Departure['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)));

/** Where the first request went decides where redirects may lead. */
interface Reach {
  readonly isPublic: (address: string) => boolean;
  startedPublic: boolean | undefined;
}

function open(url: string, headers: Departure['headers'], signal: AbortSignal, reach: Reach): Promise<IncomingMessage> {
  const target = new URL(url);
  const host = target.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    if (isIP(host) !== 0 && !mayReach(host, reach)) return reject(privateError(url));
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target, { headers, signal, lookup: lookupWithin(reach, url), agent: false });
    request.once('response', resolve);
    request.once('error', (error) => reject(error instanceof SourceError ? error : wordsFor(error, url)));
    request.end();
  });
}

function mayReach(address: string, reach: Reach): boolean {
  const isPublic = reach.isPublic(address);
  reach.startedPublic ??= isPublic;
  return isPublic || !reach.startedPublic;
}

/** The connection is made to the very address that was looked at. */
const lookupWithin =
  (reach: Reach, url: string): LookupFunction =>
  (hostname, options, callback) =>
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      if (!addresses.every(({ address }) => mayReach(address, reach))) return callback(privateError(url), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first!.address, first!.family);
    });

const privateError = (url: string): SourceError =>
  new SourceError(`A redirect leads to ${hostOf(url)}, which is not in the open network.`);

export const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'broke the connection off',
  ENOTFOUND: 'was not found',
  EAI_AGAIN: 'could not be looked up',
  ABORT_ERR: 'was left',
};

export function wordsFor(error: unknown, url: string): SourceError {
  const { code = 'no code' } = error as NodeJS.ErrnoException;
  return new SourceError(`${hostOf(url)} ${WORDS[code] ?? `failed (${code})`}.`, { cause: error });
}
