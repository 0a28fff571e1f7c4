/**
 * `npm run bench -- peers`: what a user could install instead, beside us: the same rules, the same events, the same run, by
 * CPU time. We read JSON; peers get the texts. Rules that a peer cannot express are left out and counted, and on those that it has,
 * its matches are compared with ours.
 */
import type { Platform } from '../../src/domain/platform.ts';
import { type CoreEngine, createCoreEngine } from '../../src/engine/core/core-engine.ts';
import { type EventView, isRejection } from '../../src/engine/events/event-view.ts';
import { holds } from '../../src/engine/scan.ts';
import { languages } from '../../src/rules/languages.ts';
import type { Query } from '../../src/rules/query.ts';
import { analyzerFor, readCorpus } from '../corpus.ts';
import { cpuOf, measure, memory } from '../measure.ts';
import { rulesOf, type SetName, vocabularyOf } from '../rule-sets.ts';
import { ABSENT } from './absent.ts';
import { addFields, forPeers, textsOfEvent } from './event-texts.ts';
import { type PeerFigures, summarise } from './figures.ts';
import { keysOf, WordCounts } from './keys.ts';
import { lucenePeers } from './lucene.ts';
import type { FieldText, Peer, PeerReport, PeerRule, PeerTask } from './peer.ts';
import { postgresPeers } from './postgres.ts';
import { vectorscanPeers } from './vectorscan.ts';

export const OURS = 'Sluice, JSON counted';

const PEERS: readonly Peer[] = [...postgresPeers, ...lucenePeers, ...vectorscanPeers];

export interface PeersOptions {
  readonly sizes: readonly number[];
  /** The sizes of set W. */
  readonly sizesOfPatterns: readonly number[];
  readonly events: Readonly<Record<Platform, number>>;
  readonly compared: number;
  readonly budgetMilliseconds: number;
  readonly turns: number;
}

export const PEERS_FULL: PeersOptions = {
  sizes: [1_000, 10_000, 100_000],
  sizesOfPatterns: [5_000, 50_000],
  events: { x: 30_000, firehose: 1_000 },
  compared: 500,
  budgetMilliseconds: 1_000,
  turns: 2,
};
export const PEERS_QUICK: PeersOptions = {
  sizes: [1_000, 10_000],
  sizesOfPatterns: [5_000],
  events: { x: 6_000, firehose: 400 },
  compared: 100,
  budgetMilliseconds: 400,
  turns: 1,
};

/** Events on which our own matches are held against the scan. */
const SCANNED = 3;
/** Events from which words are counted, for us and for the keys of peers, before any rule comes. */
const OBSERVED = 4_000;

export async function* benchPeers(
  platform: Platform,
  set: SetName,
  options: PeersOptions,
): AsyncGenerator<PeerFigures> {
  const stage = prepare(platform, set, options);
  for (const size of options.sizes) {
    const ours = loadAndMatch(stage, size, options);
    assertAsScan(stage, ours);
    const where = { platform, set, rules: size };
    yield { ...where, peer: OURS, ...summarise(ours, ours.found) };
    const fields = new Set<string>();
    for (const { query } of stage.rules) addFields(fields, query);
    const task: PeerTask = { ...options, platform, rules: stage.rules, events: stage.texts(fields) };
    for (const peer of PEERS) yield { ...where, peer: peer.name, ...(await runPeer(peer, task, ours)) };
    if (set === 'C') yield { ...where, peer: ABSENT.name, absent: ABSENT.absent };
  }
}

