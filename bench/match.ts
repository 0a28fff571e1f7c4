/**
 * `npm run bench -- match`: what an event costs with many rules, from its bytes on, beside a floor that owes the product
 * nothing (`floor.ts`). Rule sets and corpora are those of `rule-sets.ts` and `corpus.ts`, or files of your own:
 * `--rules FILE --events FILE --platform x|firehose`.
 */
import { readFileSync } from 'node:fs';
import type { Platform } from '../src/domain/platform.ts';
import { type CoreEngine, createCoreEngine } from '../src/engine/core/core-engine.ts';
import { type Analyzer, type EventView, isRejection } from '../src/engine/events/event-view.ts';
import type { Language } from '../src/rules/language.ts';
import { languages } from '../src/rules/languages.ts';
import { createScan } from '../test/stages/scan.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { lookUpWords } from './floor.ts';
import { Loading, SCAN_UP_TO } from './load.ts';
import { measure, memory, spread } from './measure.ts';
import { type MatchRate, rulesOf, type SetName, vocabularyOf } from './rule-sets.ts';

/** Whether posts come with their entities, as X sends them, or the product must find them. */
type Entities = 'given' | 'none' | 'as sent';

/** All speeds are events per CPU-second, from the bytes of a line on: reading JSON is counted. */
export interface MatchFigures {
  readonly platform: Platform;
  readonly corpus: string;
  readonly entities: Entities;
  readonly set: string;
  readonly rules: number;
  readonly eventsPerSecond: number;
  readonly floorPerSecond: number;
  /** CPU per event with the rules, over that of the floor. */
  readonly ratio: number;
  /** `JSON.parse` and nothing else: what is in both of the above. */
  readonly jsonPerSecond: number;
  /** The share of lines that the core left to TypeScript. */
  readonly leftShare: number;
  readonly evaluatedPerEvent: number;
  readonly matchesPerEvent: number;
  readonly bytesPerRule: number;
  /** CPU time. */
  readonly parseSeconds: number;
  readonly putSeconds: number;
  /** Wall time of `put` with the rules there: thousands are put again three times, and the least of each counts. */
  readonly putMicros: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Wall time from the call of `put` to the end of a match that finds the new rule. */
  readonly visibleMicros: { readonly p50: number; readonly p99: number; readonly max: number };
  /** CPU of the scan over that of the core; absent where the scan would take for ever. */
  readonly overScan?: number;
}

export interface MatchOptions {
  readonly sizes: readonly number[];
  readonly turns: number;
  /** Events measured, of each platform: all different. */
  readonly events: Readonly<Record<Platform, number>>;
}

/** Events that the engine has seen before the rules come, as it would have on a running stream. */
const OBSERVED = 4_000;
const SCAN_EVENTS: Readonly<Record<Platform, number>> = { x: 24, firehose: 4 };
const PUTS = 300;
const WARM_UP = 30;
const PUT_TURNS = 3;

export function* benchMatch(
  platform: Platform,
  set: SetName,
  rate: MatchRate,
  options: MatchOptions,
): Generator<MatchFigures> {
  const { name, payloads } = readCorpus(platform);
  const vocabulary = vocabularyOf(platform, payloads, analyzerFor(platform));
  const streams: Stream[] =
    platform === 'x'
      ? [
          { entities: 'given', payloads },
          { entities: 'none', payloads: payloads.map(withoutEntities) },
        ]
      : [{ entities: 'as sent', payloads }];
  const label = rate === 'few' ? `${set}, ${rate} matches` : set;
  yield* benchSet(platform, name, label, () => rulesOf(set, platform, vocabulary, rate), streams, options);
}

/** Measures rules and events of one's own: NDJSON of `{"id","value"}`, and of events as the platform sends them. */
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
  const streams: Stream[] = [{ entities: 'as sent', payloads }];
  yield* benchSet(platform, files.events, files.rules, () => values.values(), streams, { ...options, sizes });
}

interface Stream {
  readonly entities: Entities;
  readonly payloads: readonly unknown[];
}

function withoutEntities(payload: unknown): unknown {
  const { data, ...rest } = payload as { data: Record<string, unknown> };
  const { entities: _entities, ...post } = data;
  return { ...rest, data: post };
}

