/** The case-blind search in a payload: in what people wrote, not in ids, links or language codes. */

/** The keys under which posts and pages have their text, wherever in the payload. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'title', 'markdown']);

export function textFilter(wanted: string): (payload: string) => boolean {
  const needle = fold(wanted);
  // JSON writes nothing of it in another way, unless it writes characters by their numbers.
  const isPlain = JSON.stringify(needle) === `"${needle}"` && !needle.includes('/');
  return (payload) => {
    // Most payloads do not have it anywhere, and need not be read.
    if (isPlain && !payload.includes('\\u') && !fold(payload).includes(needle)) return false;
    return textsIn(JSON.parse(payload)).some((text) => fold(text).includes(needle));
  };
}

/** By way of lower case, so that letters with several small or capital forms become one. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    typeof inside === 'string' ? (TEXT_KEYS.has(key) ? [inside] : []) : textsIn(inside),
  );
}
