/** Addresses that strangers chose, as an answer may offer them. */

const MAX_URL = 200;

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** As a browser writes it: a name that looks like another one is shown in its own letters, and nothing ends it early. */
export function plainUrl(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, href } = new URL(text);
  const rest = href.slice(href.indexOf('/', 'https://'.length)).replaceAll(/[\\'"`<>{}|^[\]]/g, percent);
  return origin.length + rest.length <= MAX_URL ? `${origin}${rest}` : undefined;
}
