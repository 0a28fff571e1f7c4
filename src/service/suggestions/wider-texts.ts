/** Wider forms of a rule: what recent events that it nearly matched speak for. */
import type { StoredMatch } from '../../domain/match.ts';
import type { RuleClause } from '../../rules/analysis/clauses.ts';
import type { Language } from '../../rules/language.ts';
import { tracesOf } from '../../signal/features.ts';
import { shownText } from '../../signal/shown-text.ts';
import { termsOf } from '../../signal/terms.ts';
import { isVariantOf } from '../../signal/word-forms.ts';
import type { Misses } from '../previews/misses-on-recent.ts';
import type { Relevance } from '../reader/relevance.ts';
import { type ChangedText, orElse, without } from './changed-texts.ts';

/** A form of a word must be in this many events that were nearly matched. */
const MIN_SEEN = 2;
const MAX_WIDER = 4;

/** `like`: a match of the rule, which says what its relevance rests on. */
export async function widerTexts(
  { language, value, relevance }: { language: Language; value: string; relevance: Pick<Relevance, 'score'> },
  { clauses }: Misses,
  like: StoredMatch | undefined,
  usual: number | undefined,
): Promise<ChangedText[]> {
  const all = language.clauses(value);
  const wider: ChangedText[] = [];
  for (const [index, { missed, samples }] of clauses.entries()) {
    const clause = all[index]!;
    const texts = samples.map(({ payload }) => shownText(language.name, payload));
    for (const term of variantsIn(clause, texts)) push(wider, orElse(language, value, all, { clause, term }));
    if (missed < MIN_SEEN || like === undefined || usual === undefined) continue;
    const scores = await Promise.all(texts.map((text) => relevance.score(like, { traces: tracesOf(text) })));
    const mean = scores.reduce<number>((sum, score) => sum + (score ?? 0), 0) / scores.length;
    if (scores.length >= MIN_SEEN && mean >= usual) push(wider, without(language, value, all, clause));
  }
  return wider.slice(0, MAX_WIDER);
}

function push(list: ChangedText[], one: ChangedText | undefined): void {
  if (one !== undefined) list.push(one);
}

function variantsIn({ query }: RuleClause, texts: readonly string[]): string[] {
  if (query.kind !== 'term') return [];
  const seen = new Map<string, number>();
  for (const text of texts)
    for (const term of termsOf(text))
      if (!term.includes(' ') && isVariantOf(query.term, term)) seen.set(term, (seen.get(term) ?? 0) + 1);
  return [...seen]
    .filter(([, times]) => times >= MIN_SEEN)
    .toSorted(([one, times], [other, more]) => more - times || (one < other ? -1 : 1))
    .map(([term]) => term)
    .slice(0, 2);
}
