/**
 * How relevant matches are. A score is made when a match is read, from a model for each rule. The model is fitted when it is
 * first needed, kept in memory, and fitted again when the rule, its ratings or its intent change.
 */
import type { Clock } from '../../base/clock.ts';
import { piecesOf, unhurried } from '../../base/cooperate.ts';
import { createLru } from '../../base/lru.ts';
import type { Match, StoredMatch } from '../../domain/match.ts';
import { readTraces, type Traces, tracesOf } from '../../signal/features.ts';
import { intentWords, type UsualWords, usualWordsOf } from '../../signal/prior.ts';
import { type RelevanceModel, relevanceModel, type WeightedWord } from '../../signal/relevance.ts';
import { shownText } from '../../signal/shown-text.ts';
import type { Store } from '../../store/store.ts';
import { MAX_RATINGS } from '../limits.ts';
import type { ReadEvent } from './read-events.ts';

type OfRule = Pick<StoredMatch, 'ruleId' | 'relevanceVersion'>;
type Traced = Pick<ReadEvent, 'traces'>;

export interface Relevance {
  /** The basis that a match is judged on now: as long as it is the same object, the judgement of the same event is the same. */
  basis(match: OfRule): object | undefined;
  /** How relevant a match is, by the traces of its event; undefined where its rule has neither an intent nor ratings. */
  score(match: OfRule, event: Traced): Promise<number | undefined>;
  /** The score of a match with its reason. */
  judge(match: OfRule, event: Traced): Promise<JudgedRelevance>;
  /** The words that speak for or against a match. */
  words(match: StoredMatch): Promise<readonly WeightedWord[]>;
}

export type JudgedRelevance = Pick<Match, 'relevance' | 'relevanceBasis' | 'relevanceReason'>;

interface Fitted {
  readonly version: number;
  readonly at: number;
  readonly words: number;
  /** It is undefined when there is nothing to go by. */
  readonly model: Promise<RelevanceModel | undefined>;
}

/** Words of all models that are kept, of about 40 bytes each: 200 models of rated rules, or 20,000 of rules without ratings. */
const MAX_HELD_WORDS = 1_200_000;
const RATED_WORDS = 6_000;
const UNRATED_WORDS = 60;
/** The newest matches, by which a model knows what is usual for the rule. */
const USUAL_MATCHES = 300;
const USUAL_BYTES = 4 * 1024 * 1024;
/** Words that are usual change with the stream. */
const FRESH_MS = 60 * 60 * 1_000;
/** Rules whose usual words are kept beside their models: a rating changes the model, and not what is usual. */
const MOST_USUAL = 100;

const NO_USUAL = usualWordsOf([]);

type Reads = Pick<Store, 'ratedRule' | 'matches'>;

export function createRelevance({ store, clock }: { store: Reads; clock: Clock }): Relevance {
  const models = createLru<string, Fitted>({ limit: MAX_HELD_WORDS, weightOf: ({ words }) => words });
  const usualOf = createUsual(store, clock);

  function modelOf({ ruleId, relevanceVersion = 0 }: OfRule): Promise<RelevanceModel | undefined> | undefined {
    if (relevanceVersion === 0) return undefined;
    const now = clock.now().getTime();
    const known = models.get(ruleId);
    // A page that was read before a change may have an older version than the model.
    if (known !== undefined && known.version >= relevanceVersion && now - known.at < FRESH_MS) return known.model;
    const fitting = fitModel(store, ruleId, usualOf);
    const model = modelIn(fitting);
    const fitted = { version: relevanceVersion, at: now, words: RATED_WORDS, model };
    models.set(ruleId, fitted);
    void settle(ruleId, fitted, fitting);
    return model;
  }

  /** The number of words is known once the model is fitted; one that could not be is fitted at the next read. */
  async function settle(ruleId: string, fitted: Fitted, fitting: Promise<Fit>): Promise<void> {
    const fit = await fitting.catch(() => undefined);
    if (models.get(ruleId) !== fitted) return;
    if (fit === undefined) models.delete(ruleId);
    else if (!fit.isRated) models.set(ruleId, { ...fitted, words: UNRATED_WORDS });
  }

  return {
    basis: modelOf,
    score: async (match, event) => (await modelOf(match))?.score(event.traces),
    judge: async (match, event) => judgedBy(await modelOf(match), event),
    words: async (match) => (await modelOf(match))?.words(textOf(match)) ?? [],
  };
}

/** Traces are made when they are asked for: not for a rule without a model. */
function judgedBy(model: RelevanceModel | undefined, event: Traced): JudgedRelevance {
  if (model === undefined) return {};
  const { score, basis, reason } = model.judge(event.traces);
  return { relevance: score, relevanceBasis: basis, relevanceReason: reason };
}

const textOf = ({ platform, payload }: StoredMatch): string => shownText(platform, payload);

const modelIn = async (fitting: Promise<Fit>): Promise<RelevanceModel | undefined> => (await fitting).model;

interface Fit {
  readonly isRated: boolean;
  readonly model: RelevanceModel | undefined;
}

async function fitModel(store: Reads, ruleId: string, usualOf: ReturnType<typeof createUsual>): Promise<Fit> {
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
  const usual = await usualOf(rule);
  return { isRated: true, model: relevanceModel(known, { usual, intent: intentWords(rule.intent, usual) }) };
}

interface RuleOf {
  readonly id: string;
  readonly accountId: string;
}

/** Finds the usual words of a rule: anew each time where it has few matches, since each of them counts. */
function createUsual(store: Reads, clock: Clock): (rule: RuleOf) => Promise<UsualWords> {
  const kept = createLru<string, { readonly words: UsualWords; readonly at: number }>({ limit: MOST_USUAL });
  return async (rule) => {
    const at = clock.now().getTime();
    const known = kept.get(rule.id);
    if (known !== undefined && at - known.at < FRESH_MS) return known.words;
    const { words, isPart } = await usualIn(store, rule);
    if (isPart) kept.set(rule.id, { words, at });
    return words;
  };
}

/** `isPart`: there are older matches, too. */
async function usualIn(store: Reads, { id, accountId }: RuleOf): Promise<{ words: UsualWords; isPart: boolean }> {
  const page = await store.matches({ accountId, ruleId: id, limit: USUAL_MATCHES, bytes: USUAL_BYTES });
  const traces: Traces[] = [];
  for await (const match of unhurried(page.matches, ({ json }) => 1 + piecesOf(json)))
    traces.push(tracesOf(textOf(match)));
  return { words: usualWordsOf(traces), isPart: page.next !== undefined };
}
