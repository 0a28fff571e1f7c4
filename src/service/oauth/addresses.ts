/** The addresses of OAuth all follow from one setting, and nothing from the headers of a request. */
import { parseUrl, trimEnd } from '../../base/parse-url.ts';

export interface OAuthAddress {
  /** The public address: what clients know this server by. */
  readonly issuer: string;
  /** The address that tokens are for. */
  readonly resource: string;
  readonly origin: string;
  /** The path of the public address after the origin; empty when there is none. */
  readonly path: string;
}

/** OAuth is off, and why. */
export interface OAuthOff {
  readonly off: string;
}

const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export function oauthAddress(publicUrl: string | undefined): OAuthAddress | OAuthOff {
  if (publicUrl === undefined)
    return {
      off: 'SLUICE_PUBLIC_URL is not set. Set it to the address that agents use, such as https://sluice.example.',
    };
  const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(publicUrl);
  if (protocol !== 'https:' && !LOOPBACK_HOSTS.includes(hostname))
    return { off: 'SLUICE_PUBLIC_URL begins with http://. OAuth needs https://, except for localhost.' };
  if (search + hash + username + password !== '')
    return { off: 'SLUICE_PUBLIC_URL must have no query, no fragment and no password.' };
  const path = trimEnd(pathname, '/');
  return { issuer: origin + path, resource: `${origin}${path}/mcp`, origin, path };
}

export const isOff = (address: OAuthAddress | OAuthOff): address is OAuthOff => 'off' in address;

/** Whether a client means our resource. It may write the host in capitals and end with a slash. */
export function isOurResource({ resource }: OAuthAddress, given: string): boolean {
  if (given === resource) return true;
  const url = parseUrl(given);
  if (url === null || given.includes('#') || given.includes('?')) return false;
  const { href, username, password } = url;
  return username === '' && password === '' && href.replace(/\/$/, '') === resource;
}

/**
 * Checks the addresses that a browser may be sent to with an answer. Texts are compared as they are: nothing is decoded
 * or made equal first.
 */
const LONGEST = 2_048;
/** Programs that open by an address of their own kind. Any other kind of address could run code. */
const APP_SCHEMES: readonly string[] = ['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:'];
/**
 * RFC 3986 allows these characters, without the fragment. Browsers read a backslash as a slash, so it is not among
 * them.
 */
const PLAIN = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/;
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/;

/** Our answer adds these fields to the address. There twice, a client could read the wrong one. */
const ANSWER_FIELDS = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];

/** Why a client may not have this address; undefined when it may. */
export function redirectProblem(uri: string): string | undefined {
  if (uri.length > LONGEST) return `It has more than ${LONGEST} characters.`;
  if (uri.includes('#')) return 'It must have no fragment.';
  if (!PLAIN.test(uri) || !URL.canParse(uri)) return 'It is not a valid address.';
  const { protocol, hostname, username, password, searchParams } = new URL(uri);
  if (username !== '' || password !== '') return 'It must have no user name and no password.';
  const field = ANSWER_FIELDS.find((name) => searchParams.has(name));
  if (field !== undefined) return `Its query must have no \`${field}\`: the answer has one.`;
  if (APP_SCHEMES.includes(protocol)) return undefined;
  if (hostname.includes('*')) return 'It must name one host.';
  if (protocol === 'https:') return /^https:\/\/[^/]/.test(uri) ? undefined : 'It is not a valid address.';
  if (protocol !== 'http:') return `An address that begins with ${protocol} is not accepted.`;
  return LOOPBACK.test(uri) ? undefined : 'It must begin with https://, except for localhost, 127.0.0.1 and [::1].';
}

/**
 * Addresses must be equal to the character. For a program on the person's computer the port may differ: it takes one
 * that is free.
 */
export function isRegistered(registered: readonly string[], given: string): boolean {
  if (redirectProblem(given) !== undefined) return false;
  if (registered.includes(given)) return true;
  const [, host, rest] = LOOPBACK.exec(given) ?? [];
  if (host === undefined) return false;
  return registered.some((uri) => {
    const [, itsHost, itsRest] = LOOPBACK.exec(uri) ?? [];
    return itsHost === host && itsRest === rest;
  });
}

/** The place that a person is shown instead of the whole address. */
export function redirectPlace(uri: string): { host: string; isThisComputer: boolean } {
  const { protocol, host, hostname } = new URL(uri);
  const isApp = protocol !== 'https:' && protocol !== 'http:';
  return { host: isApp ? `${protocol}//${host}` : host, isThisComputer: isApp || LOOPBACK_HOSTS.includes(hostname) };
}
