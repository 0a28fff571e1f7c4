/** Reads feeds of every kind (RSS, RDF, Atom, CDF, JSON Feed), in any encoding, well-formed or not. */
import { decodeDocument } from '../text/encoding.ts';
import type { Feed } from './feed.ts';
import { withinFeedLimits } from './feed-limits.ts';
import { readJsonFeed } from './json-feed.ts';
import { parseXml } from './xml.ts';
import { readXmlFeed } from './xml-feed.ts';

/** Undefined when the document is no feed. Never throws. */
export function readFeed(bytes: Uint8Array, contentType: string | undefined, url: string): Feed | undefined {
  const text = decodeDocument(bytes, contentType);
  const feed = /^\s*\{/.test(text) ? readJsonFeed(text, url) : readXmlFeed(parseXml(text), url);
  return feed === undefined ? undefined : withinFeedLimits(feed);
}
