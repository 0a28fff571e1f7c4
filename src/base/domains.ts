/** The domains a URL belongs to: its host, that without `www.`, and every parent, down to the name that its owner registered. */

/** Under a country's two letters these are no names of their own: `example.co.uk` is what one registers. */
export const SECOND_LEVEL: ReadonlySet<string> = new Set(
  'ac asn co com csiro ed edu firm gc gen go gob gouv gov govt gv id idv ind info iwi ltd me mil muni ne net nhs nic nom on or org plc police pref res sch school web'.split(
    ' ',
  ),
);

/** DNS allows no longer name. Each label costs a string as long as the rest of the name, so the length must be bounded. */
const MAX_HOST = 253;

/** Empty for a text without a host, and for a host that no DNS name can be. */
export function domainsOfUrl(url: string): string[] {
  const host = hostOf(url);
  if (host === '' || host.length > MAX_HOST) return [];
  const domains = [host];
  if (isAddress(host)) return domains;
  const labels = host.split('.');
  // The host without `www.` always counts: `gov.uk` is a site of its own, though nobody registers it.
  const fewest = labels.length === 3 && labels[0] === 'www' ? 2 : registrableLength(labels);
  for (let first = 1; labels.length - first >= fewest; first++) {
    domains.push(labels.slice(first).join('.'));
  }
  return domains;
}

function registrableLength(labels: readonly string[]): number {
  const isCountry = labels.at(-1)!.length === 2;
  return isCountry && SECOND_LEVEL.has(labels.at(-2) ?? '') ? 3 : 2;
}

function hostOf(url: string): string {
  const scheme = url.indexOf('://');
  if (scheme < 0) return '';
  let end = scheme + 3;
  let start = end;
  for (; end < url.length && !'/?#\\'.includes(url[end]!); end++) {
    if (url[end] === '@') start = end + 1;
  }
  const authority = url.slice(start, end).toLowerCase();
  const port = authority.lastIndexOf(':');
  const host = port > authority.lastIndexOf(']') ? authority.slice(0, port) : authority;
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host);
