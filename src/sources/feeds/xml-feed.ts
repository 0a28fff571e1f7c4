/**
 * Reads RSS, RDF, Atom and CDF. It goes by the names of elements and not by formats, because real feeds mix them.
 */
import { dateOf } from '../text/dates.ts';
import { looksLikeHtml, plainText, tidy } from '../text/plain-text.ts';
import { type Feed, type FeedEntry, resolve } from './feed.ts';
import { type Element, elementsIn } from './xml.ts';

/** Returns undefined when no element is that of a feed. */
export function readXmlFeed(document: Element, url: string): Feed | undefined {
  const roots = document.children.filter((child) => typeof child !== 'string');
  const root = roots.find(({ name }) => FEEDS.has(name));
  if (root === undefined) return undefined;
  const all = root.name === 'entry' ? [root] : entriesIn(root);
  // The rest of an entry that ends in the middle comes with the next visit.
  const entries = all.filter(({ isCutOff }) => !isCutOff);
  const channel = elementsIn(root).find(({ name }) => name === 'channel') ?? root;
  return {
    title: text(channel, TITLES),
    link: linkOf(channel, url),
    description: text(channel, DESCRIPTIONS),
    updated: date(channel, [...UPDATED, ...PUBLISHED, 'rss:lastbuilddate']),
    skipped: [],
    isCutOff: root.isCutOff,
    entries: entries.map((entry) => entryOf(entry, url, languageOf(channel) ?? root.language)),
  };
}

const FEEDS: ReadonlySet<string> = new Set(['rss', 'rdf', 'feed', 'channel', 'entry']);

/** All entries, at any depth. An entry inside an entry is a quotation and does not count. */
function entriesIn(element: Element): Element[] {
  return elementsIn(element).flatMap((child) =>
    (child.name === 'item' || child.name === 'entry') && isCore(child) ? [child] : entriesIn(child),
  );
}

function entryOf(entry: Element, url: string, around: string | undefined): FeedEntry {
  return {
    id: attribute(entry, 'rdf:about') ?? plain(first(entry, ['rss:guid', 'rss:id', 'dc:identifier'])),
    link: linkOf(entry, url),
    title: text(entry, TITLES),
    content: text(entry, CONTENTS),
    summary: text(entry, DESCRIPTIONS),
    published: date(entry, PUBLISHED),
    updated: date(entry, UPDATED),
    language: languageOf(entry) ?? first(entry, [...CONTENTS, ...TITLES])?.language ?? entry.language ?? around,
    author: authorOf(entry),
  };
}

/** Atom names an author in an element of its own, RSS as text. */
function authorOf(entry: Element): string | undefined {
  const author = first(entry, ['rss:author', 'dc:creator']);
  return author && plain(elementsIn(author).find(({ name }) => name === 'name') ?? author);
}

const languageOf = (element: Element): string | undefined => plain(first(element, ['dc:language', 'rss:language']));

/** Names in order of preference. Atom's names and those of RSS count as one space. */
const TITLES = ['rss:title', 'dc:title', 'media:title'];
const CONTENTS = ['content:encoded', 'rss:content', 'xhtml:body', 'rss:fullitem', 'xhtml:div'];
const DESCRIPTIONS = [
  'rss:description',
  'rss:summary',
  'rss:subtitle',
  'rss:tagline',
  'rss:abstract',
  'dc:description',
  'dcterms:abstract',
  'media:description',
  'itunes:summary',
];
const PUBLISHED = ['rss:published', 'rss:pubdate', 'rss:issued', 'dcterms:issued', 'rss:created', 'dcterms:created'];
const UPDATED = ['rss:updated', 'rss:modified', 'dcterms:modified', 'dc:date', 'rss:lastmod'];

const SPACES: readonly (readonly [address: RegExp, space: string])[] = [
  [/^https?:\/\/purl\.org\/dc\/terms/, 'dcterms'],
  [/^https?:\/\/purl\.org\/(dc\/|metadata\/dublin_core)/, 'dc'],
  [/^https?:\/\/purl\.org\/rss\/1\.0\/modules\/content/, 'content'],
  [/^https?:\/\/www\.w3\.org\/1999\/xhtml/, 'xhtml'],
  [/^https?:\/\/search\.yahoo\.com\/mrss/, 'media'],
  [/^https?:\/\/www\.itunes\.com\/dtds/, 'itunes'],
  [/^https?:\/\/www\.w3\.org\/1999\/02\/22-rdf-syntax/, 'rdf'],
  [/^https?:\/\/(www\.w3\.org\/2005\/atom|purl\.org\/(atom|echo|pie)\/)/, 'rss'],
  [
    /^https?:\/\/(purl\.org\/rss\/1\.0\/?$|purl\.org\/net\/rss|(my|channel)\.netscape\.com|backend\.userland\.com|blogs\.law\.harvard\.edu)/,
    'rss',
  ],
];
const PREFIXES: ReadonlySet<string> = new Set(['dc', 'dcterms', 'content', 'xhtml', 'media', 'itunes', 'rdf']);

