/**
 * A delivery may go to public addresses and nowhere else. The address is checked when the connection is made, and the
 * connection goes to the address that was checked, so a name that resolves to another address a moment later gains
 * nothing. If any address of a name is not public, none is used.
 */
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Every IPv4 range that IANA keeps for a special purpose, and the channel of Azure's hosts to their machines. */
const SPECIAL_IPV4: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Only this is global unicast; loopback, mapped, NAT64, local and multicast addresses all lie outside. */
const GLOBAL_IPV6: readonly string[] = ['2000::/3'];
/** Not public within it: Teredo and other protocols, documentation, 6to4, AS112. */
const SPECIAL_IPV6: readonly string[] = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

// IPv4 and IPv6 have lists of their own: one list for both takes an IPv4 address for its mapped form.
const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = listOf(GLOBAL_IPV6, 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, prefix] = range.split('/') as [string, string];
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, 'ipv4');
  // An address with a zone is on a local link.
  if (family !== 6 || address.includes('%')) return false;
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

export interface Egress {
  /** For development: allows any address, any port, and plain HTTP. */
  readonly allowPrivate: boolean;
  /** The machine's own addresses, public or not. */
  readonly ownAddresses: () => readonly string[];
  readonly resolve: Resolve;
}

/** A public address of this machine is no less its own. */
export const machineAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));

/** As `dns.lookup` with `all`. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: { address: string; family: number }[]) => void,
) => void;

/** HTTPS and its usual second port. */
const PORTS: ReadonlySet<string> = new Set(['', '8443']);
/** Names that no public resolver answers. Other private names are found when they are resolved. */
const LOCAL_NAME = /^[^.]+$|(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Why a webhook may not have this URL; undefined when it may. */
export function webhookUrlProblem(url: URL, allowPrivate: boolean): string | undefined {
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || (url.protocol === 'http:' && !allowPrivate)) return 'The URL must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or a password.';
  if (allowPrivate) return undefined;
  if (!PORTS.has(url.port)) return 'The port of the URL must be 443 or 8443.';
  return hostProblem(url.hostname, allowPrivate);
}

/** Why no connection may be made to this host; undefined when its addresses decide. */
export function hostProblem(hostname: string, allowPrivate: boolean): string | undefined {
  if (allowPrivate) return undefined;
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return 'The URL must have a host name, not an IP address.';
  if (LOCAL_NAME.test(hostname.replace(/\.$/, ''))) return 'The host of the URL must be public.';
  return undefined;
}

/** Fails the connection. The message is for the webhook's owner, so it names no address. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
}

/** Resolves a name, and fails unless every address of it is allowed. */
export function guardedLookup({ allowPrivate, ownAddresses, resolve }: Egress): LookupFunction {
  const isAllowed = (address: string): boolean =>
    allowPrivate || (isPublicAddress(address) && !ownAddresses().includes(address));
  return (hostname, options, callback) => {
    resolve(hostname, { all: true }, (error, addresses) => {
      const first = addresses?.[0];
      if (error !== null) return callback(error, '');
      if (first === undefined) return callback(new EgressError('The host name has no address.'), '');
      if (!addresses.every(({ address }) => isAllowed(address)))
        return callback(new EgressError('The host name resolves to an address that is not public.'), '');
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** An address of the name that may be connected to, for clients that take no lookup of their own. */
export const checkedAddress = (egress: Egress, hostname: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const problem = hostProblem(hostname, egress.allowPrivate);
    if (problem !== undefined) return reject(new EgressError(problem));
    if (isIP(hostname) !== 0) return resolve(hostname);
    return guardedLookup(egress)(hostname, {}, (error, address) =>
      error === null ? resolve(address as string) : reject(error),
    );
  });
