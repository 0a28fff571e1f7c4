/** The things that must never be in an answer, wherever they stand. Pure. */

/** Marks whatever a stranger wrote. Of letters that no id has. */
export const MARK = 'ouliolu';

/** Every character that must never arrive as it is. */
const NEVER = /[\p{Bidi_Control}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}\u2028\u2029]|(?![\n\t])\p{Cc}/u;

/** The one that makes an emoji coloured is wanted, behind an emoji; our own words also have emoji that are joined. */
const withoutEmoji = (text: string, isInside: boolean): string =>
  text
    .replaceAll(/([\p{Extended_Pictographic}0-9#*])\uFE0F/gu, '$1')
    .replaceAll(/(\p{Extended_Pictographic})\u200D(?=\p{Extended_Pictographic})/gu, isInside ? '$&' : '$1');

/** A client would follow it: a link or an image of Markdown, a reference, a tag of HTML, a link in angle brackets. */
const FOLLOWED = [/!\[/, /\]\(/, /\]\[/, /\]:/, /<(?!U\+[0-9A-F]{4,6}>)[a-z/!?]/i];

/** Addresses that an answer offers as such. */
const isPlainAddress = (url: unknown): boolean =>
  typeof url === 'string' && /^https?:\/\/[^\s<>"'`\\]+$/.test(url) && URL.canParse(url);

/** The faults of a value, by their places. */
export function leaksIn(value: unknown, path = '', isInside = false): string[] {
  if (typeof value === 'string') return leaksInText(value, path, isInside);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const place = `${path}.${key.slice(0, 40)}`;
    const isEnvelope = key === 'untrusted_content';
    const wrongAddress = key === 'url' && !path.includes('.payload') && !isPlainAddress(inside);
    return [
      ...leaksInText(key, `${place} (key)`, isInside),
      ...(wrongAddress ? [`${place}: no plain address: ${JSON.stringify(inside)}`] : []),
      ...leaksIn(inside, place, isInside || isEnvelope),
    ];
  });
}

/** The signs that are hidden in a text that people read. */
export const hiddenIn = (text: string): string[] => {
  const found = NEVER.exec(withoutEmoji(text, true));
  return found === null ? [] : [`U+${found[0].codePointAt(0)!.toString(16)} in ${JSON.stringify(text.slice(0, 80))}`];
};

function leaksInText(text: string, path: string, isInside: boolean): string[] {
  const shown = JSON.stringify(text.slice(0, 200));
  const leaks: string[] = [];
  if (NEVER.test(withoutEmoji(text, isInside))) leaks.push(`${path}: something hidden in ${shown}`);
  if (!isInside && text.includes(MARK)) leaks.push(`${path}: text by strangers outside its envelope: ${shown}`);
  const followed = isInside && FOLLOWED.map((form) => form.exec(text)).find((found) => found !== null);
  if (followed) leaks.push(`${path}: markup in ${JSON.stringify(text.slice(followed.index).slice(0, 80))}`);
  return leaks;
}
