/** The functions with which the reading thread reads a document. */
import { API_LISTS } from '../feeds/api-lists.ts';
import { readFeed, sitemapsIn } from '../feeds/read-feed.ts';
import { parseXml } from '../feeds/xml.ts';
import { decodeDocument } from '../text/encoding.ts';
import { mainText } from '../watch/main-text.ts';
import { pageFacts } from '../watch/page-facts.ts';
import type { DocumentReader, FetchedDocument } from './document-reader.ts';

type Readers = {
  readonly [What in keyof DocumentReader]: (document: FetchedDocument) => Awaited<ReturnType<DocumentReader[What]>>;
};

export const readers: Readers = {
  feed: ({ bytes, contentType, url, list }) =>
    list === undefined ? readFeed(bytes, contentType, url) : API_LISTS[list](new TextDecoder().decode(bytes)),
  page: ({ bytes, contentType, url, part }) => mainText(bytes, contentType, url, part),
  facts: ({ bytes, contentType, url }) => pageFacts(bytes, contentType, url),
  sitemaps: ({ bytes, contentType, url }) => sitemapsIn(parseXml(decodeDocument(bytes, contentType)), url),
};
