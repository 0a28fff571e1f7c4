/**
 * `npm run bench -- match|parse|ingest|api|wait|fanout|console|scale|pushes|backlog|delivering|flood|retention|noise|intents|rehearse|cold-start|roles|peers|walks|growth|sources|wakes|readers|curves`: benchmarks whose figures are ratios within
 * one run. `--quick` takes small sets and few turns; `--sizes 100000,1000000`
 * takes those numbers of rules (with `cold-start`, the start of a server that has them); `--matches few` takes sets A and B
 * with rules that match less often; `--threads 0,1,2` takes `ingest` with those numbers of match threads; `--json` prints one object a line; `--accept` keeps the figures as `bench/baseline.json`
 * and draws the plot; `--full` takes `curves` as far as the machine goes.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { isPlatform, PLATFORMS, type Platform } from '../src/domain/platform.ts';
import type { CurvePoint } from './curves/point.ts';
import { benchFiles, benchMatch, type MatchFigures, type MatchOptions } from './match.ts';
import { benchParse } from './parse.ts';
import type { PeerFigures } from './peers/figures.ts';
import { plot } from './plot.ts';
import { MATCH_RATES, SETS, type SetName } from './rule-sets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    accept: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    rules: { type: 'string' },
    events: { type: 'string' },
    platform: { type: 'string' },
    set: { type: 'string' },
    matches: { type: 'string', default: 'many' },
    sizes: { type: 'string' },
    threads: { type: 'string' },
    matchers: { type: 'string' },
  },
});

const FULL: MatchOptions = {
  sizes: [1_000, 10_000, 100_000, 1_000_000],
  turns: 5,
  events: { x: 30_000, firehose: 1_000 },
};
const QUICK: MatchOptions = { sizes: [1_000, 10_000], turns: 3, events: { x: 6_000, firehose: 400 } };
/** Set C is measured up to here. */
const LARGEST_OF_C = 100_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const options = values.quick ? QUICK : FULL;

function platforms(): readonly Platform[] {
  if (values.platform === undefined) return PLATFORMS;
  if (!isPlatform(values.platform)) throw new Error(`--platform is x or firehose, not ${values.platform}`);
  return [values.platform];
}

function* figuresOfMatch(): Generator<MatchFigures> {
  if (values.rules !== undefined && values.events !== undefined) {
    const files = { rules: values.rules, events: values.events };
    yield* benchFiles(platforms()[0]!, files, options);
  } else {
    yield* figuresOfSets();
  }
}

function* figuresOfSets(): Generator<MatchFigures> {
  const rate = MATCH_RATES.find((name) => name === values.matches);
  if (rate === undefined) throw new Error(`--matches is many or few, not ${values.matches}`);
  for (const platform of platforms()) {
    for (const set of SETS[platform]) {
      // Patterns are measured where they are asked for.
      if (values.set === set || (values.set === undefined && set !== 'W'))
        yield* benchMatch(platform, set, rate, optionsFor(set));
    }
  }
}

function optionsFor(set: SetName): MatchOptions {
  const wanted = values.sizes === undefined ? options.sizes : values.sizes.split(',').map(Number);
  const sizes = set === 'C' ? wanted.filter((size) => size <= LARGEST_OF_C) : wanted;
  return { ...options, sizes };
}

function runMatch(): void {
  const all: MatchFigures[] = [];
  for (const figures of figuresOfMatch()) {
    all.push(figures);
    say(values.json ? JSON.stringify(figures) : describe(figures));
  }
  if (!values.accept) return;
  const machine = { cpu: cpus()[0]?.model ?? process.arch, node: process.version };
  writeFileSync(new URL('baseline.json', import.meta.url), `${JSON.stringify({ machine, match: all }, null, 1)}\n`);
  writeFileSync(new URL('../docs/performance.svg', import.meta.url), plot(all));
}

const whole = (value: number) => Math.round(value).toLocaleString('en');

