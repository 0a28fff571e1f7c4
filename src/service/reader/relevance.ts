/**
 * How relevant matches are. A score is made when a match is read, from a model for each rule. The model is fitted when it is
 * first needed, kept in memory, and fitted again when the rule, its ratings or its intent change.
 */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import { createLru } from '../../base/lru.ts';
import type { Match } from '../../domain/match.ts';
import { readTraces, tracesOf } from '../../signal/features.ts';
import { intentWords, type UsualWords, usualWordsOf } from '../../signal/prior.ts';
import { type RelevanceModel, relevanceModel, type WeightedWord } from '../../signal/relevance.ts';
import { shownText } from '../../signal/shown-text.ts';
import type { Store } from '../../store/store.ts';
import { MAX_RATINGS } from '../limits.ts';

export interface Relevance {
  /** The same matches; those whose rule has an intent or ratings have a relevance. */
  scored(matches: readonly Match[]): Promise<Match[]>;
  /** The words that speak for or against a match. */
  words(match: Match): Promise<readonly WeightedWord[]>;
}

interface Fitted {
  readonly version: number;
  readonly at: number;
  readonly words: number;
  /** Undefined: there is nothing to go by. */
  readonly model: Promise<RelevanceModel | undefined>;
}

/** Words of all models that are kept, of about 40 bytes each: 200 models of rated rules, or 20,000 of rules without ratings. */
const MAX_HELD_WORDS = 1_200_000;
const RATED_WORDS = 6_000;
const UNRATED_WORDS = 60;
/** The newest matches, by which a model knows what is usual for the rule. */
const USUAL_MATCHES = 300;
const USUAL_BYTES = 4 * 1024 * 1024;
/** What is usual changes with the stream. */
const FRESH_MS = 60 * 60 * 1_000;
/** Characters of payloads between two pauses, some milliseconds of work, and the cost of a score in characters. */
const SLICE = 1_000_000;
const SCORE_COST = 2_000;

const NO_USUAL = usualWordsOf([]);

type Reads = Pick<Store, 'ratedRule' | 'matches'>;

export function createRelevance({ store, clock }: { store: Reads; clock: Clock }): Relevance {
  const models = createLru<string, Fitted>({ limit: MAX_HELD_WORDS, weightOf: ({ words }) => words });

  function modelOf({ ruleId, relevanceVersion = 0 }: Match): Promise<RelevanceModel | undefined> | undefined {
    if (relevanceVersion === 0) return undefined;
    const now = clock.now().getTime();
    const known = models.get(ruleId);
    // A page that was read before a change may have an older version than the model.
    if (known !== undefined && known.version >= relevanceVersion && now - known.at < FRESH_MS) return known.model;
    const fitting = fitModel(store, ruleId);
    const model = modelIn(fitting);
    const fitted = { version: relevanceVersion, at: now, words: RATED_WORDS, model };
    models.set(ruleId, fitted);
    void settle(ruleId, fitted, fitting);
    return model;
  }

  /** What the model weighs is known once it is fitted; one that could not be is fitted at the next read. */
  async function settle(ruleId: string, fitted: Fitted, fitting: Promise<Fit>): Promise<void> {
    const fit = await fitting.catch(() => undefined);
    if (models.get(ruleId) !== fitted) return;
    if (fit === undefined) models.delete(ruleId);
    else if (!fit.isRated) models.set(ruleId, { ...fitted, words: UNRATED_WORDS });
  }

  return {
    async scored(matches) {
      const scored: Match[] = [];
      const pause = createPauses(SLICE);
      for (const match of matches) {
        const fitting = modelOf(match);
        const model = fitting && (await fitting);
        scored.push(model === undefined ? match : withRelevance(match, model));
        const pausing = model && pause(SCORE_COST + (match.json?.length ?? 0));
        if (pausing !== undefined) await pausing;
      }
      return scored;
    },
    async words(match) {
      const model = await modelOf(match);
      return model === undefined ? [] : model.words(textOf(match));
    },
  };
}

const textOf = ({ platform, payload }: Match): string => shownText(platform, payload);

/** The payload of a stored match is parsed when it is asked for, so the match is not copied. */
const withRelevance = (match: Match, model: RelevanceModel): Match =>
  Object.assign(match, { relevance: model.score(tracesOf(textOf(match))) });

const modelIn = async (fitting: Promise<Fit>): Promise<RelevanceModel | undefined> => (await fitting).model;

interface Fit {
  readonly isRated: boolean;
  readonly model: RelevanceModel | undefined;
}

async function fitModel(store: Reads, ruleId: string): Promise<Fit> {
  const rated = await store.ratedRule(ruleId, MAX_RATINGS);
  if (rated === undefined) return { isRated: false, model: undefined };
  const { rule, ratings } = rated;
  // Most rules of a large account have an intent and no rating: their model reads no matches, so that a page of many rules is cheap.
  if (ratings.length === 0) {
    const intent = intentWords(rule.intent, NO_USUAL);
    return { isRated: false, model: rule.intent === '' ? undefined : relevanceModel([], { usual: NO_USUAL, intent }) };
  }
  const known = ratings.flatMap(({ rating, traces }) => {
    const read = readTraces(traces);
    return read === undefined ? [] : [{ traces: read, relevant: rating === 'relevant' }];
  });
  const usual = await usualOf(store, rule);
  await setImmediate();
  return { isRated: true, model: relevanceModel(known, { usual, intent: intentWords(rule.intent, usual) }) };
}

async function usualOf(store: Reads, { accountId, id }: { accountId: string; id: string }): Promise<UsualWords> {
  const { matches } = await store.matches({ accountId, ruleId: id, limit: USUAL_MATCHES, bytes: USUAL_BYTES });
  return usualWordsOf(matches.map((match) => tracesOf(textOf(match))));
}

/** The store, with the relevance of every match that is read from it. */
export function withScores(store: Store, relevance: Relevance): Store {
  const reads: Pick<Store, 'matches' | 'match' | 'matchesAfter' | 'owedMatches' | 'stories'> = {
    async matches(query) {
      const page = await store.matches(query);
      return { ...page, matches: await relevance.scored(page.matches) };
    },
    async match(accountId, matchId) {
      const match = await store.match(accountId, matchId);
      return match && (await relevance.scored([match]))[0];
    },
    async matchesAfter(query) {
      const page = await store.matchesAfter(query);
      return { ...page, matches: await relevance.scored(page.matches) };
    },
    async stories(query) {
      const page = await store.stories(query);
      const firsts = await relevance.scored(page.stories.map(({ first }) => first));
      return { ...page, stories: page.stories.map((story, index) => ({ ...story, first: firsts[index]! })) };
    },
    owedMatches: async (...owed) => relevance.scored(await store.owedMatches(...owed)),
  };
  const scored: Store = Object.create(store);
  return Object.assign(scored, reads);
}
