/** Addresses in a text that is not HTML. What closes a sentence or a bracket around an address is not part of it. */

export interface TextLink {
  readonly url: string;
  readonly at: { readonly start: number; readonly end: number };
}

const ADDRESS = /https?:\/\/[^\s<>"]+/gi;
const CLOSING: ReadonlySet<string> = new Set(".,;:!?'’”»…)]}*_~");
const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

export const linksIn = (text: string): TextLink[] =>
  Array.from(text.matchAll(ADDRESS), ({ 0: found, index }) => {
    const url = trimmed(found);
    return { url, at: { start: index, end: index + url.length } };
  });

/** Up to the first bracket that nothing in it opens, and without what closes a sentence. */
function trimmed(found: string): string {
  let end = unopenedIn(found);
  while (CLOSING.has(found.charAt(end - 1)) && OPENS[found.charAt(end - 1)] === undefined) end--;
  return found.slice(0, end);
}

/** The place of the first bracket that closes what is outside. */
function unopenedIn(url: string): number {
  const open: string[] = [];
  for (let at = 0; at < url.length; at++) {
    const sign = url[at]!;
    if ('([{'.includes(sign)) open.push(sign);
    else if (OPENS[sign] !== undefined && open.pop() !== OPENS[sign]) return at;
  }
  return url.length;
}
