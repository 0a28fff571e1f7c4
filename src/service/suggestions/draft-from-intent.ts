/**
 * Rules that an intent asks for: its names, and its other words in their usual forms. Names, or else the rarest word, must be
 * there, and one of the other words with them; alternatives ask for all names, for all words, and for one name alone. Examples say which
 * of these is meant: what is unwanted is excluded by the words that take the fewest other events, and what is wanted and would
 * be missed is added.
 */
import { termTexts, textOfQuery } from '../../rules/language.ts';
import { all, any, not, type Query } from '../../rules/query.ts';
import { termsOf } from '../../signal/terms.ts';
import { IS_UNSPACED, otherForms, usualForms } from '../../signal/words.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadContext } from '../context.ts';
import { namedIn, readIntent } from '../rules/intent-lint.ts';
import {
  type DraftedRule,
  draftFromExamples,
  type Examples,
  fitsOf,
  termCandidates,
  type Work,
} from './draft-from-examples.ts';
import { tryChanges } from './try-changes.ts';

const MAX_WORDS = 6;
const MAX_RULED_OUT = 4;
/** Forms of a word beside the usual ones. */
const MAX_OTHER_FORMS = 3;
/** When so many events have another form of the word, a form that none of them has is not used: "internets". */
const ENOUGH_TO_SAY_NEVER = 50;
/** Terms by which something unwanted is excluded, and those that are tried for it. */
const MAX_EXCLUDED = 3;
const MAX_TRIED = 24;

export interface Recent {
  /** How many recent events match each query. */
  count(queries: readonly Query[]): Promise<readonly number[]>;
}

export function countsOnRecent(context: ReadContext, { account, grant }: Caller, work: Work): Recent {
  const { store, settings, clock } = context;
  const {
    language: { name: platform },
    checkpoint,
  } = work;
  return {
    async count(queries) {
      // Recent events are not those of some rules: what an agent that is limited to some rules gets is as if there were none.
      if (queries.length === 0 || grant?.ruleIds !== undefined) return queries.map(() => 0);
      const recent = store.recentEvents(account.id, platform, settings.recentEvents);
      const rule = { platform, query: { kind: 'nothing' } as const, clock, checkpoint };
      return (
        await tryChanges(
          recent,
          rule,
          queries.map((query) => ({ query })),
        )
      ).added.map((added) => added.all);
    },
  };
}

/** The best first; none where the intent has no word by which a rule could find anything. */
export async function draftFromIntent(
  work: Work,
  recent: Recent,
  intent: string,
  examples: Examples,
): Promise<DraftedRule[]> {
  const seeds = await seedsOf(work, recent, intent);
  const queries: Query[] = [...seeds];
  for (const seed of seeds) queries.push(...(await refined(work, recent, { seed, intent, examples })));
  const values = queries.flatMap((query) => textOfQuery(work.language, query) ?? []);
  const learned = examples.wanted.length === 0 ? [] : draftFromExamples(work, examples).map(({ value }) => value);
  const drafted = fitsOf(work, [...new Set([...values, ...learned])], examples);
  return drafted.toSorted((one, other) => mistakesOf(one) - mistakesOf(other));
}

const mistakesOf = ({ fit }: DraftedRule): number => fit.wanted - fit.wanted_matched + fit.unwanted_matched;

/** The queries that the words of the intent ask for, the likeliest first. */
async function seedsOf(work: Work, recent: Recent, intent: string): Promise<Query[]> {
  const { names, words, ruledOut, languages } = readIntent(intent);
  const named = names.flatMap((name) => termQuery(work, [name]) ?? []);
  const grouped = await wordGroups(work, recent, words.flatMap(spacedWords).slice(0, MAX_WORDS));
  const rarest =
    grouped.filter(({ seen }) => seen > 0).toSorted((one, other) => one.seen - other.seen)[0] ?? grouped[0];
  const anchor = named.length > 0 ? any(named) : rarest?.query;
  if (anchor === undefined) return [];
  const others = grouped.map(({ query }) => query).filter((query) => query !== anchor);
  const besides = [
    ...languages.flatMap((codes) => languageQuery(work, anchor, codes) ?? []),
    ...ruledOut
      .slice(0, MAX_RULED_OUT)
      .flatMap(usualForms)
      .flatMap((form) => termTexts(work.language, form).map(({ query }) => not(query))),
  ];
  const whole = named.length > 0 ? named : [anchor];
  const some = others.length === 0 ? [] : [any(others)];
  const wanted = [[anchor, ...some], [...whole, ...some], [...whole, ...others], [anchor]];
  return wanted.map((parts) => all([...parts, ...besides]));
}

/** A script without spaces has its words in one run; of those that lie in each other, the shortest are words. */
function spacedWords(word: string): string[] {
  if (!IS_UNSPACED.test(word)) return [word];
  const terms = [...termsOf(word)];
  return terms.filter((term) => !terms.some((other) => other !== term && term.includes(other)));
}

interface WordGroup {
  readonly query: Query;
  /** Recent events that have one of its forms. */
  readonly seen: number;
}

