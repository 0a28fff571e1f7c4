/** Reads a web page: its title and its main text, without menus and advertisements. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { dateOf } from '../text/dates.ts';
import { decodeDocument } from '../text/encoding.ts';
import { plainText, tidy } from '../text/plain-text.ts';

export interface Article {
  readonly title: string;
  /** One passage a line. */
  readonly text: string;
  readonly language: string | undefined;
  readonly publishedAt: Date | undefined;
}

/** A page with less main text than this is probably no article; all of its text is used then. */
const LEAST_TEXT = 200;

export function mainText(bytes: Uint8Array, contentType: string | undefined, url: string): Article {
  const html = decodeDocument(bytes, contentType);
  if (!isHtml(contentType, html)) return { title: '', text: tidy(html), language: undefined, publishedAt: undefined };
  const { document } = parseHTML(html);
  // Both are read before Readability runs, which changes the tree.
  const title = tidy(document.querySelector('title')?.textContent ?? '');
  const language = document.documentElement?.getAttribute('lang') ?? undefined;
  const article = articleIn(document, url);
  const text = plainText(article?.content ?? '', html.length * 2);
  return {
    title: title || tidy(article?.title ?? ''),
    text: text.length >= LEAST_TEXT ? text : plainText(html, html.length),
    language: language ?? article?.lang ?? undefined,
    publishedAt: dateOf(article?.publishedTime ?? undefined),
  };
}

const isHtml = (contentType: string | undefined, text: string): boolean =>
  contentType === undefined ? /<\w/.test(text.slice(0, 1_000)) : /html|xml/i.test(contentType);

/** A page with more elements takes too long and is probably no article. */
const MAX_ELEMENTS = 20_000;

/** Undefined when Readability finds no article, or throws, as it does on some pages. */
function articleIn(
  document: ReturnType<typeof parseHTML>['document'],
  url: string,
): ReturnType<Readability['parse']> | undefined {
  try {
    Object.defineProperty(document, 'documentURI', { value: url });
    return new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse();
  } catch {
    return undefined;
  }
}
