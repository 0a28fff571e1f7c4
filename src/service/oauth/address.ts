/** The addresses of OAuth all follow from one setting, and nothing from the headers of a request. */
import { parseUrl } from '../../base/parse-url.ts';
import { trimEnd } from '../../base/trim-end.ts';

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

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

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
