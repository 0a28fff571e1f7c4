/** Reads OPML, the lists of feeds that feed readers export. */
import { type Element, parseXml } from './xml.ts';

/** The addresses of all feeds in it, each once and in order; undefined when the text is not OPML. */
export function feedsInOpml(text: string): string[] | undefined {
  const opml = elementsIn(parseXml(text)).find(({ name }) => name === 'opml');
  const body = opml === undefined ? undefined : elementsIn(opml).find(({ name }) => name === 'body');
  return body === undefined ? undefined : [...new Set(addressesIn(body))];
}

/** An outline may hold others, as folders do. The depth is bounded by the parser. */
const addressesIn = (element: Element): string[] =>
  elementsIn(element)
    .filter(({ name }) => name === 'outline')
    .flatMap((outline) => [...addressOf(outline), ...addressesIn(outline)]);

function addressOf({ attributes }: Element): string[] {
  const address = attributes.get('xmlurl')?.trim() ?? '';
  return /^https?:\/\//i.test(address) ? [address] : [];
}

const elementsIn = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');

/** Writes a list of feeds as feed readers import it. */
export function writeOpml(title: string, feeds: readonly { readonly name: string; readonly url: string }[]): string {
  const outlines = feeds.map(
    ({ name, url }) =>
      `    <outline type="rss" text="${escaped(name)}" title="${escaped(name)}" xmlUrl="${escaped(url)}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head><title>${escaped(title)}</title></head>
  <body>
${outlines.join('\n')}
  </body>
</opml>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML cannot hold are left out. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
