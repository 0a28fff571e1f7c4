/** Addresses that strangers chose: how they are read, and how they are shown. */

/**
 * `URL.parse` for addresses that strangers chose. It writes a host of other letters in those of ASCII in time that grows with
 * the square of the host: one of 4,000 ideographs takes 40 milliseconds. No name in the DNS has more than 253 characters.
 */
const LONGEST_AUTHORITY = 1_024;

/** Up to the path, the query or the fragment: the host, with a name and a password before it and a port behind it. */
const AUTHORITY = /^[\0- ]*(?:[a-z][a-z0-9+.-]*:)?[/\\]*([^/\\?#]*)/i;
/** The parser leaves them out, wherever they stand. */
const LEFT_OUT = /[\t\n\r]/g;

export const authorityOf = (text: string): string => AUTHORITY.exec(text.replaceAll(LEFT_OUT, ''))?.[1] ?? '';

export const parseUrl = (text: string, base?: string): URL | null =>
  authorityOf(text).length > LONGEST_AUTHORITY ? null : URL.parse(text, base);

/** The address if a page or an answer of ours may link to it; any other scheme could be a script. */
export function webUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** A part of an address without its escapes; as it stands, where they are broken. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const HIDDEN = '***';
/** A sentence may end right behind an address. */
const ENDS = '.,;:!)';
const ADDRESS_IN_TEXT = /\b(?:https?|wss?):\/\/[^\s<>"]+/gi;

/**
 * The address of a source for messages, lists and the audit log. Its query may be a secret, and so may the name and the password
 * before the host: the query is `***`, and the others and the fragment are left out.
 */
export function shownSource(address: string): string {
  const url = parseUrl(address);
  if (url === null) return HIDDEN;
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : `?${HIDDEN}`}`;
}

/** A message of a source with each address in it as it is shown. */
export const withShownSources = (message: string): string =>
  message.replaceAll(ADDRESS_IN_TEXT, (found) => {
    const address = trimEnd(found, ENDS);
    return `${shownSource(address)}${found.slice(address.length)}`;
  });

/** The names of parameters that open what they are sent to. */
const OPENS = /token|secret|passw|(?:^|o)auth(?:$|[_-]|orization)|credential|^sig(?:nature)?$|(?:^|[_-]|api)key$/i;

/** An address that goes to readers as a link: without a name, a password and parameters that are secrets. */
export function withoutSecrets(address: string): string {
  const url = parseUrl(address);
  if (url === null) return address;
  const kept = [...url.searchParams].filter(([name]) => !OPENS.test(name));
  if (kept.length === url.searchParams.size && url.username === '' && url.password === '') return address;
  // All at once: taking them out one by one writes the address anew for each.
  if (kept.length < url.searchParams.size) url.search = new URLSearchParams(kept).toString();
  url.username = '';
  url.password = '';
  return url.href;
}

/** A text without these characters at its end. `/x+$/` takes quadratic time on a text that has many of them elsewhere. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
