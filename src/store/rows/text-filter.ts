/** The case-blind search in a payload: in what people wrote, not in ids, links or language codes. */

/** The keys under which posts and pages have their text, wherever in the payload. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'title', 'markdown']);

export function textFilter(wanted: string): (payload: string) => boolean {
  const needle = fold(wanted);
  return (payload) => textsIn(JSON.parse(payload)).some((text) => fold(text).includes(needle));
}

/** By way of lower case, so that letters with several small or capital forms become one. */
const fold = (text: string): string => text.toLowerCase().toUpperCase();

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    typeof inside === 'string' ? (TEXT_KEYS.has(key) ? [inside] : []) : textsIn(inside),
  );
}
