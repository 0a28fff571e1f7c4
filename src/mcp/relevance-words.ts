/** The words that ratings speak for or against: they are taken from posts and pages, so they are in an envelope. */
import { z } from 'zod';
import { cutTo, FLAGS, type Flag, visible } from './untrusted.ts';

export const wordFields = {
  flags: z.array(z.string()).optional(),
  untrusted_content: z.object({ relevance_words: z.array(z.string()) }).optional(),
};

const MAX_WORDS = 10;
const MAX_WORD = 40;

export function shownWords(words: readonly { readonly word: string; readonly weight: number }[]): {
  readonly flags?: Flag[];
  readonly untrusted_content?: { relevance_words: string[] };
} {
  if (words.length === 0) return {};
  const flags = new Set<Flag>();
  const relevance_words = words
    .slice(0, MAX_WORDS)
    .map(({ word, weight }) => `${weight < 0 ? 'against' : 'for'}: ${cutTo(visible(word, flags), MAX_WORD, flags)}`);
  return {
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { relevance_words },
  };
}
