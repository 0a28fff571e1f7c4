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
