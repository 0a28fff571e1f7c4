/** The smallest changes of a rule with which it matches an event that it missed: texts whose parts are made wider, part by part. */
import type { RuleFlags } from '../../domain/rule.ts';
import { FIELDS_OF_ONE_VALUE, nearTo } from '../../engine/explain/near.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import type { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { type Language, termTexts } from '../../rules/language.ts';
import { all, any, EVERYTHING, not, type Predicate, type Query } from '../../rules/query.ts';
import { flagsQueryOf, type RuleText } from '../../rules/rule-text.ts';
import { isTelling, termsOf } from '../../signal/terms.ts';
import { isVariantOf } from '../../signal/words.ts';
import { type ChangedText, widened } from './changed-texts.ts';

/** Wider forms of one part that are looked at, and of the whole rule that are tried on recent events. */
const MAX_FORMS = 6;
const MAX_TRIED = 12;
/** Ways to widen several parts together that are kept, the nearest first. */
const MAX_WAYS = 64;
/** Words of the event that are offered where a part has no like word. */
const MAX_WORDS = 4;
/** Words of an event that are looked at. */
const WORDS_LOOKED_AT = 20_000;

export interface NearChange extends ChangedText {
  readonly query: Query;
  /** Flags that must change too. */
  readonly flags?: RuleFlags | undefined;
}

interface Widening {
  readonly language: Language;
  readonly lookup: ViewLookup;
  /** The text of the event that people read. */
  readonly text: string;
}

/** The nearest first. The event is a match of each of them. */
export function nearChanges(widening: Widening, { value, flags }: RuleText): NearChange[] {
  const { language, lookup } = widening;
  const clauses = language.clauses(value);
  const wider = new Parts(widening, clauses.filter(({ query }) => !queryHolds(query, lookup)).length === 1);
  const ways = combined(clauses.map(({ query }) => wider.formsOf(query)));
  const changedFlags = language.name === 'firehose' ? flagsFor(flags, lookup) : undefined;
  if (changedFlags === null) return [];
  const also = language.name === 'firehose' ? flagsQueryOf(changedFlags ?? flags) : EVERYTHING;
  const found = new Map<string, NearChange>();
  for (const way of ways) {
    if (found.size === MAX_TRIED) break;
    const forms = new Map(clauses.map((clause, at) => [clause, way[at]!]));
    const changed = widened(language, value, forms);
    if (changed === undefined || found.has(changed.value)) continue;
    const query = all([language.queryOf(changed.value)!, also]);
    if (queryHolds(query, lookup)) found.set(changed.value, { ...changed, query, flags: changedFlags });
  }
  return [...found.values()];
}

/** The flags with which the event is let in; undefined where those of the rule do, and null where none do. */
function flagsFor(flags: RuleFlags, lookup: ViewLookup): RuleFlags | undefined | null {
  if (queryHolds(flagsQueryOf(flags), lookup)) return undefined;
  const others = [{ quality: false }, { nsfw: true }, { quality: false, nsfw: true }].map((one) => ({
    ...flags,
    ...one,
  }));
  return others.find((one) => queryHolds(flagsQueryOf(one), lookup)) ?? null;
}

class Parts {
  readonly #widening: Widening;
  readonly #words: readonly Query[];

  constructor(widening: Widening, mayAddWords: boolean) {
    this.#widening = widening;
    const terms = [...termsOf(widening.text)].filter((term) => /^\p{L}[^ ]*$/u.test(term) && isTelling(term));
    const longest = terms.toSorted((one, other) => other.length - one.length).slice(0, MAX_WORDS);
    this.#words = mayAddWords ? longest.flatMap((term) => this.#wordQuery(term)) : [];
  }

