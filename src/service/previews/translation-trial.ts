/** Tries a translation on texts made for it and on recent events, and counts what it misses and what it finds extra. */
import type { Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { isRejection } from '../../engine/events/event-view.ts';
import { queryHolds } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { print as printPageRule } from '../../rules/firehose/print.ts';
import type { Query } from '../../rules/query.ts';
import { AS_WRITTEN, samplesFor } from '../../rules/translate-samples.ts';
import type { TranslationVerdict } from '../../rules/translation.ts';
import { print as printPostRule } from '../../rules/x/print.ts';
import type { RecentEvent } from '../../store/store.ts';
import { pageOfContent, pageOfPost, postOf, postOfPage } from './twins.ts';

/** How many made texts and recent events are tried if a rule has few clauses. */
const MOST_SAMPLES = 240;
const MOST_RECENT = 1_000;
/** The limit of clauses times events: with more clauses, fewer events are tried. */
const MOST_CHECKS = 40_000;
/** Words of all samples together, and of all recent events. */
const MOST_WORDS = 400_000;

export interface Tally {
  readonly events: number;
  /** How many the original matches, and how many the translation. */
  readonly original: number;
  readonly translation: number;
  /** How many only the original matches, and how many only the translation. */
  readonly missed: number;
  readonly extra: number;
}

export interface TranslationTrial {
  readonly samples: Tally;
  readonly recent: Tally;
  /** The kinds of samples that the translation missed, and that it found extra. */
  readonly misses: readonly string[];
  readonly finds: readonly string[];
  /** Clauses that no sample satisfies: what is missed of them was not tried. */
  readonly untried: readonly string[];
  /** How many predicates were evaluated. */
  readonly checks: number;
}

export interface TrialRequest {
  readonly from: Platform;
  readonly original: Query;
  readonly translation: Query;
  readonly recent: AsyncIterable<readonly RecentEvent[]>;
  readonly now: Date;
  readonly checkpoint: () => void;
}

export async function tryTranslation(request: TrialRequest): Promise<TranslationTrial> {
  const clauses = countOf(request.original) + countOf(request.translation);
  const untried = new Set(request.original.kind === 'all' ? request.original.of : [request.original]);
  const work: Work = { clauses, judge: judgeOf(request, untried) };
  const { tally: samples, misses, finds } = onSamples(request, work);
  const unmet = samples.original > 0 ? [] : [...untried].map(request.from === 'x' ? printPostRule : printPageRule);
  const recent = await onRecent(request, work);
  const checks = (samples.events + recent.events) * clauses;
  return { samples, recent, misses: [...misses], finds: [...finds], untried: unmet, checks };
}

interface Work {
  readonly clauses: number;
  readonly judge: (payload: Payload, twin: Payload, at: Date) => Verdicts | undefined;
}

/** Half of the checks for samples, half for recent events. */
const affordable = (most: number, { clauses }: Work): number =>
  Math.max(1, Math.min(most, Math.floor(MOST_CHECKS / 2 / clauses)));

function onSamples({ from, original, now, checkpoint }: TrialRequest, work: Work) {
  const tally = newTally();
  const [misses, finds] = [new Set<string>(), new Set<string>()];
  let words = 0;
  for (const sample of samplesFor(original, affordable(MOST_SAMPLES, work))) {
    if (words > MOST_WORDS) break;
    const { facts: _, ...shared } = sample;
    checkpoint();
    const verdicts =
      from === 'x'
        ? work.judge(postOf(sample), pageOfContent(shared, now), now)
        : work.judge(pageOfContent(sample, now), postOf(shared), now);
    if (verdicts === undefined) continue;
    count(tally, verdicts);
    if (verdicts.original !== verdicts.translation && sample.special !== undefined) {
      const named = verdicts.original ? misses : finds;
      if (!named.has(AS_WRITTEN)) named.add(sample.special);
    }
    words += verdicts.words;
  }
  return { tally, misses, finds };
}

async function onRecent({ from, recent, checkpoint }: TrialRequest, work: Work): Promise<Tally> {
  const tally = newTally();
  let [left, words] = [affordable(MOST_RECENT, work), 0];
  const isOver = () => left <= 0 || words > MOST_WORDS;
  for await (const slice of recent) {
    for (const { event, at } of slice) {
      if (isOver()) break;
      left--;
      const twin = from === 'x' ? pageOfPost(event.payload, at) : postOfPage(event.payload);
      checkpoint();
      const verdicts = work.judge(event.payload, twin, at);
      if (verdicts === undefined) continue;
      count(tally, verdicts);
      words += verdicts.words;
    }
    if (isOver()) break;
  }
  return tally;
}

/** The verdict on the whole rule; `differs` if the trial contradicts it. */
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

/** Takes what a text satisfies out of `untried`. */
function judgeOf({ from, original, translation }: TrialRequest, untried: Set<Query>) {
  const [own, other] = [newAnalyzer(from), newAnalyzer(from === 'x' ? 'firehose' : 'x')];
  return (payload: Payload, twin: Payload, at: Date): Verdicts | undefined => {
    const [here, there] = [own(payload), other(twin)];
    if (isRejection(here) || isRejection(there)) return undefined;
    const words = here.words.count + there.words.count;
    const [source, target] = [here, there].map((view) => new ViewLookup(view, at.getTime()));
    for (const part of untried) if (queryHolds(part, source!)) untried.delete(part);
    return { original: queryHolds(original, source!), translation: queryHolds(translation, target!), words };
  };
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

/** The measurements in two or three sentences. */
export function saidOf({ samples, recent, misses, finds, untried }: TranslationTrial): string {
  const said: string[] = [];
  if (recent.original > 0) {
    said.push(
      `The original matches ${recent.original} recent ${recent.original === 1 ? 'event' : 'events'}; the translation misses ${recent.missed} of them (${percent(recent.missed, recent.original)}).`,
    );
  }
  if (recent.translation > 0) {
    said.push(
      `The translation matches ${recent.translation}; the original misses ${recent.extra} of those (${percent(recent.extra, recent.translation)}).`,
    );
  }
  said.push(saidOfSamples(samples, misses, finds, untried));
  return said.join(' ');
}

/** Says what the numbers say, and names kinds of texts only as examples of them. */
function saidOfSamples(
  { events, original, missed, extra }: Tally,
  misses: readonly string[],
  finds: readonly string[],
  untried: readonly string[],
): string {
  const found = extra === 0 ? 'finds nothing extra' : `also finds ${extra} that the original does not${among(finds)}`;
  if (original > 0) {
    const lost = missed === 0 ? 'misses nothing' : `misses ${missed} of ${original}${among(misses)}`;
    return `On ${events} texts made for this rule, the translation ${lost} and ${found}.`;
  }
  const why = untried.length === 0 ? 'the whole rule' : untried.join(' and ');
  return `No text could be made that satisfies ${why}, so what the translation misses was not compared. On ${events} texts without it, the translation ${found}.`;
}

/** Words as they are written are no kind of text that a reader could tell apart. */
function among(kinds: readonly string[]): string {
  const named = kinds.filter((kind) => kind !== AS_WRITTEN);
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

const percent = (part: number, whole: number): string => `${Number(((part / whole) * 100).toPrecision(2))} %`;
