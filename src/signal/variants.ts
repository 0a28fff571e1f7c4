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