  /** Forms of a part that hold for the event, the nearest first. `EVERYTHING` stands for leaving the part out. */
  formsOf(query: Query): readonly Query[] {
    if (queryHolds(query, this.#widening.lookup)) return [query];
    const wider = this.#widerForms(query);
    const forms = wider.length === 0 && asksForText(query) ? this.#words.map((word) => any([query, word])) : wider;
    return [...forms.slice(0, MAX_FORMS), EVERYTHING];
  }

  #widerForms(query: Query): readonly Query[] {
    switch (query.kind) {
      case 'all':
        return combined(query.of.map((part) => this.formsOf(part))).map(all);
      case 'any':
        return this.#widerBranches(query.of);
      case 'not':
        return this.#fewerExclusions(query.query);
      case 'term':
        return this.#otherTerms(query);
      case 'phrase':
      case 'literal':
        return this.#wordsApart(query);
      case 'number':
        return this.#widerRange(query);
      default:
        return [];
    }
  }

  #widerBranches(of: readonly Query[]): readonly Query[] {
    return of.flatMap((branch, at) => {
      const forms = this.#widerForms(branch).filter((form) => form.kind !== 'everything');
      return forms.map((form) => any(of.with(at, form)));
    });
  }

  #fewerExclusions(excluded: Query): readonly Query[] {
    if (excluded.kind !== 'any') return [];
    return [not(any(excluded.of.filter((one) => !queryHolds(one, this.#widening.lookup))))];
  }

  #otherTerms(query: Extract<Query, { kind: 'term' }>): readonly Query[] {
    const { lookup, text } = this.#widening;
    // Which of many: that one more is meant is a small change.
    if (FIELDS_OF_ONE_VALUE.has(query.field)) return this.#valuesThere(query.field).map((value) => any([query, value]));
    if (!TEXT_FIELDS.has(query.field)) return [];
    const like = [...nearTo(query, lookup, { words: WORDS_LOOKED_AT }), ...termsOf(text)].filter(
      (term) => !term.includes(' ') && (isVariantOf(query.term, term) || term.startsWith(query.term)),
    );
    return [...new Set(like)].flatMap((term) => this.#wordQuery(term)).map((form) => any([query, form]));
  }

  #valuesThere(field: string): readonly Query[] {
    const { view } = this.#widening.lookup;
    const values = view.pieces.filter((piece) => piece.field === field).map(({ text: term }) => term);
    return [...new Set(values)].slice(0, 1).map((term): Query => ({ kind: 'term', field, term }));
  }

  /** The words of a phrase, wherever they stand. */
  #wordsApart({ field, terms }: Extract<Predicate, { terms: unknown }>): readonly Query[] {
    const words = terms.flatMap((term): Query[] => (term === null ? [] : [{ kind: 'term', field, term }]));
    const apart = all(words);
    return queryHolds(apart, this.#widening.lookup) ? [apart] : [];
  }

  #widerRange(query: Extract<Query, { kind: 'number' }>): readonly Query[] {
    const { numbers } = this.#widening.lookup.view;
    const there = numbers.find(({ field }) => field === query.field)?.value;
    if (there === undefined) return [];
    const bound = { value: there, inclusive: true };
    const { from } = query;
    return [from !== undefined && there <= from.value ? { ...query, from: bound } : { ...query, to: bound }];
  }

  /** A query for a word that the event has: in its text, else in its title. */
  #wordQuery(term: string): Query[] {
    const { language, lookup } = this.#widening;
    const form = termTexts(language, term).find(({ query }) => queryHolds(query, lookup));
    return form === undefined ? [] : [form.query];
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'added', 'title']);

/** Whether another word may stand beside it. */
function asksForText(query: Query): boolean {
  if (query.kind === 'any' || query.kind === 'all') return query.of.some(asksForText);
  return (query.kind === 'term' || query.kind === 'phrase' || query.kind === 'literal') && TEXT_FIELDS.has(query.field);
}

/** One form of each part, in every way, those with the nearest forms first. */
function combined<T>(parts: readonly (readonly T[])[]): T[][] {
  let ways: { readonly forms: T[]; readonly rank: number }[] = [{ forms: [], rank: 0 }];
  for (const forms of parts) {
    ways = ways
      .flatMap((way) => forms.map((form, at) => ({ forms: [...way.forms, form], rank: way.rank + at })))
      .toSorted((one, other) => one.rank - other.rank)
      .slice(0, MAX_WAYS);
  }
  return ways.map(({ forms }) => forms);
}
