/**
 * What a model keeps of a text: its traits, and a digest of each of its words. A rating outlives the text that was rated, so
 * it holds these and nothing that can be read.
 */
import { readText, type StyleTraits } from './features.ts';

export interface Traces {
  readonly traits: StyleTraits;
  /** Digests of the distinct words, in the order of the text. */
  readonly words: readonly number[];
  /** How many words the text has, repeats included. */
  readonly size: number;
}

export function tracesOf(text: string): Traces {
  const { traits, tokens } = readText(text);
  const words = new Set<number>();
  for (const token of tokens) words.add(wordDigest(token));
  return { traits, words: [...words], size: tokens.length };
}

/** FNV-1a over the UTF-16 units of a word. */
export function wordDigest(word: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) digest = Math.imul(digest ^ word.charCodeAt(at), 0x01000193);
  return digest >>> 0;
}

const DIGITS = 1_000;

export const writeTraces = ({ traits, words, size }: Traces): string =>
  JSON.stringify({
    traits: Object.fromEntries(
      Object.entries(traits).map(([name, value]) => [name, Math.round(value * DIGITS) / DIGITS]),
    ),
    words,
    size,
  });

/** Traits that an earlier version did not know are as usual; what is no trace at all is undefined. */
export function readTraces(text: string): Traces | undefined {
  const read: unknown = JSON.parse(text);
  return isTraces(read) ? read : undefined;
}

const isTraces = (value: unknown): value is Traces =>
  typeof value === 'object' && value !== null && 'traits' in value && 'words' in value && Array.isArray(value.words);
