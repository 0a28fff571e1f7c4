/**
 * Finds hashtags, mentions, cashtags and links in the text of a post, by the rules of twitter-text: for posts without
 * entities. Offsets are UTF-16 units; `toCodePoints` turns them into the code points that X's payloads count.
 */
import { isTagCharacter, isTagLetter } from './lexer.ts';
import { extractLinks, isLatinAccent, type Link } from './links.ts';

interface Entities {
  readonly hashtags: readonly Tag[];
  readonly mentions: readonly Mention[];
  readonly cashtags: readonly Tag[];
  readonly urls: readonly Link[];
}

/** A hashtag or cashtag, without its sigil; the offsets include it. */
interface Tag {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

interface Mention {
  readonly username: string;
  readonly start: number;
  readonly end: number;
}

/** Text inside a link is not another entity. */
export function extractEntities(text: string): Entities {
  const urls = extractLinks(text);
  return {
    hashtags: extractHashtags(text).filter(outside(urls)),
    mentions: extractMentions(text).filter(outside(urls)),
    cashtags: extractCashtags(text).filter(outside(urls)),
    urls,
  };
}

/** Spans must be given in order. */
function outside(urls: readonly Link[]): (span: { start: number }) => boolean {
  let next = 0;
  return ({ start }) => {
    while (next < urls.length && urls[next]!.end <= start) next++;
    return next === urls.length || start < urls[next]!.start;
  };
}

/** The offset counted in code points. */
export function toCodePoints(text: string, offset: number): number {
  let points = 0;
  for (let at = 0; at < offset; at += text.codePointAt(at)! > 0xffff ? 2 : 1) points++;
  return points;
}

const isHash = (character: string) => character === '#' || character === '＃';
const isAt = (character: string) => character === '@' || character === '＠';

function extractHashtags(text: string): Tag[] {
  const tags: Tag[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!isHash(text.charAt(start)) || !mayPrecedeHashtag(text, start)) continue;
    const end = endOfHashtag(text, start + 1);
    if (end < 0) continue;
    tags.push({ tag: text.slice(start + 1, end), start, end });
    start = end - 1;
  }
  return tags;
}

/** Any character that cannot be part of a hashtag, except `&`. A variation selector belongs to an emoji and is ignored. */
function mayPrecedeHashtag(text: string, hash: number): boolean {
  if (hash === 0) return true;
  const before = text.charCodeAt(hash - 1);
  if (before === 0xfe0e || before === 0xfe0f) return true;
  const code = before >= 0xdc00 && before <= 0xdfff && hash > 1 ? text.codePointAt(hash - 2)! : before;
  return before !== 0x26 && !isTagCharacter(code);
}

function endOfHashtag(text: string, from: number): number {
  let at = from;
  let letters = false;
  // `#` followed by these is a keycap emoji.
  if (text.charCodeAt(from) === 0xfe0f || text.charCodeAt(from) === 0x20e3) return -1;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    if (!isTagCharacter(code)) break;
    letters ||= isTagLetter(code);
    at += code > 0xffff ? 2 : 1;
  }
  return !letters || isHash(text.charAt(at)) || text.startsWith('://', at) ? -1 : at;
}

const MAX_USERNAME = 20;

function extractMentions(text: string): Mention[] {
  const mentions: Mention[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!isAt(text.charAt(start)) || !mayPrecedeMention(text, start)) continue;
    let end = start + 1;
    while (end - start <= MAX_USERNAME && /\w/.test(text.charAt(end))) end++;
    const after = text.charAt(end);
    if (end === start + 1 || isAt(after) || isLatinAccent(after) || text.startsWith('://', end)) continue;
    mentions.push({ username: text.slice(start + 1, end), start, end });
    start = end - 1;
  }
  return mentions;
}

/** `RT@name` is a mention too, when RT is a word. */
function mayPrecedeMention(text: string, at: number): boolean {
  if (at === 0 || !/[\w!#$%&*@＠]/.test(text.charAt(at - 1))) return true;
  return /(?:^|[^\w+~.-])rt$/i.test(text.slice(Math.max(0, at - 3), at));
}

/** `$`, up to six letters and an optional short suffix, with a blank before it and a blank or punctuation after it. */
const CASHTAG = /^[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|\s|[!'#%&"()*+,\\\-./:;<=>?@[\]^_{|}~$])/i;

function extractCashtags(text: string): Tag[] {
  const tags: Tag[] = [];
  for (let start = text.indexOf('$'); start >= 0; start = text.indexOf('$', start + 1)) {
    if (start > 0 && !/[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text.charAt(start - 1))) continue;
    const tag = CASHTAG.exec(text.slice(start + 1, start + 12))?.[0];
    if (tag !== undefined) tags.push({ tag, start, end: start + 1 + tag.length });
  }
  return tags;
}
