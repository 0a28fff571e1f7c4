/**
 * Tries the texts of a rule on events of the past, one after another. It goes on from what was kept: events, split at any
 * place into several turns, give the same result as in one.
 */
import type { Platform } from '../../domain/platform.ts';
import { PLATFORMS } from '../../domain/platform.ts';
import { isDemo } from '../../domain/source.ts';
import { isLong } from '../../engine/core/match-budget.ts';
import { type EventView, isRejection, type Rejection } from '../../engine/events/event-view.ts';
import { highlights } from '../../engine/explain/highlights.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Language } from '../../rules/language.ts';
import { all, EVERYTHING, type Query } from '../../rules/query.ts';
import { flagsQueryOf, type RuleText, type Texts } from '../../rules/rule-text.ts';
import type { StoryEvent } from '../../signal/stories.ts';
import { askedWordsIn, comparedEvent, storyEventOf, storyTextOf, wordPlaces } from '../../signal/story-text.ts';
import { HistoryError, type HistoryEvent } from '../../sources/history/history.ts';
import type { RehearsalSample } from '../../store/store.ts';
import { clauseMatcher, type FailedClause } from '../ingest/clause-matcher.ts';
import { createAnalysis, decideInSlices, prepareLookup } from '../ingest/long-events.ts';
import { postIdOf } from '../ingest/payloads.ts';
import { failedAtGlance } from './glance.ts';
import { createSamples, type Samples } from './samples.ts';
import { createStoryTally, type StoryTally, tellInOrder, type UntoldEvent } from './story-tally.ts';
import { countEvent, countMatch, type KeptTally, keepTally, newTally, type RehearsalTally, tallyOf } from './tally.ts';

/** A highlight step costs so many words. */
const STEP_COST = 0.2;

export type RehearsalState = Partial<Record<Platform, KeptTally>> & { readonly unreadable: number };

export interface RehearsedEvent extends HistoryEvent {
  /** The id that it is stored by, where it is stored. */
  readonly postId?: string | undefined;
}

export interface Rehearser {
  /** Answers the work that the event took, in words. Events are given one after another. */
  take(event: RehearsedEvent): number | Promise<number>;
  /** After the last of events that came newest first. Answers the newest post of each of the largest stories, with its number. */
  tellStories(platform: Platform, checkpoint: () => void): Map<string, number>;
  /** Shows an event for its story. */
  showStory(number: number, sample: SampleDraft): void;
  passUnreadable(records: number): void;
  readonly events: number;
  state(isDone: boolean): RehearsalState;
  samples(): RehearsalSample[];
}

/** The result of a rehearsal so far, as plain data. */
export interface Rehearsed {
  readonly events: number;
  readonly tally: RehearsalState;
  readonly samples: readonly RehearsalSample[];
}

export const foundBy = (rehearser: Rehearser, isDone: boolean): Rehearsed => ({
  events: rehearser.events,
  tally: rehearser.state(isDone),
  samples: rehearser.samples(),
});

export interface RehearserOptions {
  readonly texts: Texts;
  readonly languages: Readonly<Record<Platform, Language>>;
  readonly kept?: { readonly state: RehearsalState; readonly samples: readonly RehearsalSample[] } | undefined;
  /** Stories are told in the order of time: those of events that come newest first wait for `tellStories`. */
  readonly isNewestFirst?: boolean | undefined;
}

export function createRehearser({ texts, languages, kept, isNewestFirst }: RehearserOptions): Rehearser {
  const trials = new Map<Platform, Trial>();
  for (const platform of PLATFORMS) {
    const text = texts[platform];
    const samples = kept?.samples.filter((sample) => sample.platform === platform);
    if (text !== undefined)
      trials.set(
        platform,
        createTrial(languages[platform], text, { tally: kept?.state[platform], samples, isNewestFirst }),
      );
  }
  let unreadable = kept?.state.unreadable ?? 0;
  const sum = (of: (tally: RehearsalTally) => number) =>
    [...trials.values()].reduce((total, { tally }) => total + of(tally), 0);
  return {
    take: (event) => trials.get(event.platform)?.take(event) ?? 0,
    tellStories(platform, checkpoint) {
      const { stories, untold } = trials.get(platform)!;
      return tellInOrder(stories, untold, checkpoint);
    },
    showStory: (number, sample) => trials.get(sample.platform)!.samples.story(number, undefined, sample),
    passUnreadable(records) {
      unreadable += records;
    },
    get events() {
      return sum(({ events }) => events) + unreadable;
    },
    state: (isDone) => ({
      ...Object.fromEntries(
        [...trials].map(([name, { tally, stories }]) => [name, keepTally(tally, stories.keep(isDone))]),
      ),
      unreadable,
    }),
    samples: () => [...trials.values()].flatMap(({ samples }) => samples.all()),
  };
}

interface Trial {
  readonly tally: RehearsalTally;
  readonly stories: StoryTally;
  readonly samples: Samples;
  readonly untold: readonly UntoldEvent[];
  take(event: RehearsedEvent): number | Promise<number>;
}

interface TrialOptions {
  readonly tally: KeptTally | undefined;
  readonly samples: readonly RehearsalSample[] | undefined;
  readonly isNewestFirst: boolean | undefined;
}

