/**
 * Against pages in a browser that reach for a server on the same machine: the Host must be one that we answer to, and
 * an Origin, which programs do not send, must be our own. Without it a name that is made to point here would do.
 */
import { isIP } from 'node:net';

export interface Doors {
  /** The address that is listened on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Why the request is refused; undefined when it is not. */
export function hostRefusal(headers: { host?: string | undefined; origin?: string | undefined }, doors: Doors) {
  const host = hostnameOf(headers.host ?? '');
  if (host === undefined || !isOurs(host, doors)) {
    return 'This Host is not one that the tool server answers to. SLUICE_PUBLIC_URL sets another.';
  }
  if (headers.origin !== undefined && !isOurOrigin(headers.origin, doors)) {
    return 'Pages of this Origin may not use the tool server.';
  }
  return undefined;
}

function hostnameOf(host: string): string | undefined {
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host) || !URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname;
}

function isOurs(hostname: string, { host, publicUrl }: Doors): boolean {
  if (LOOPBACK.includes(hostname) || hostname === asHostname(host)) return true;
  if (publicUrl !== undefined && hostname === new URL(publicUrl).hostname) return true;
  // An address cannot be made to point elsewhere; where we listen on all of them, each is ours.
  return EVERY_ADDRESS.includes(host) && isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0;
}

function isOurOrigin(origin: string, doors: Doors): boolean {
  if (!/^https?:\/\/[^/?#@\s]+$/i.test(origin) || !URL.canParse(origin)) return false;
  const { publicUrl } = doors;
  const url = new URL(origin);
  if (publicUrl !== undefined && url.hostname === new URL(publicUrl).hostname) {
    return url.origin === new URL(publicUrl).origin;
  }
  return isOurs(url.hostname, doors);
}

const asHostname = (host: string): string => (host.includes(':') ? `[${host}]` : host.toLowerCase());
