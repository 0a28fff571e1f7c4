/** What a web page says: its title and the text that it is there for, without menus, advertisements and the like. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { dateOf } from '../feeds/dates.ts';
import { decodeDocument } from '../feeds/encoding.ts';
import { plainText, tidy } from '../text/plain-text.ts';

export interface Article {
  readonly title: string;
  /** One passage a line. */
  readonly text: string;
  readonly language: string | undefined;
  readonly publishedAt: Date | undefined;
}

/** A page with less main text than this is probably no article: then all of its text counts. */
const LEAST_TEXT = 200;

export function mainText(bytes: Uint8Array, contentType: string | undefined, url: string): Article {
  const html = decodeDocument(bytes, contentType);
  if (!isHtml(contentType, html)) return { title: '', text: tidy(html), language: undefined, publishedAt: undefined };
  const { document } = parseHTML(html);
  // Both are looked for before the article is: that changes the tree.
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

/** Pages of more elements than this are no articles, and take long. */
const MAX_ELEMENTS = 20_000;

/** Some pages make it throw; then there is no article in them. */
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