async function runPeer(peer: Peer, task: PeerTask, ours: PeerReport) {
  const missing = peer.missing();
  if (missing !== undefined) return { absent: `not installed; ${missing}` };
  try {
    const report = await peer.run(task);
    return report === undefined ? { absent: 'can express none of these rules' } : summarise(report, ours.found);
  } catch (error) {
    return { absent: `failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}

interface Stage {
  readonly engine: CoreEngine;
  readonly view: (payload: unknown) => EventView;
  readonly lines: readonly Buffer[];
  readonly texts: (fields: ReadonlySet<string>) => FieldText[][];
  readonly rules: PeerRule[];
  /** The rules above as the engine gets them. */
  readonly queries: Query[];
  /** CPU time and heap that the engine has taken for them. */
  readonly spent: { micros: number; bytes: number };
  /** The next rule, as the engine and as peers get it. */
  readonly nextRule: () => { readonly query: Query; readonly plain: Query; readonly keys: PeerRule['keys'] };
}

function prepare(platform: Platform, set: SetName, options: PeersOptions): Stage {
  const { payloads } = readCorpus(platform);
  const analyze = analyzerFor(platform);
  const view = (payload: unknown): EventView => {
    const result = analyze(payload);
    if (isRejection(result)) throw new Error(`an event was rejected: ${result.rejected}`);
    return result;
  };
  const vocabulary = vocabularyOf(platform, payloads, analyze);
  const engine = createCoreEngine({ platform });
  const counts = new WordCounts();
  for (const payload of payloads.slice(0, OBSERVED)) {
    const event = view(payload);
    engine.observe(event);
    counts.add(event);
  }
  const count = options.events[platform];
  const unseen = payloads.length >= OBSERVED + count ? payloads.slice(OBSERVED) : payloads;
  const measured = unseen.slice(0, count);
  const language = languages({ level: 'enterprise', local: true })[platform];
  const written = rulesOf(set, platform, vocabulary);
  return {
    engine,
    view,
    lines: measured.map((payload) => Buffer.from(JSON.stringify(payload))),
    texts: (fields) => measured.map((payload) => textsOfEvent(platform, fields, view(payload))),
    rules: [],
    queries: [],
    spent: { micros: 0, bytes: 0 },
    nextRule() {
      const query = language.queryOf(written.next().value);
      if (query === undefined) return this.nextRule();
      const plain = forPeers(query, platform);
      return { query, plain, keys: keysOf(plain, counts) };
    },
  };
}

/** Returns the cost of all rules up to that size: they come one by one, and none is put twice. */
function fill(
  { engine, rules, queries, nextRule, spent }: Stage,
  size: number,
): { loadSeconds: number; bytes: number } {
  while (rules.length < size) {
    const { query, plain, keys } = nextRule();
    rules.push({ number: rules.length, query: plain, keys });
    queries.push(query);
  }
  const before = memory();
  spent.micros += cpuOf(() => {
    while (engine.size < size) engine.put(String(engine.size), queries[engine.size]!);
  });
  spent.bytes += memory() - before;
  return { loadSeconds: spent.micros / 1e6, bytes: spent.bytes + engine.matchers.memory.buffer.byteLength };
}

/** Our own matches are those of the oracle, on as many events as it gets through in a moment. */
function assertAsScan({ queries, view, lines }: Stage, { found }: PeerReport): void {
  for (const [event, ours] of found.slice(0, SCANNED).entries()) {
    const seen = view(JSON.parse(lines[event]!.toString()));
    const right = queries.flatMap((query, number) => (holds(query, seen, Date.now()) ? [number] : []));
    if (right.length !== ours.size || !right.every((number) => ours.has(number))) {
      throw new Error(`event ${event}: the engine finds ${ours.size} rules, the scan ${right.length}`);
    }
  }
}

/** Fills the engine to that size, tells the matches of the first events, and takes the turns. */
function loadAndMatch(stage: Stage, size: number, options: PeersOptions): PeerReport {
  const { engine, view, lines, rules } = stage;
  const loaded = fill(stage, size);
  const match = (line: Buffer) => engine.matchLine(line, () => view(JSON.parse(line.toString())))!;
  const found = lines.slice(0, options.compared).map((line) => {
    const { numbers, count } = match(line);
    return new Set(Array.from(numbers.subarray(0, count), (number) => Number(engine.idOf(number))));
  });
  let matches = 0;
  let calls = 0;
  const run = (line: Buffer): void => {
    matches += match(line).count;
    calls++;
  };
  const best = measure([run], lines, options.turns)[0]!;
  return {
    ...loaded,
    turns: [{ events: lines.length, micros: best * lines.length, matches: (matches / calls) * lines.length }],
    found,
    whole: new Set(rules.map(({ number }) => number)),
  };
}
