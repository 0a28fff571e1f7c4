/**
 * `npm run bench -- match`: how much more an event costs with many rules than with none. Rule sets and corpora are those
 * of `rule-sets.ts` and `corpus.ts`, or files of your own: `--rules FILE --events FILE --platform x|firehose`.
 */
import { readFileSync } from 'node:fs';
import type { Platform } from '../src/domain/platform.ts';
import { type Analyzer, type EventView, isRejection } from '../src/engine/events/event-view.ts';
import { createEngine, type Engine } from '../src/engine/index/engine.ts';
import { createScan } from '../src/engine/scan.ts';
import type { Language } from '../src/rules/language.ts';
import { languages } from '../src/rules/languages.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { measure, type Run, spread } from './measure.ts';
import { rulesOf, type SetName, vocabularyOf } from './rule-sets.ts';

export interface MatchFigures {
  readonly platform: Platform;
  readonly corpus: string;
  readonly set: string;
  readonly rules: number;
  /** Per CPU-second: with the rules, and with none. */
  readonly eventsPerSecond: number;
  readonly floorPerSecond: number;
  /** CPU per event with the rules, over that with none. */
  readonly ratio: number;
  readonly evaluatedPerEvent: number;
  readonly matchesPerEvent: number;
  readonly bytesPerRule: number;
  readonly parseSeconds: number;
  readonly loadSeconds: number;
  /** Wall time of one event, analysis and match, in microseconds. */
  readonly eventMicros: { readonly p50: number; readonly p99: number };
  /** Wall time from the call of `put` to the end of a match that finds the new rule. */
  readonly visibleMicros: { readonly p50: number; readonly p99: number; readonly max: number };
  /** CPU of the scan over that of the index; absent where the scan would take for ever. */
  readonly overScan?: number;
}

export interface MatchOptions {
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Events measured, of each platform. */
  readonly events: Readonly<Record<Platform, number>>;
}

/** Events that the engine has seen before the rules come, as it would have on a running stream. */
const OBSERVED = 4_000;
const SLICE: Readonly<Record<Platform, number>> = { x: 1_500, firehose: 200 };
const SCAN_UP_TO = 10_000;
const SCAN_EVENTS: Readonly<Record<Platform, number>> = { x: 24, firehose: 4 };
const PUTS = 300;
const WARM_UP = 30;

export function* benchMatch(platform: Platform, set: SetName, options: MatchOptions): Generator<MatchFigures> {
  const { name, payloads } = readCorpus(platform);
  const vocabulary = vocabularyOf(platform, payloads, analyzerFor(platform));
  yield* benchSet(platform, name, set, rulesOf(set, platform, vocabulary), payloads, options);
}

/** The same for rules and events of one's own: NDJSON of `{"id","value"}`, and of events as the platform sends them. */
export function* benchFiles(
  platform: Platform,
  files: { readonly rules: string; readonly events: string },
  options: MatchOptions,
): Generator<MatchFigures> {
  const lines = (file: string) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  const values = lines(files.rules).map((line) => (JSON.parse(line) as { value: string }).value);
  const payloads = lines(files.events).map((line): unknown => JSON.parse(line));
  const sizes = [...options.sizes.filter((size) => size < values.length), values.length];
  yield* benchSet(platform, files.events, files.rules, values[Symbol.iterator](), payloads, { ...options, sizes });
}

