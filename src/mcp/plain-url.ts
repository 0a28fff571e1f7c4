/** Addresses that strangers chose, as an answer may offer them. */

import { webUrl } from '../base/parse-url.ts';

const MAX_URL = 200;

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** As a browser writes it: a name that looks like another one is shown in its own letters, and nothing ends it early. */
export function plainUrl(text: string): string | undefined {
  const url = webUrl(text);
  if (url === undefined) return undefined;
  const { origin, href } = url;
  const rest = href.slice(href.indexOf('/', 'https://'.length)).replaceAll(/[\\'"`<>{}|^[\]]/g, percent);
  return origin.length + rest.length <= MAX_URL ? `${origin}${rest}` : undefined;
}
