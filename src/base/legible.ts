/**
 * Names as people see them: nothing that cannot be seen, moves a cursor or turns the text around. What scripts and emoji
 * need between two of their letters is no such thing.
 */
const JOINING_SCRIPTS =
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');
const PICTURE = String.raw`\p{Extended_Pictographic}`;

const HIDDEN = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
    String.raw`(?<![${PICTURE}0-9#*][\ufe0e\ufe0f])`,
    String.raw`(?<!\p{Script=Han}[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])`,
    String.raw`(?<![${PICTURE}\p{Emoji_Modifier}\ufe0f]\u200d(?=${PICTURE}))`,
    String.raw`(?<![\p{M}${JOINING_SCRIPTS}][\u200c\u200d](?=[${JOINING_SCRIPTS}]))`,
  ].join(''),
  'gu',
);

const codeOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** The first character that cannot be seen: which one it is, counted from 1, and its code. */
export function hiddenIn(text: string): { readonly place: number; readonly code: string } | undefined {
  const at = text.search(HIDDEN);
  if (at < 0) return undefined;
  return { place: Array.from(text.slice(0, at)).length + 1, code: codeOf(text.slice(at)) };
}

/** Most names have nothing else, which is found out faster. */
const PLAIN = /^[\x20-\x7e]*$/;

/** A name that was stored before such characters were refused, with each of them written out, as `<U+202E>`. */
export const legible = (text: string): string =>
  PLAIN.test(text) ? text : text.replaceAll(HIDDEN, (character) => `<${codeOf(character)}>`);