function* benchSet(
  platform: Platform,
  corpus: string,
  set: string,
  texts: () => Iterator<string>,
  streams: readonly Stream[],
  options: MatchOptions,
): Generator<MatchFigures> {
  const language = languages({ level: 'enterprise', local: true })[platform];
  const analyze = analyzerFor(platform);
  const view = (payload: unknown): EventView => accepted(analyze(payload));
  const before = memory();
  const { engine, matchLine, leftShare, sharedBytes } = lineContender(platform, view);
  for (const payload of streams[0]!.payloads.slice(0, OBSERVED)) engine.observe(view(payload));
  const loading = new Loading(texts, language);

  let bytesOfFloor = 0;

  for (const size of options.sizes) {
    loading.fill(engine, size);
    const filled = memory();
    const bytes = filled - before - bytesOfFloor + sharedBytes();
    loading.fillMap();
    bytesOfFloor += memory() - filled;
    const putMicros = timePutsAgain(engine, loading);
    const visibleMicros = timePuts(platform, engine, language, analyze);
    for (const { entities, payloads } of streams) {
      // The events that were counted are not those that are measured, where there are enough.
      const measured = payloads.length >= OBSERVED + options.events[platform] ? payloads.slice(OBSERVED) : payloads;
      const lines = measured.slice(0, options.events[platform]).map((one) => Buffer.from(JSON.stringify(one)));
      const speeds = measureEngine(platform, matchLine, loading, lines, options.turns);
      const overScan =
        entities === 'none' || size > SCAN_UP_TO ? undefined : timeScan(loading, language, lines, view, platform);
      yield {
        platform,
        corpus,
        entities,
        set,
        rules: engine.size,
        ...speeds,
        leftShare: leftShare(),
        bytesPerRule: bytes / engine.size,
        parseSeconds: loading.parseSeconds,
        putSeconds: loading.putSeconds,
        putMicros,
        visibleMicros,
        ...(overScan === undefined ? {} : { overScan: (overScan * speeds.eventsPerSecond) / 1e6 }),
      };
    }
  }
}

const parsed = (line: Buffer): unknown => JSON.parse(line.toString());

interface Sums {
  evaluated: number;
  matches: number;
  events: number;
  known: number;
}

interface Contender {
  readonly engine: CoreEngine;
  /** Matches a line from its bytes on, and counts what it found. */
  readonly matchLine: (line: Buffer, sums: Sums) => void;
  /** Since it was asked last. */
  readonly leftShare: () => number;
  /** Memory that threads share is counted with none of them. */
  readonly sharedBytes: () => number;
}

/** Bytes in, numbers of rules out. */
function lineContender(platform: Platform, view: (payload: unknown) => EventView): Contender {
  const engine = createCoreEngine({ platform });
  let counts = engine.lineCounts;
  return {
    engine,
    matchLine(line, sums) {
      const { evaluated, count } = engine.matchLine(line, () => view(parsed(line)))!;
      sums.evaluated += evaluated;
      sums.matches += count;
      sums.events++;
    },
    leftShare() {
      const { walked, left } = engine.lineCounts;
      const share = (left - counts.left) / (walked + left - counts.walked - counts.left);
      counts = engine.lineCounts;
      return share;
    },
    sharedBytes: () => engine.matchers.memory.buffer.byteLength,
  };
}

function measureEngine(
  platform: Platform,
  matchLine: Contender['matchLine'],
  { words }: Loading,
  lines: readonly Buffer[],
  turns: number,
) {
  const sums: Sums = { evaluated: 0, matches: 0, events: 0, known: 0 };
  const runs = [
    (line: Buffer) => void parsed(line),
    (line: Buffer) => {
      sums.known += lookUpWords(words, platform, parsed(line));
    },
    (line: Buffer) => matchLine(line, sums),
  ];
  const [json, floor, matched] = measure(runs, lines, turns) as [number, number, number];
  return {
    eventsPerSecond: 1e6 / matched,
    floorPerSecond: 1e6 / floor,
    ratio: matched / floor,
    jsonPerSecond: 1e6 / json,
    evaluatedPerEvent: sums.evaluated / sums.events,
    matchesPerEvent: sums.matches / sums.events,
  };
}

/** Takes the rules that came last out and puts them in again. What preempts the process once does so to others the next time. */
function timePutsAgain(engine: CoreEngine, loading: Loading): MatchFigures['putMicros'] {
  const last = loading.last();
  const times = new Float64Array(last.length).fill(Number.POSITIVE_INFINITY);
  for (let turn = 0; turn < PUT_TURNS; turn++) {
    for (const { id } of last) engine.drop(id);
    for (const [index, { id, query }] of last.entries()) {
      const start = performance.now();
      engine.put(id, query);
      times[index] = Math.min(times[index]!, (performance.now() - start) * 1000);
    }
  }
  return spread(times);
}

/** Puts rules that are new in every way, has each found, and drops them again. The first few only warm up. */
function timePuts(
  platform: Platform,
  engine: CoreEngine,
  language: Language,
  analyze: Analyzer,
): MatchFigures['visibleMicros'] {
  const times = new Float64Array(PUTS);
  for (let index = -WARM_UP; index < PUTS; index++) {
    const word = `freshword${WARM_UP + index}`;
    const query = language.queryOf(word);
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

/** Microseconds of CPU an event, of the scan over the first rules. */
function timeScan(
  { first }: Loading,
  language: Language,
  lines: readonly Buffer[],
  view: (payload: unknown) => EventView,
  platform: Platform,
): number {
  const scan = createScan();
  for (const [index, text] of first.entries()) {
    const query = language.queryOf(text);
    if (query !== undefined) scan.put(`rule_${index}`, query);
  }
  const run = (line: Buffer) => void scan.match(view(parsed(line)));
  return measure([run], lines.slice(0, SCAN_EVENTS[platform]), 1)[0]!;
}

function accepted(result: ReturnType<Analyzer>): EventView {
  if (isRejection(result)) throw new Error(`an event was rejected: ${result.rejected}`);
  return result;
}
