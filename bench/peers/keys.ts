/** The rarest texts that a rule needs, so that a peer need not ask every rule: the same for each peer that has a use for them. */
import type { EventView } from '../../src/engine/events/event-view.ts';
import type { Query } from '../../src/rules/query.ts';
import type { FieldText } from './peer.ts';

/** In how many events a word of a field was seen. */
export class WordCounts {
  readonly #counts = new Map<string, number>();

  add({ pieces, words }: EventView): void {
    const seen = new Set<string>();
    for (let at = 0; at < words.count; at++) {
      const { field, text } = pieces[words.pieces[at]!]!;
      seen.add(`${field}=${text.slice(words.starts[at], words.ends[at])}`);
    }
    for (const word of seen) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  of(field: string, word: string): number {
    return this.#counts.get(`${field}=${word}`) ?? 0;
  }
}

interface Choice {
  readonly keys: readonly FieldText[];
  readonly count: number;
}

const NONE: Choice = { keys: [], count: Number.POSITIVE_INFINITY };

/** Texts of which every match holds one. Empty where a rule can match without any. */
export const keysOf = (query: Query, counts: WordCounts): readonly FieldText[] => choose(query, counts).keys;

function choose(query: Query, counts: WordCounts): Choice {
  switch (query.kind) {
    case 'term':
      return wordKey(query.field, query.term, counts);
    case 'phrase':
      return rarest(query.terms.filter((term) => term !== null).map((term) => wordKey(query.field, term, counts)));
    case 'all':
      return rarest(query.of.map((part) => choose(part, counts)));
    case 'any':
      return together(query.of.map((part) => choose(part, counts)));
    default:
      return NONE;
  }
}

const wordKey = (field: string, text: string, counts: WordCounts): Choice => ({
  keys: [{ field, text }],
  count: counts.of(field, text),
});

const rarest = (choices: readonly Choice[]): Choice =>
  choices.reduce((best, one) => (one.count < best.count ? one : best), NONE);

function together(choices: readonly Choice[]): Choice {
  const count = choices.reduce((sum, one) => sum + one.count, 0);
  return count === Number.POSITIVE_INFINITY ? NONE : { keys: choices.flatMap(({ keys }) => keys), count };
}
