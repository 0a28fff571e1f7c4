/**
 * Habits: how other tools, and people who use them, write what a rule is to say. Each is a row of a table: what is written, what it
 * means, and how each platform says it, or that it cannot. The checker, the editor, the tools and the documents all read this table.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Intent } from '../diagnostic.ts';

/** The replacement of a habit. Without `text` the platform cannot say it, and the message names the nearest thing. */
export interface Rewriting {
  readonly message: string;
  readonly text?: string;
  /** The meaning of the rule with this text. */
  readonly meaning?: string;
  /** Another way to read it, behind the likely one. */
  readonly other?: { readonly text: string; readonly meaning: string };
  readonly intent?: Intent;
}

export interface Habit {
  readonly name: string;
  /** The tools in which it is written so. */
  readonly tools: string;
  readonly meaning: string;
  /** A rule in this habit for each platform, which the documents show with what becomes of it. */
  readonly examples: Readonly<Partial<Record<Platform, string>>>;
  /** A text without this has none of it: a quick look at the whole text. */
  readonly hint: RegExp;
  /** Sticky; tried where a clause may begin, or at the start of the text alone for a habit of the `whole` text. */
  readonly pattern: RegExp;
  readonly whole?: true;
  rewrite(match: RegExpExecArray, dialect: Dialect, text: string): Rewriting | undefined;
}

/** How a platform writes what all habits need. */
export interface Dialect {
  readonly platform: Platform;
  readonly events: 'posts' | 'pages';
  readonly name: string;
  not(clause: string): string;
  /** The longest distance between words, and the usual one. */
  readonly farthest: number;
}

export const DIALECTS: Readonly<Record<Platform, Dialect>> = {
  x: { platform: 'x', events: 'posts', name: 'X', not: (clause) => `-${clause}`, farthest: 6 },
  firehose: {
    platform: 'firehose',
    events: 'pages',
    name: 'Firehose',
    not: (clause) => `NOT ${clause}`,
    farthest: 100,
  },
};

export const either = (clauses: readonly string[]): string =>
  clauses.length === 1 ? clauses[0]! : `(${clauses.join(' OR ')})`;

export const inQuotes = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** Pages whose address holds a text, as Firehose says it. */
export const urlHolding = (part: string): string =>
  `url:*${part.replaceAll(/[\s+\-=&|><!(){}[\]^"~*?:\\/]/g, '\\$&')}*`;

/** Whether a dash or NOT stands right before this place, so that what follows is excluded. */
export const isExcludedAt = (text: string, start: number): boolean =>
  /(?:[-!]|\bNOT\s{1,4})$/i.test(text.slice(Math.max(0, start - 8), start));

/** A word stands alone; several are a phrase. */
export const phrase = (text: string): string => (/^[\p{L}\p{N}_]+$/u.test(text) ? text : inQuotes(text));

/** A quoted phrase, a group without groups inside, or a bare clause: what stands beside an operator. */
export const CLAUSE = String.raw`(?:"[^"]{1,200}"(?:~\d)?|[“„«‘][^“”„«»‘’"]{1,200}[“”»’]|\((?:[^()]|\([^()]{0,200}\)){1,400}\)|(?:[\p{L}_]{1,30}:)(?:"[^"]{1,200}"|\([^()]{1,200}\))|[^\s()"“”«»]{1,200})`;

/** A text that a person could say. Syntax in quotes finds only posts and pages that hold that very syntax. */
export function isSayable(text: string): boolean {
  if (/^\p{L}{1,8}&\p{L}{1,8}$|^\d[\d.,]*%$/u.test(text)) return true;
  return !/[=<>%[\]{}&;|\\`]|^[-+!~¬–—−‐‑]|^[\p{L}_]+:\S/u.test(text);
}

/** The signs that close each opening quote, the likeliest first; the nearest in the text is taken. */
const CLOSING: Readonly<Record<string, string>> = {
  '“': '”“"„',
  '”': '”“"',
  '„': '“”"„',
  '‟': '”“"',
  '«': '»"',
  '»': '«»"',
  '‹': '›',
  '›': '‹›',
  '「': '」',
  '『': '』',
  '《': '》',
  '〝': '〞〟',
  '❝': '❞',
  '″': '″"',
  '＂': '＂',
  '‘': "’‘'",
  '’': "’'",
  '‚': "‘’'",
  '‛': "’'",
  "'": "'’",
  '`': "`´'",
  '´': "´`'",
};

export const SINGLE_QUOTES = "'‘’‚‛`´";

interface Quoted {
  readonly end: number;
  readonly content: string;
}

/** Longer than any phrase; it keeps the search linear. */
const LONGEST = 300;

const isEdge = (character: string) => character === '' || /[\s()~,;\u00a0\u2000-\u200b\u3000]/.test(character);

/** The text between the odd quote at `start` and the nearest mark that closes it; undefined where none does. */
export function oddQuoted(text: string, start: number): Quoted | undefined {
  const open = text.charAt(start);
  const closing = CLOSING[open];
  if (closing === undefined) return undefined;
  // ``so'' and ''so'' double their marks.
  const width = text.charAt(start + 1) === open && SINGLE_QUOTES.includes(open) ? 2 : 1;
  const last = Math.min(text.length, start + LONGEST);
  for (let at = start + width; at < last; at++) {
    if (!closing.includes(text.charAt(at)) || !isEdge(text.charAt(at + width))) continue;
    if (width === 2 && !closing.includes(text.charAt(at + 1))) continue;
    const content = text.slice(start + width, at).trim();
    return content === '' ? undefined : { end: at + width, content };
  }
  return undefined;
}

export const ODD_QUOTES: string = Object.keys(CLOSING).join('');

/** Blanks that are none to either platform, and characters that show nothing. */
export const ODD_BLANKS = /[\u0085\u00a0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]+/y;

/** Signs that people see as a minus. */
export const MINUS = '–—−‐‑‒―⁃－﹣';