function createTrial(
  language: Language,
  text: RuleText,
  { tally: kept, samples: shown, isNewestFirst }: TrialOptions,
): Trial {
  const platform = language.name;
  const clauses = language.clauses(text.value);
  // Without a clause everything would match.
  if (clauses.length === 0) throw new HistoryError('The rule can no longer be read by this version.');
  const also = platform === 'firehose' ? flagsQueryOf(text.flags) : EVERYTHING;
  const whole = all([...clauses.map(({ query }) => query), also]);
  const analyze = createAnalysis(platform);
  const tally = kept === undefined ? newTally(clauses.length) : tallyOf(kept);
  const stories = createStoryTally(kept?.stories);
  const samples = createSamples(shown);
  const untold: UntoldEvent[] = [];
  /** Live events are judged when they arrive, so those of the past are judged as of then. */
  let moment = 0;
  const failing = clauseMatcher({ clauses, also, now: () => moment });

  /** False when the payload has to be looked at. */
  function passAtGlance({ glance, at, source }: HistoryEvent): boolean {
    if (glance === undefined || also !== EVERYTHING) return false;
    const failed = failedAtGlance(clauses, glance);
    if (failed === undefined || (failed !== 'several' && takesMiss(failed))) return false;
    countEvent(tally, at, isDemo({ source }));
    if (failed !== 'several') tally.missed[failed]!++;
    return true;
  }

  /** The misses of a rule of one clause are all other events: they say nothing. */
  const takesMiss = (failed: number): boolean => clauses.length > 1 && samples.takesMiss(failed);

  function judge(view: EventView | Rejection, { payload, at: arrived, source, postId }: RehearsedEvent) {
    const isInvented = isDemo({ source });
    if (isRejection(view)) {
      countEvent(tally, arrived, isInvented);
      tally.rejected++;
      return 0;
    }
    const at = arrived ?? view.publishedAt;
    countEvent(tally, at, isInvented);
    moment = at ?? 0;
    const event: Seen = { platform, payload, view, at, moment, source, postId };
    return isLong(view) ? judgeLong(event) : note(failing(view), event);
  }

  /** A phrase of a long text may take seconds to decide, and this may be the thread that answers requests. */
  async function judgeLong(event: Seen): Promise<number> {
    const lookup = new ViewLookup(event.view, event.moment);
    const steps = await decideInSlices(whole, lookup);
    return STEP_COST * steps + (await note(failing(event.view, lookup), event));
  }

  function note(failed: FailedClause, event: Seen): number | Promise<number> {
    const words = event.view.words.count + clauses.length;
    if (failed === 'several') return words;
    if (failed === 'none') return noteMatch(event, words);
    tally.missed[failed]!++;
    return takesMiss(failed) ? noteMiss(event, failed, words) : words;
  }

  async function noteMatch(event: Seen, words: number): Promise<number> {
    const { at, payload, source } = event;
    countMatch(tally, { at, platform, payload, isInvented: isDemo({ source }) });
    const { sample, steps } = await show(whole, event);
    if (samples.takesMatch(at)) samples.match(sample);
    const story = storyEventIn(sample);
    if (isNewestFirst) untold.push({ postId: sample.postId, event: story });
    else tellStory({ stories, samples }, story, sample);
    return words + STEP_COST * steps;
  }

  async function noteMiss(event: Seen, failed: number, words: number): Promise<number> {
    const others = all(clauses.filter((_, at) => at !== failed).map(({ query }) => query));
    const { sample, steps } = await show(others, event);
    samples.miss(failed, sample);
    return words + STEP_COST * steps;
  }

  return {
    tally,
    stories,
    samples,
    untold,
    take(event) {
      if (passAtGlance(event)) return clauses.length;
      const view = analyze(event.payload);
      return view instanceof Promise ? view.then((one) => judge(one, event)) : judge(view, event);
    },
  };
}

/** An event that is looked at. */
interface Seen {
  readonly platform: Platform;
  readonly payload: RehearsalSample['payload'];
  readonly view: EventView;
  readonly at: number | undefined;
  /** When it is judged. */
  readonly moment: number;
  readonly source: string | undefined;
  readonly postId: string | undefined;
}

type SampleDraft = Omit<RehearsalSample, 'kind'>;
interface Shown {
  readonly sample: SampleDraft;
  readonly steps: number;
}

async function show(query: Query, event: Seen): Promise<Shown> {
  const lookup = new ViewLookup(event.view, event.moment);
  await prepareLookup(lookup);
  return { sample: sampleOf(event, highlights(query, lookup)), steps: lookup.steps };
}

const sampleOf = (
  { platform, payload, view, postId, at, source }: Seen,
  marks: RehearsalSample['highlights'],
): SampleDraft => ({
  platform,
  postId: postId ?? postIdOf(platform, payload, view.id),
  at: at === undefined ? undefined : new Date(at),
  source,
  payload,
  highlights: marks,
});

/** As the store does with matches: the words that the rule asked for tell no story. */
function storyEventIn({ platform, payload, postId, at, highlights: marks }: SampleDraft): StoryEvent {
  const text = storyTextOf(platform, payload, { postId });
  const now = at?.getTime() ?? text.at ?? 0;
  const told = comparedEvent(platform, text);
  return storyEventOf(told, now, wordPlaces(askedWordsIn(payload)(marks), told.words));
}

function tellStory(
  { stories, samples }: Pick<Trial, 'stories' | 'samples'>,
  event: StoryEvent,
  sample: SampleDraft,
): void {
  const { story, isNewLargest, left } = stories.put(event);
  if (isNewLargest) samples.story(story.number, left?.number, sample);
}
