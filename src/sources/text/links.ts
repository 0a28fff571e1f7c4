/** Addresses in a text that is not HTML. What closes a sentence or a bracket around an address is not part of it. */

export interface TextLink {
  readonly url: string;
  readonly at: { readonly start: number; readonly end: number };
}

const ADDRESS = /https?:\/\/[^\s<>"]+/gi;
const CLOSING = /[.,;:!?'’”»…)\]}*_~]$/u;
const OPENS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

export const linksIn = (text: string): TextLink[] =>
  Array.from(text.matchAll(ADDRESS), ({ 0: found, index }) => {
    const url = trimmed(found);
    return { url, at: { start: index, end: index + url.length } };
  });

/** Up to the first bracket that nothing in it opens, and without what closes a sentence. */
function trimmed(found: string): string {
  let url = found.slice(0, unopenedIn(found));
  while (CLOSING.test(url) && !isOpened(url)) url = url.slice(0, -1);
  return url;
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

/** Whether it ends with a bracket that it opens itself. */
const isOpened = (url: string): boolean => OPENS[url.at(-1)!] !== undefined;