function describe(of: MatchFigures): string {
  const entities = of.platform === 'x' ? `, entities ${of.entities}` : '';
  return [
    `${of.platform} (${of.corpus}${entities}), set ${of.set}, ${whole(of.rules)} rules`,
    `  events per CPU-second, JSON counted: ${whole(of.eventsPerSecond)}; floor ${whole(of.floorPerSecond)}; cost ÷ floor ${of.ratio.toFixed(2)}; JSON alone ${whole(of.jsonPerSecond)}`,
    `  per event: ${of.evaluatedPerEvent.toFixed(1)} evaluated, ${of.matchesPerEvent.toFixed(1)} matches; ${(of.leftShare * 100).toFixed(1)} % of the lines read in TypeScript`,
    `  ${whole(of.bytesPerRule)} bytes a rule; CPU to load ${of.putSeconds.toFixed(1)} s (and ${of.parseSeconds.toFixed(1)} s of parsing); put p50 ${of.putMicros.p50.toFixed(1)} µs, p99 ${of.putMicros.p99.toFixed(1)} µs, longest ${whole(of.putMicros.max)} µs`,
    `  put to visible: p50 ${whole(of.visibleMicros.p50)} µs, p99 ${whole(of.visibleMicros.p99)} µs, longest ${whole(of.visibleMicros.max)} µs`,
    ...(of.overScan === undefined ? [] : [`  ${whole(of.overScan)} times the speed of the scan`]),
  ].join('\n');
}

function runParse(): void {
  for (const figures of benchParse(values.quick ? 5_000 : 50_000, values.quick ? 3 : 7)) {
    const { platform, set, rulesPerSecond, jsonPerSecond, ratio } = figures;
    const line = `${platform}, set ${set}: ${whole(rulesPerSecond)} rules per CPU-second; JSON.parse ${whole(jsonPerSecond)}; cost ÷ JSON.parse ${ratio.toFixed(1)}`;
    say(values.json ? JSON.stringify(figures) : line);
  }
}

/** Loaded when asked for: a server is no part of the other benchmarks. */
async function runIngest(): Promise<void> {
  const { benchIngest } = await import('./ingest.ts');
  for await (const figures of benchIngest(values)) show(figures);
}

async function runApi(): Promise<void> {
  const { benchApi } = await import('./api.ts');
  show(await benchApi(values));
}

async function runWait(): Promise<void> {
  const { benchWait } = await import('./wait.ts');
  show(await benchWait(values));
}

async function runSources(): Promise<void> {
  const { benchSources } = await import('./sources.ts');
  show(await benchSources(values));
}

async function runFanout(): Promise<void> {
  const { benchFanout } = await import('./fanout.ts');
  show(await benchFanout(values));
}

async function runConsole(): Promise<void> {
  const { benchConsole } = await import('./console.ts');
  show(await benchConsole(values));
}

async function runScale(): Promise<void> {
  const { benchModel } = await import('./scale-model.ts');
  show(await benchModel(values));
  const { benchScale } = await import('./scale.ts');
  show(await benchScale(values));
}

async function runPushes(): Promise<void> {
  const { benchSmallPushes } = await import('./small-pushes.ts');
  for await (const figures of benchSmallPushes(values)) show(figures);
}

async function runBacklog(): Promise<void> {
  const { benchBacklog } = await import('./backlog.ts');
  show(await benchBacklog(values));
}

async function runDelivering(): Promise<void> {
  const { benchDelivering } = await import('./delivering.ts');
  show(await benchDelivering(values));
}

async function runFlood(): Promise<void> {
  const { benchFlood } = await import('./flood.ts');
  show(await benchFlood(values));
}

async function runRetention(): Promise<void> {
  const { benchRetention } = await import('./retention.ts');
  show(await benchRetention(values));
}

async function runNoise(): Promise<void> {
  const { benchNoise } = await import('./noise.ts');
  show(await benchNoise());
}

async function runIntents(): Promise<void> {
  const { benchIntents } = await import('./intents.ts');
  show(benchIntents());
}

async function runRehearse(): Promise<void> {
  const { benchRehearse } = await import('./rehearse.ts');
  show(await benchRehearse(values));
}

async function runColdStart(): Promise<void> {
  if (values.sizes !== undefined) {
    const { benchRulesStart } = await import('./rules-start.ts');
    const set = SETS.x.find((name) => name === (values.set ?? 'A'))!;
    for (const size of values.sizes.split(',')) show(await benchRulesStart(set, Number(size)));
    return;
  }
  const { benchColdStart } = await import('./cold-start.ts');
  show(benchColdStart(values));
}

