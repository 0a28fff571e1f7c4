/** Brings the feeds of an OPML file into `sluice.yaml`, and leaves everything else in that file as it is. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import { type Element, elementsIn, parseXml } from '../../sources/feeds/xml.ts';
import { ConfigError } from '../config.ts';
import { CONFIG_FILE, findConfigFile, readConfigText } from '../config-file.ts';

export interface Imported {
  readonly file: string;
  readonly added: number;
  /** Feeds that were configured already. */
  readonly known: number;
}

/** The feeds are added to the source of this name, which is made when it is not there. */
export function importOpml(opml: string, named: string | undefined, name = 'feeds'): Imported {
  const urls = feedAddresses(opml);
  const file = findConfigFile(named) ?? resolve(CONFIG_FILE);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  check(file, text);
  const { text: changed, added } = withFeeds(text, name, urls);
  check(file, changed);
  if (added > 0) writeFileSync(file, changed);
  return { file, added, known: urls.length - added };
}

/** The addresses of the feeds in an OPML file. */
export function feedAddresses(opml: string): string[] {
  const urls = feedsInOpml(opml);
  if (urls === undefined) throw new ConfigError('The file is not OPML.');
  return urls;
}

export const exportOpml = (feeds: Parameters<typeof writeOpml>[1]): string => writeOpml('Sluice', feeds);

function check(file: string, text: string): void {
  const problems: string[] = [];
  readConfigText(text, (line, message) => problems.push(`${file}:${line}: ${message}`));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

function withFeeds(text: string, name: string, urls: readonly string[]): { text: string; added: number } {
  const document = parseDocument(text);
  if (!isSeq(document.get('sources'))) document.set('sources', document.createNode([]));
  const sources = document.get('sources');
  const source = isSeq(sources)
    ? sources.items.find((item): item is YAMLMap => isMap(item) && nameOf(item) === name)
    : undefined;
  const known = source?.get('urls');
  const before = isSeq(known) ? known.toJSON() : [];
  const fresh = urls.filter((url) => !before.includes(url));
  if (isSeq(known)) for (const url of fresh) known.add(url);
  else if (fresh.length > 0)
    document.addIn(['sources'], document.createNode({ kind: 'feeds', ...(name !== 'feeds' && { name }), urls: fresh }));
  return { text: document.toString(), added: fresh.length };
}

const nameOf = (item: YAMLMap): unknown => item.get('name') ?? item.get('kind');

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

/** Writes a list of feeds as feed readers import it. */
function writeOpml(title: string, feeds: readonly { readonly name: string; readonly url: string }[]): string {
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
