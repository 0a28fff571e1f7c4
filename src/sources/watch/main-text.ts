/** Reads a web page: its title and its main text, without menus and advertisements. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { dateOf } from '../text/dates.ts';
import { decodeDocument } from '../text/encoding.ts';
import { plainText, tidy } from '../text/plain-text.ts';
import { withoutLines } from './condition.ts';
import { readSelector, selectIn } from './selector.ts';
import { nestedSize, type PageTree, type TreeElement } from './tree.ts';

export interface Article {
  readonly title: string;
  /** One passage a line. */
  readonly text: string;
  readonly language: string | undefined;
  readonly publishedAt: Date | undefined;
  /** Nothing on the page fits the selector of what is watched. */
  readonly isMissing?: boolean;
  /** The whole page has elements, and no text in any of them. */
  readonly isBlank?: boolean;
}

/** Which part of a page is read. */
export interface PartWish {
  readonly select?: string | undefined;
  /** Selectors of what is left out. */
  readonly ignore?: readonly string[] | undefined;
  /** Patterns: a line in which one of them is found is left out. */
  readonly ignoreText?: readonly string[] | undefined;
}

/** A page with less main text than this is probably no article; all of its text is used then. */
const LEAST_TEXT = 200;

export function mainText(
  bytes: Uint8Array,
  contentType: string | undefined,
  url: string,
  wish: PartWish = {},
): Article {
  const article = wholeText(decodeDocument(bytes, contentType), contentType, url, wish);
  return { ...article, text: withoutLines(article.text, wish.ignoreText ?? []) };
}

function wholeText(
  given: string,
  contentType: string | undefined,
  url: string,
  { select, ignore = [] }: PartWish,
): Article {
  if (!isHtml(contentType, given)) return { title: '', text: tidy(given), language: undefined, publishedAt: undefined };
  const { document } = parseHTML(given);
  for (const one of ignore) for (const element of elementsAt(document, one)) element.remove();
  const html = ignore.length === 0 ? given : document.toString();
  // These are read before Readability runs, which changes the tree.
  const title = tidy(document.querySelector('title')?.textContent ?? '');
  const language = document.documentElement?.getAttribute('lang') ?? undefined;
  // Neither head nor body need be written.
  const hasElements = document.querySelector('body > *, div, main, noscript, script') !== null;
  if (select !== undefined) {
    const parts = elementsAt(document, select).map(({ outerHTML }) => plainText(outerHTML, outerHTML.length));
    return { title, text: parts.join('\n'), language, publishedAt: undefined, isMissing: parts.length === 0 };
  }
  const article = articleIn(document, url);
  const main = plainText(article?.content ?? '', html.length * 2);
  const text = main.length >= LEAST_TEXT ? main : plainText(html, html.length);
  return {
    title: title || tidy(article?.title ?? ''),
    text,
    isBlank: text === '' && hasElements,
    language: language ?? article?.lang ?? undefined,
    publishedAt: dateOf(article?.publishedTime ?? undefined),
  };
}

function elementsAt(document: PageTree, text: string): TreeElement[] {
  const selector = readSelector(text);
  return 'problem' in selector ? [] : selectIn(document, selector);
}

const isHtml = (contentType: string | undefined, text: string): boolean =>
  contentType === undefined ? /<\w/.test(text.slice(0, 1_000)) : /html|xml/i.test(contentType);

/** A page with more elements takes too long and is probably no article. */
const MAX_ELEMENTS = 20_000;
/** Readability asks each element for its text, several times. These take it a few seconds. */
const MOST_NESTED = { nodes: 3_000_000, characters: 100_000_000 };

/** Returns undefined when Readability finds no article, would take too long, or throws, as it does on some pages. */
function articleIn(
  document: ReturnType<typeof parseHTML>['document'],
  url: string,
): ReturnType<Readability['parse']> | undefined {
  const { nodes, characters } = nestedSize(document);
  if (nodes > MOST_NESTED.nodes || characters > MOST_NESTED.characters) return undefined;
  try {
    Object.defineProperty(document, 'documentURI', { value: url });
    return new Readability(document, { maxElemsToParse: MAX_ELEMENTS }).parse();
  } catch {
    return undefined;
  }
}
