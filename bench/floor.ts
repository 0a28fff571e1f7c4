/**
 * The floor: what matching cannot do without, in the plainest JavaScript. The text is put in lower case and split into words,
 * and each word is looked up in a `Map` of the words that rules name. It uses nothing of the product, so that the product
 * cannot make its own floor slow.
 */
import type { Platform } from '../src/domain/platform.ts';

export type WordMap = Map<string, number>;

/** Counts the words of a rule's text into the map. */
export function addRuleWords(words: WordMap, rule: string): void {
  eachWord(rule, (word) => void words.set(word, (words.get(word) ?? 0) + 1));
}

/** How many words of the event some rule names. */
export function lookUpWords(words: WordMap, platform: Platform, payload: unknown): number {
  let known = 0;
  for (const text of textsOf(platform, payload)) {
    eachWord(text, (word) => {
      if (words.get(word) !== undefined) known++;
    });
  }
  return known;
}

interface Post {
  readonly data: { readonly text: string };
}
interface Page {
  readonly title?: string;
  readonly added?: string;
  readonly diff?: { readonly chunks?: readonly { readonly text: string }[] };
}

function textsOf(platform: Platform, payload: unknown): string[] {
  if (platform === 'x') return [(payload as Post).data.text];
  const { title, added, diff } = payload as Page;
  const texts = (diff?.chunks ?? []).map(({ text }) => text);
  if (typeof title === 'string') texts.push(title);
  if (typeof added === 'string') texts.push(added);
  return texts;
}

/** A word is a run of ASCII letters and digits and of everything beyond ASCII. */
function eachWord(text: string, take: (word: string) => void): void {
  const folded = text.toLowerCase();
  let start = -1;
  for (let at = 0; at <= folded.length; at++) {
    const unit = at < folded.length ? folded.charCodeAt(at) : 0;
    const inWord = (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit >= 0x80;
    if (inWord) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      take(folded.slice(start, at));
      start = -1;
    }
  }
}
