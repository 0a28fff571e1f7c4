/** Quotes and blanks of the world, and signs that stand for a minus. */

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

export interface Quoted {
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