async function runRoles(): Promise<void> {
  const { benchRoles } = await import('./roles.ts');
  for await (const figures of benchRoles(Number(values.sizes ?? 100_000))) show(figures);
}

async function runWakes(): Promise<void> {
  const { benchWakes } = await import('./wakes.ts');
  for (const [name, figure] of Object.entries(benchWakes(values.quick))) say(`${name}: ${JSON.stringify(figure)}`);
}

async function runWalks(): Promise<void> {
  const { benchWalks } = await import('./walks.ts');
  for await (const figures of benchWalks()) show(figures);
}

async function runPeers(): Promise<void> {
  const { benchPeers, PEERS_FULL, PEERS_QUICK } = await import('./peers/peers.ts');
  const { describePeer, tableOf } = await import('./peers/table.ts');
  const { plotPeers } = await import('./peers/plot.ts');
  const wanted = values.quick ? PEERS_QUICK : PEERS_FULL;
  const all: PeerFigures[] = [];
  for (const platform of platforms()) {
    for (const set of SETS[platform]) {
      if ((values.set ?? set) !== set) continue;
      const usual = set === 'W' ? wanted.sizesOfPatterns : wanted.sizes;
      const sizes = values.sizes === undefined ? usual : optionsFor(set).sizes;
      for await (const figures of benchPeers(platform, set, { ...wanted, sizes })) {
        all.push(figures);
        say(values.json ? JSON.stringify(figures) : describePeer(figures));
      }
    }
  }
  if (all.length === 0) throw new Error(`--set is A, B or C, or W on pages, not ${values.set}`);
  if (!values.json) say(`\n${tableOf(all)}`);
  if (values.accept) writeFileSync(new URL('../docs/peers.svg', import.meta.url), plotPeers(all));
}

async function runReaders(): Promise<void> {
  const { benchReaders } = await import('./readers.ts');
  for await (const figures of benchReaders(values)) show(figures);
}

async function runCurves(): Promise<void> {
  const { benchCurves } = await import('./curves.ts');
  const { plotCurves } = await import('./curves/plot.ts');
  const { tableOf } = await import('./curves/table.ts');
  const points: CurvePoint[] = [];
  for await (const point of benchCurves(values)) {
    points.push(point);
    say(JSON.stringify(point));
  }
  if (!values.json) say(`\n${tableOf(points)}`);
  if (values.accept) writeFileSync(new URL('../docs/growth.svg', import.meta.url), plotCurves(points));
}

async function runGrowth(): Promise<void> {
  const { benchGrowth } = await import('./growth.ts');
  for await (const { name, text, growth, milliseconds } of benchGrowth()) {
    const figures = { name, text, growth, milliseconds };
    const said = `${growth.toFixed(2)} times for twice the text, ${milliseconds.toFixed(1)} ms at last: ${name} on ${text}`;
    say(values.json ? JSON.stringify(figures) : said);
  }
}

function show(figures: object): void {
  if (values.json) say(JSON.stringify(figures));
  else for (const [name, value] of Object.entries(figures)) say(`${name}: ${JSON.stringify(value)}`);
}

const benchmarks: Readonly<Record<string, () => void | Promise<void>>> = {
  match: runMatch,
  parse: runParse,
  ingest: runIngest,
  api: runApi,
  wait: runWait,
  sources: runSources,
  fanout: runFanout,
  console: runConsole,
  scale: runScale,
  pushes: runPushes,
  backlog: runBacklog,
  delivering: runDelivering,
  flood: runFlood,
  retention: runRetention,
  noise: runNoise,
  intents: runIntents,
  rehearse: runRehearse,
  'cold-start': runColdStart,
  roles: runRoles,
  peers: runPeers,
  walks: runWalks,
  wakes: runWakes,
  growth: runGrowth,
  readers: runReaders,
  curves: runCurves,
};
const run = benchmarks[positionals[0] ?? ''];
if (run === undefined) {
  say(
    'usage: npm run bench -- match|parse|ingest|api|wait|fanout|console|scale|pushes|backlog|delivering|flood|retention|noise|intents|rehearse|cold-start|roles|peers|walks|growth|sources|wakes|readers|curves [--quick] [--json]',
  );
  process.exitCode = 2;
} else {
  await run();
}
