/**
 * The words of a piece of HTML, as a reader would see them: tags go, blocks become lines, references become characters.
 * One pass over the text and no tree, since every post of every source comes through here.
 */
import { parseHTML } from 'linkedom';

/** Longer ones are cut: no rule looks for words that far into a post. */
const MAX_HTML = 512 * 1024;

/** What is inside these is not for readers. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'head', 'iframe', 'object', 'svg']);
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);

export function plainText(html: string): string {
  let text = '';
  let hidden: string | undefined;
  for (const { before, name, closes, empty } of piecesOf(html.slice(0, MAX_HTML))) {
    if (hidden === undefined) {
      text += before;
      if (BLOCKS.has(name)) text += '\n';
      if (!closes && !empty && HIDDEN.has(name)) hidden = name;
    } else if (closes && name === hidden) hidden = undefined;
  }
  return tidy(decodeReferences(text));
}

/** Text, and the tag that ends it: its name in lower case, or none for a comment and at the end. */
interface Piece {
  readonly before: string;
  readonly name: string;
  readonly closes: boolean;
  readonly empty: boolean;
}

function* piecesOf(html: string): Iterable<Piece> {
  const endOfTag = tagEnds(html);
  let last = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', Math.max(last, at + 1))) {
    const opening = html.slice(at, at + 64).match(/^<(?:!--|[!?]|(\/?)([a-zA-Z][^\s/>]*))/);
    if (opening === null) continue;
    const end = opening[0] === '<!--' ? html.indexOf('-->', at) + 2 : endOfTag(at);
    if (end < at) break;
    const [, slash = '', name = ''] = opening;
    yield {
      before: html.slice(last, at),
      name: name.toLowerCase(),
      closes: slash === '/',
      empty: html[end - 1] === '/',
    };
    last = end + 1;
  }
  yield { before: html.slice(last), name: '', closes: false, empty: false };
}

/**
 * Where the tag that begins somewhere ends, or −1. A quote that is never closed is no quote; each is looked for once,
 * so that a text full of openings takes no longer than any other.
 */
function tagEnds(html: string): (from: number) => number {
  const unclosed = new Set<string>();
  return (from) => {
    for (let at = from + 1; at < html.length; at++) {
      const character = html[at]!;
      if (character === '>') return at;
      if ((character !== '"' && character !== "'") || unclosed.has(character)) continue;
      const close = html.indexOf(character, at + 1);
      if (close === -1) unclosed.add(character);
      else at = close;
    }
    return -1;
  };
}

/** White space as a reader sees it: single spaces, no empty lines. */
export const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();

/** Whether a text that claims nothing looks like HTML. */
export const looksLikeHtml = (text: string): boolean => /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/i.test(text);

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));?/g;

export const decodeReferences = (text: string): string =>
  text.includes('&')
    ? text.replace(REFERENCE, (whole: string, decimal?: string, hex?: string, name?: string) =>
        name === undefined
          ? characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
          : named(whole, name),
      )
    : text;

/** What numbers of Windows' code page mean where people wrote them as references, from 128 on. */
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80]!;
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd';
  return String.fromCodePoint(code);
}

const COMMON: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};
/** Names are looked up once; what is none stays as it was written. The size is bounded by the HTML standard's list. */
const known = new Map<string, string>(Object.entries(COMMON));

function named(whole: string, name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  if (!whole.endsWith(';')) return whole;
  const decoded = parseHTML(`<html><body>&${name};</body></html>`).document.body.textContent ?? '';
  if (decoded === '' || decoded.startsWith('&')) return whole;
  known.set(name, decoded);
  return decoded;
}
