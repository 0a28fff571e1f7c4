/** The addresses of sinks: `nats://host:4222/subject` and `kafka://broker:9092,broker:9092/topic`. */
import { schemeOf } from '../transport.ts';

export interface SinkHost {
  readonly hostname: string;
  readonly port: number;
}

export interface SinkAddress {
  readonly scheme: 'nats' | 'kafka';
  readonly hosts: readonly SinkHost[];
  /** The subject of NATS, or the topic of Kafka. */
  readonly name: string;
  /** `?tls=on`. Outside development TLS is used in any case. */
  readonly hasTls: boolean;
  /** `user:password` or a token, as the URL had it. */
  readonly login: string | undefined;
}

const FORM = /^(nats|kafka):\/\/(?:([^/@\s]{1,1024})@)?([^/?#@\s]+)\/([^/?#\s]+)(\?tls=on)?$/i;
const HOST = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?$/i;
const PORTS = { nats: 4_222, kafka: 9_092 } as const;
const NAMES = {
  // No wildcard, and none of the subjects of NATS itself.
  nats: /^(?!\$|_INBOX\b)[\w$-]+(?:\.[\w$-]+)*$/,
  kafka: /^(?!\.{1,2}$)[\w.-]{1,249}$/,
} as const;

export const isSink = (url = ''): boolean => /^(?:nats|kafka):$/.test(schemeOf(url));

/** Returns undefined when the address is not of this form. */
export function sinkAddress(url: string): SinkAddress | undefined {
  const [, given, login, places, name, tls] = FORM.exec(url) ?? [];
  if (given === undefined) return undefined;
  const scheme = given.toLowerCase() as 'nats' | 'kafka';
  const hosts = places!.split(',').map((place) => hostOf(place, PORTS[scheme]));
  if (!hosts.every((host) => host !== undefined) || (scheme === 'nats' && hosts.length > 1)) return undefined;
  if (!NAMES[scheme].test(name!)) return undefined;
  return {
    scheme,
    hosts,
    name: name!,
    hasTls: tls !== undefined,
    login: login === undefined ? undefined : decoded(login),
  };
}

function hostOf(place: string, usual: number): SinkHost | undefined {
  const [, hostname, port = usual] = HOST.exec(place) ?? [];
  return hostname === undefined || Number(port) > 65_535
    ? undefined
    : { hostname: hostname.toLowerCase(), port: Number(port) };
}

function decoded(login: string): string {
  try {
    return decodeURIComponent(login);
  } catch {
    return login;
  }
}

/** The address as it is stored: without what signs in. */
export const shownSink = ({ scheme, hosts, name, hasTls }: SinkAddress): string =>
  `${scheme}://${placesOf(hosts)}/${name}${hasTls ? '?tls=on' : ''}`;

export const placesOf = (hosts: readonly SinkHost[]): string =>
  hosts.map(({ hostname, port }) => `${hostname}:${port}`).join(',');