/** Each word with its usual forms, and with those of its other forms that recent events have. */
async function wordGroups(work: Work, recent: Recent, words: readonly string[]): Promise<WordGroup[]> {
  const forms = words.flatMap((word) => [
    ...usualForms(word).map((form) => ({ word, form, isUsual: true })),
    ...otherForms(word).map((form) => ({ word, form, isUsual: false })),
  ]);
  const asked = forms.flatMap((one) => {
    const query = termQuery(work, [one.form]);
    return query === undefined ? [] : [{ ...one, query }];
  });
  const seen = await recent.count(asked.map(({ query }) => query));
  return words.flatMap((word) => {
    const own = asked.flatMap((one, at) => (one.word === word ? [{ ...one, seen: seen[at]! }] : []));
    const others = own
      .filter(({ isUsual, seen: times }) => !isUsual && times > 0)
      .toSorted((one, other) => other.seen - one.seen)
      .slice(0, MAX_OTHER_FORMS);
    const most = Math.max(0, ...own.map((one) => one.seen));
    const usual = own.filter(
      ({ form, isUsual, seen: times }) => isUsual && (times > 0 || form === word || most < ENOUGH_TO_SAY_NEVER),
    );
    const kept = [...usual, ...others];
    const query = termQuery(
      work,
      kept.map(({ form }) => form),
    );
    return query === undefined ? [] : [{ query, seen: kept.reduce((sum, one) => sum + one.seen, 0) }];
  });
}

/** One of the terms is there: in the text, or in the title where a language knows titles. */
function termQuery({ language }: Work, terms: readonly string[]): Query | undefined {
  const found = terms.map((term) => termTexts(language, term).map(({ query }) => query));
  const queries = [...found.flatMap(([text]) => text ?? []), ...found.flatMap(([, ...titles]) => titles)];
  return queries.length === 0 ? undefined : any(queries);
}

/** By the code that the platform knows. */
function languageQuery({ language }: Work, anchor: Query, codes: readonly string[]): Query | undefined {
  const field = language.name === 'x' ? 'lang' : 'language';
  const queries = codes.map((term): Query => ({ kind: 'term', field, term }));
  return queries.find((query) => textOfQuery(language, all([anchor, query])) !== undefined);
}

interface Refining {
  readonly seed: Query;
  readonly intent: string;
  readonly examples: Examples;
}

/** The seed without what is unwanted, and with what is wanted and would be missed. */
async function refined(work: Work, recent: Recent, { seed, intent, examples }: Refining): Promise<Query[]> {
  const text = textOfQuery(work.language, seed);
  if (text === undefined) return [];
  const [matched, missed] = partedBy(work, text, examples);
  const excluded =
    matched.unwanted.length === 0 ? [] : await exclusionsOf(work, recent, { seed, intent, examples: matched });
  const narrowed = excluded.length === 0 ? [] : [all([seed, ...excluded.map(not)])];
  if (missed.wanted.length === 0) return narrowed;
  const [more] = draftFromExamples(work, { wanted: missed.wanted, unwanted: examples.unwanted });
  const added = more && work.language.queryOf(more.value);
  return added === undefined ? narrowed : [seed, ...narrowed].map((query) => any([query, added]));
}

/** The examples that the text matches, and the others. */
function partedBy(work: Work, text: string, { wanted, unwanted }: Examples): [Examples, Examples] {
  const isMatched = (payload: Examples['wanted'][number]) =>
    fitsOf(work, [text], { wanted: [payload], unwanted: [] })[0]!.fit.wanted_matched === 1;
  const part = (is: boolean): Examples => ({
    wanted: wanted.filter((one) => isMatched(one) === is),
    unwanted: unwanted.filter((one) => isMatched(one) === is),
  });
  return [part(true), part(false)];
}

/** Terms that no wanted example has and the intent does not name: those that take the most of what is unwanted, and then the fewest recent events. */
async function exclusionsOf(work: Work, recent: Recent, { seed, intent, examples }: Refining): Promise<Query[]> {
  const { candidates, queries } = termCandidates(work, examples);
  const isNamed = namedIn(seed, intent);
  const possible = candidates
    .filter(({ terms, wanted, unwanted }) => terms.length === 1 && wanted.length === 0 && unwanted.length > 0)
    .filter(({ terms: [term] }) => !isNamed(term!.replaceAll(/"|^title:/g, '')))
    .toSorted((one, other) => other.unwanted.length - one.unwanted.length)
    .slice(0, MAX_TRIED)
    .map(({ terms: [term], unwanted }) => ({ query: queries.get(term!)!, unwanted: new Set(unwanted) }));
  const losses = await recent.count(possible.map(({ query }) => all([seed, query])));
  let left = possible.map((one, at) => ({ ...one, loss: losses[at]! }));
  const chosen: Query[] = [];
  while (left.length > 0 && chosen.length < MAX_EXCLUDED) {
    const [best] = left.toSorted((one, other) => other.unwanted.size - one.unwanted.size || one.loss - other.loss);
    chosen.push(best!.query);
    left = left
      .map((one) => ({ ...one, unwanted: new Set([...one.unwanted].filter((at) => !best!.unwanted.has(at))) }))
      .filter(({ unwanted }) => unwanted.size > 0);
  }
  return chosen;
}
