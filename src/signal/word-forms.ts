/** The forms in which English texts use a word: a person who names one of them means the others, too. */

/** Shorter words, and those of other scripts, have no forms that follow from how they are written. */
const INFLECTED = /^[a-z]{4,}$/;
const MIN_STEM = 3;

/** The word itself, and its singular or plural. */
export function usualForms(word: string): string[] {
  if (!INFLECTED.test(word) || /(?:ing|ed|ss|us|is)$/.test(word)) return [word];
  const singular = singularOf(word);
  return [...new Set([word, singular, pluralOf(singular)])];
}

/** Forms that a text may use instead, some of which no language has: a caller keeps those that texts do use. */
export function otherForms(word: string): string[] {
  if (!INFLECTED.test(word)) return [];
  const usual = new Set(usualForms(word));
  const forms = stemsOf(word).flatMap((stem) => ENDINGS.map((ending) => `${stem}${ending}`));
  return [...new Set(forms)].filter((form) => !usual.has(form));
}

const ENDINGS = ['', 's', 'e', 'es', 'ed', 'ing', 'er', 'ers', 'ion', 'ions', 'y', 'ies'];

function stemsOf(word: string): string[] {
  const bare = word.replace(/(?:ings?|ions?|ers?|ed|ies|es|s|e|y)$/, '');
  if (bare.length < MIN_STEM) return [word];
  // The letter that an ending doubled: stopped, planning.
  const single = /([b-df-hj-np-tv-z])\1$/.test(bare) ? [bare.slice(0, -1)] : [];
  return [...new Set([singularOf(word), bare, ...single])];
}

function singularOf(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz|o)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh|z|[^aeiou]o)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Other forms of a word: an ending, or one letter that differs. */
const SHORTEST = 4;
const LONGEST_ENDING = 3;

export function isVariantOf(word: string, other: string): boolean {
  if (word === other || Math.min(word.length, other.length) < SHORTEST) return false;
  const [short, long] = word.length <= other.length ? [word, other] : [other, word];
  const stem = short.slice(0, Math.max(SHORTEST, short.length - 1));
  if (long.startsWith(stem) && long.length - stem.length <= LONGEST_ENDING) return true;
  return long.length - short.length <= 1 && short.length > SHORTEST && differsByOne(short, long);
}

function differsByOne(short: string, long: string): boolean {
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  return short.slice(short.length === long.length ? at + 1 : at) === long.slice(at + 1);
}
