/** The words that a rule asks for, as stories compare them: a match is told apart from others by its other words. */
import type { Predicate, Query } from '../../rules/query.ts';
import { comparedNumbers } from '../../signal/word-numbers.ts';

/** Predicates that ask for words; a rule with more is shown when its event comes in, with pauses. */
const MOST_PREDICATES = 64;

/**
 * Returns undefined where the query alone does not tell: patterns fit words of the event, and an age is that of the
 * moment of matching.
 */
export function askedWords(query: Query): readonly number[] | undefined {
  const words = new Set<number>();
  const texts = textsIn(query);
  if (texts === undefined || texts.length > MOST_PREDICATES) return undefined;
  for (const text of texts) for (const word of comparedNumbers(text)) words.add(word);
  return [...words];
}

const NO_TEXTS: readonly string[] = [];

function textsIn(query: Query): readonly string[] | undefined {
  switch (query.kind) {
    case 'all':
    case 'any': {
      const parts = query.of.map(textsIn);
      return parts.includes(undefined) ? undefined : parts.flatMap((texts) => texts!);
    }
    case 'not':
      return textsIn(query.query) && NO_TEXTS;
    case 'everything':
    case 'nothing':
      return NO_TEXTS;
    default:
      return textsOf(query);
  }
}

function textsOf(predicate: Predicate): readonly string[] | undefined {
  switch (predicate.kind) {
    case 'term':
      return [predicate.term];
    case 'phrase':
      return [predicate.terms.map((term) => term ?? '').join(' ')];
    case 'literal':
    case 'contains':
      return [predicate.text];
    case 'exists':
    case 'number':
    case 'circle':
    case 'box':
    case 'sample':
      return NO_TEXTS;
    default:
      return undefined;
  }
}