function* benchSet(
  platform: Platform,
  corpus: string,
  set: string,
  texts: Iterator<string>,
  payloads: readonly unknown[],
  options: MatchOptions,
): Generator<MatchFigures> {
  const language = languages({ level: 'enterprise', local: true })[platform];
  const analyze = analyzerFor(platform);
  const view = (payload: unknown): EventView => accepted(analyze(payload));
  const lines = payloads.slice(0, options.events[platform]).map((payload) => JSON.stringify(payload));
  const floor = createEngine();
  const before = memory();
  const engine = createEngine();
  for (const payload of payloads.slice(0, OBSERVED)) engine.observe(view(payload));
  const load: Load = { first: [], parseSeconds: 0, putSeconds: 0 };

  for (const size of options.sizes) {
    loadUpTo(size, texts, language, engine, load);
    const bytes = memory() - before;
    const sums = { evaluated: 0, matches: 0, events: 0 };
    const runs: Run[] = [
      (payload) => void floor.match(view(payload)),
      (payload) => {
        const report = engine.match(view(payload));
        sums.evaluated += report.evaluated;
        sums.matches += report.matches.length;
        sums.events++;
      },
    ];
    const [floorMicros, micros] = measure(runs, lines, options.rounds, SLICE[platform]) as [number, number];
    yield {
      platform,
      corpus,
      set,
      rules: engine.size,
      eventsPerSecond: 1e6 / micros,
      floorPerSecond: 1e6 / floorMicros,
      ratio: micros / floorMicros,
      evaluatedPerEvent: sums.evaluated / sums.events,
      matchesPerEvent: sums.matches / sums.events,
      bytesPerRule: bytes / engine.size,
      parseSeconds: load.parseSeconds,
      loadSeconds: load.putSeconds,
      eventMicros: timeEvents(lines, (payload) => engine.match(view(payload))),
      visibleMicros: timePuts(platform, engine, language, analyze),
      ...(size <= SCAN_UP_TO ? { overScan: timeScan(load.first, language, lines, view, platform) / micros } : {}),
    };
  }
}

interface Load {
  /** The first rules, as text: the scan is filled with them when its turn comes. */
  readonly first: string[];
  parseSeconds: number;
  putSeconds: number;
}

function loadUpTo(size: number, texts: Iterator<string>, language: Language, engine: Engine, load: Load): void {
  while (engine.size < size) {
    const next = texts.next();
    if (next.done === true) return;
    const start = performance.now();
    const { query } = language.parse(next.value);
    const parsed = performance.now();
    load.parseSeconds += (parsed - start) / 1000;
    if (query === undefined) continue;
    if (engine.size < SCAN_UP_TO) load.first.push(next.value);
    engine.put(`rule_${engine.size}`, query);
    load.putSeconds += (performance.now() - parsed) / 1000;
  }
}

function timeEvents(lines: readonly string[], match: (payload: unknown) => unknown): { p50: number; p99: number } {
  const some = lines.slice(0, 4_000).map((line): unknown => JSON.parse(line));
  const times = new Float64Array(some.length);
  for (const [index, payload] of some.entries()) {
    const start = performance.now();
    match(payload);
    times[index] = (performance.now() - start) * 1000;
  }
  const { p50, p99 } = spread(times);
  return { p50, p99 };
}

/** Puts rules that are new in every way, has each found, and drops them again. The first few only warm up. */
function timePuts(
  platform: Platform,
  engine: Engine,
  language: Language,
  analyze: Analyzer,
): MatchFigures['visibleMicros'] {
  const times = new Float64Array(PUTS);
  for (let index = -WARM_UP; index < PUTS; index++) {
    const word = `freshword${WARM_UP + index}`;
    const { query } = language.parse(word);
    const text = `a ${word} of its own`;
    const payload = platform === 'x' ? { data: { id: '1', text } } : { id: '1', added: text };
    const event = accepted(analyze(payload));
    const start = performance.now();
    engine.put(word, query!);
    if (!engine.match(event).matches.includes(word)) throw new Error(`${word} is not visible`);
    if (index >= 0) times[index] = (performance.now() - start) * 1000;
  }
  for (let index = -WARM_UP; index < PUTS; index++) engine.drop(`freshword${WARM_UP + index}`);
  return spread(times);
}

function timeScan(
  texts: readonly string[],
  language: Language,
  lines: readonly string[],
  view: (payload: unknown) => EventView,
  platform: Platform,
): number {
  const scan = createScan();
  for (const [index, text] of texts.entries()) scan.put(`rule_${index}`, language.parse(text).query!);
  const some = lines.slice(0, SCAN_EVENTS[platform]);
  return measure([(payload) => void scan.match(view(payload))], some, 1, some.length)[0]!;
}

function accepted(result: ReturnType<Analyzer>): EventView {
  if (isRejection(result)) throw new Error(`an event was rejected: ${result.rejected}`);
  return result;
}

/** All that is held, on the heap and beside it, once nothing is left to collect. */
function memory(): number {
  // The memory of typed arrays goes a collection after their objects.
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