/** The space of a name: by its namespace, else by a usual prefix that was not declared. A bare name is the feed's own. */
function spaceOf({ namespace, prefix }: Element): string {
  const known = namespace === undefined ? undefined : SPACES.find(([address]) => address.test(namespace))?.[1];
  if (known !== undefined) return known;
  if (prefix === '') return 'rss';
  if (namespace === undefined && /^(atom|rss)/.test(prefix)) return 'rss';
  return PREFIXES.has(prefix) ? prefix : 'other';
}

const isCore = (element: Element): boolean => spaceOf(element) === 'rss';

const matches = (element: Element, wanted: string): boolean => wanted === `${spaceOf(element)}:${element.name}`;

/** The first child with content, by the order of names. */
function first(element: Element, names: readonly string[]): Element | undefined {
  const children = elementsIn(element).flatMap((child) =>
    matches(child, 'media:group') ? elementsIn(child) : [child],
  );
  const found = names.flatMap((wanted) => children.filter((child) => matches(child, wanted)));
  return found.find((child) => child.children.length > 0) ?? found[0];
}

const attribute = (element: Element, name: string): string | undefined => element.attributes.get(name);

const plain = (element: Element | undefined): string | undefined => (element && tidy(flat(element))) || undefined;

const text = (element: Element, names: readonly string[]): string => {
  const found = first(element, names);
  return found === undefined ? '' : textOf(found);
};

function date(element: Element, names: readonly string[]): Date | undefined {
  for (const wanted of names) {
    const found = elementsIn(element).find((child) => matches(child, wanted));
    const time = dateOf(found && flat(found));
    if (time !== undefined) return time;
  }
  return dateOf(attribute(element, 'lastmod'));
}

/** The text of an element, by the type that it declares. */
function textOf(element: Element): string {
  const type = attribute(element, 'type')?.toLowerCase().trim() ?? '';
  const mode = attribute(element, 'mode')?.toLowerCase();
  const raw = flat(element);
  if (mode === 'base64' || isPacked(type)) return fromBase64(raw);
  if (type === 'text' || type === 'text/plain') return tidy(raw);
  // The XML parser has removed the markup; what still looks like markup is text.
  if (type === 'xhtml' || type === 'application/xhtml+xml' || mode === 'xml') return tidy(raw);
  if (type === 'html' || type === 'text/html' || looksLikeHtml(raw)) return plainText(raw);
  return tidy(raw);
}

/** Content of a type that is no text is encoded as base64. */
const isPacked = (type: string): boolean => type.includes('/') && !/^text\/|\+xml$|\/xml$/.test(type);

function fromBase64(raw: string): string {
  const unpacked = Buffer.from(raw, 'base64').toString('utf8');
  return looksLikeHtml(unpacked) ? plainText(unpacked) : tidy(unpacked);
}

const BLOCKS = /^(p|div|br|li|h[1-6]|tr|td|blockquote|pre|ul|ol|table|section|article)$/;

/** All text inside, with line breaks where blocks begin. */
const flat = ({ children }: Element): string =>
  children
    .map((child) => (typeof child === 'string' ? child : `${BLOCKS.test(child.name) ? '\n' : ''}${flat(child)}`))
    .join('');

function linkOf(element: Element, url: string): string | undefined {
  const links = elementsIn(element).filter((child) => matches(child, 'rss:link'));
  const rel = (link: Element) => attribute(link, 'rel')?.toLowerCase() ?? 'alternate';
  const atom = links.find((link) => attribute(link, 'href') !== undefined && rel(link) === 'alternate');
  const inner = links.find((link) => attribute(link, 'href') === undefined && flat(link).trim() !== '');
  if (atom !== undefined) return resolve(attribute(atom, 'href'), atom.bases, url);
  if (inner !== undefined) return resolve(flat(inner), inner.bases, url);
  if (attribute(element, 'href') !== undefined) return resolve(attribute(element, 'href'), element.bases, url);
  const guid = first(element, ['rss:guid']);
  if (guid !== undefined && attribute(guid, 'ispermalink')?.toLowerCase() !== 'false')
    return resolve(flat(guid), guid.bases, url);
  const id = plain(first(element, ['rss:id']));
  return id !== undefined && /^https?:/.test(id)
    ? id
    : resolve(attribute(links[0] ?? element, 'href'), element.bases, url);
}
