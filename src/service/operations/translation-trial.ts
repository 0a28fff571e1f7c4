/** A translation is tried: on texts made for it, and on recent events. What it misses and what it finds beside is counted. */
import { createPauses } from '../../base/cooperate.ts';
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { createEngine } from '../../engine/index/engine.ts';
import type { Query } from '../../rules/query.ts';
import { AS_WRITTEN, samplesFor } from '../../rules/translate-samples.ts';
import type { TranslationVerdict } from '../../rules/translation.ts';
import type { RecentEvent } from '../../store/store.ts';
import { pageOfContent, pageOfPost, postOf, postOfPage } from './twins.ts';

/** Texts made for a rule, and recent events, where a rule has few clauses. */
const MOST_SAMPLES = 240;
const MOST_RECENT = 1_000;
/** Clauses times events: with more clauses there are fewer events. */
const MOST_CHECKS = 40_000;
/** Words of all samples together, and of all recent events. */
const MOST_WORDS = 400_000;
/** Clauses and words between two pauses: a few milliseconds of work. */
const SLICE = 8_000;

export interface Tally {
  readonly events: number;
  /** Those that the original catches, and those that the translation does. */
  readonly original: number;
  readonly translation: number;
  /** The original catches them and the translation does not; and the other way round. */
  readonly missed: number;
  readonly extra: number;
}

export interface TranslationTrial {
  readonly samples: Tally;
  readonly recent: Tally;
  /** What is special about the samples that were missed, and about those found beside. */
  readonly misses: readonly string[];
  readonly finds: readonly string[];
  /** Predicates that were judged. */
  readonly checks: number;
}

export interface TrialRequest {
  readonly from: Platform;
  readonly original: Query;
  readonly translation: Query;
  readonly recent: AsyncIterable<readonly RecentEvent[]>;
  readonly now: Date;
  readonly signal?: AbortSignal;
}

export async function tryTranslation(request: TrialRequest): Promise<TranslationTrial> {
  const clauses = countOf(request.original) + countOf(request.translation);
  const work: Work = { clauses, pause: createPauses(SLICE), judge: judgeOf(request) };
  const { tally: samples, misses, finds } = await onSamples(request, work);
  const recent = await onRecent(request, work);
  const checks = (samples.events + recent.events) * clauses;
  return { samples, recent, misses: [...misses], finds: [...finds], checks };
}

interface Work {
  readonly clauses: number;
  readonly pause: (work: number) => Promise<void> | undefined;
  readonly judge: (payload: Payload, twin: Payload) => Verdicts | undefined;
}

/** Half of the checks for samples, half for recent events. */
const affordable = (most: number, { clauses }: Work): number =>
  Math.max(1, Math.min(most, Math.floor(MOST_CHECKS / 2 / clauses)));

async function onSamples({ from, original, now }: TrialRequest, work: Work) {
  const tally = newTally();
  const [misses, finds] = [new Set<string>(), new Set<string>()];
  let words = 0;
  for (const sample of samplesFor(original, affordable(MOST_SAMPLES, work))) {
    if (words > MOST_WORDS) break;
    const [post, page] = [postOf(sample), pageOfContent(sample, now)];
    const verdicts = from === 'x' ? work.judge(post, page) : work.judge(page, post);
    if (verdicts === undefined) continue;
    count(tally, verdicts);
    if (verdicts.original !== verdicts.translation && sample.special !== undefined) {
      const named = verdicts.original ? misses : finds;
      if (!named.has(AS_WRITTEN)) named.add(sample.special);
    }
    words += verdicts.words;
    await work.pause(work.clauses + verdicts.words);
  }
  return { tally, misses, finds };
}

async function onRecent({ from, recent, now, signal }: TrialRequest, work: Work): Promise<Tally> {
  const tally = newTally();
  let [left, words] = [affordable(MOST_RECENT, work), 0];
  const isOver = () => left <= 0 || words > MOST_WORDS || signal?.aborted === true;
  for await (const slice of recent) {
    for (const { event } of slice) {
      if (isOver()) break;
      left--;
      const twin = from === 'x' ? pageOfPost(event.payload, now) : postOfPage(event.payload);
      const verdicts = work.judge(event.payload, twin);
      if (verdicts === undefined) continue;
      count(tally, verdicts);
      words += verdicts.words;
      await work.pause(work.clauses + verdicts.words);
    }
    if (isOver()) break;
  }
  return tally;
}

/** What is said of the whole, or that it differs where the trial has shown otherwise. */
export function shownBy({ samples, recent }: TranslationTrial, verdict: TranslationVerdict): TranslationVerdict {
  const [missed, extra] = [samples.missed + recent.missed, samples.extra + recent.extra];
  const belied =
    (missed > 0 && (verdict === 'exact' || verdict === 'wider')) ||
    (extra > 0 && (verdict === 'exact' || verdict === 'narrower'));
  return belied ? 'differs' : verdict;
}

interface Verdicts {
  readonly original: boolean;
  readonly translation: boolean;
  readonly words: number;
}

function judgeOf({ from, original, translation, now }: TrialRequest) {
  const [own, other] = [newAnalyzer(from), newAnalyzer(from === 'x' ? 'firehose' : 'x')];
  const [isOriginal, isTranslation] = [matcherOf(original, now), matcherOf(translation, now)];
  return (payload: Payload, twin: Payload): Verdicts | undefined => {
    const [here, there] = [own(payload), other(twin)];
    if (isRejection(here) || isRejection(there)) return undefined;
    const words = here.words.count + there.words.count;
    return { original: isOriginal(here), translation: isTranslation(there), words };
  };
}

/** An engine of one rule: it compiles the query once, however many events there are. */
function matcherOf(query: Query, now: Date): (view: EventView) => boolean {
  const engine = createEngine({ now: () => now.getTime() });
  engine.put('trial', query);
  return (view) => engine.match(view).matches.length > 0;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const newTally = (): Writable<Tally> => ({ events: 0, original: 0, translation: 0, missed: 0, extra: 0 });

function count(tally: Writable<Tally>, { original, translation }: Verdicts): void {
  tally.events++;
  if (original) tally.original++;
  if (translation) tally.translation++;
  if (original && !translation) tally.missed++;
  if (translation && !original) tally.extra++;
}

function countOf(query: Query): number {
  if (query.kind === 'not') return countOf(query.query);
  if (query.kind !== 'all' && query.kind !== 'any') return 1;
  return query.of.reduce((sum, part) => sum + countOf(part), 0);
}

/** What was measured, in a sentence or two. */
export function saidOf({ samples, recent, misses, finds }: TranslationTrial): string {
  const said: string[] = [];
  if (recent.original > 0) {
    said.push(
      `Of ${recent.original} recent events that the original catches it misses ${recent.missed} (${percent(recent.missed, recent.original)}).`,
    );
  }
  if (recent.translation > 0) {
    said.push(
      `Of ${recent.translation} that it catches the original misses ${recent.extra} (${percent(recent.extra, recent.translation)}).`,
    );
  }
  const lost = misses.length > 0 ? `misses ${misses.join(', ')}` : 'misses none that the original catches';
  const found = finds.length > 0 ? `also finds ${finds.join(', ')}` : 'finds none beside';
  said.push(`On ${samples.events} texts made for this rule it ${lost}, and ${found}.`);
  return said.join(' ');
}

const percent = (part: number, whole: number): string => `${Number(((part / whole) * 100).toPrecision(2))} %`;
