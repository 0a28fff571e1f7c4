/**
 * Hours of whatever can go wrong at both upstreams, with rules that come and go all the time: how many requests they get
 * in their windows, and whether one ever comes before the time that they stated.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import type { RecordedCall } from '../../sandbox/recorder.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';

export interface QuotasOptions {
  readonly hours: number;
  readonly seed: number;
}

export interface QuotasReport {
  readonly requests: number;
  readonly refused: number;
  /** What struck, by fault. */
  readonly fired: Readonly<Record<string, number>>;
  readonly windows: readonly Window[];
  readonly early: readonly string[];
  /** Milliseconds between two connections to Firehose, at the least. */
  readonly apart: number;
  readonly isLiveAgain: boolean;
}

export interface Window {
  readonly name: string;
  readonly minutes: number;
  /** The most requests that there were in any window. */
  readonly most: number;
  /** What we keep to, and what the upstream allows. */
  readonly aim: number;
  readonly limit: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const STEP = 15 * SECOND;
/** Some faults stay until they are cleared; nobody asks often while they do. */
const CLEAR_AFTER = 20;

type Fault = (stage: UpstreamService, random: Random) => void;

const FAULTS: readonly Fault[] = [
  ({ sandbox }) => sandbox.throwFault('X1'),
  ({ sandbox }) => sandbox.throwFault('X4'),
  ({ sandbox }) => sandbox.throwFault('X5', { times: 5 }),
  ({ sandbox }) => sandbox.throwFault('X5', { on: 'connect', times: 5 }),
  ({ sandbox }) => sandbox.throwFault('X6', { times: 3 }),
  ({ sandbox }, random) => sandbox.throwFault('X7', { seconds: 60 + Math.floor(random() * 600) }),
  ({ sandbox }) => sandbox.throwFault('X8', { seconds: 300 }),
  ({ sandbox }) => sandbox.throwFault('X10'),
  ({ sandbox }) => sandbox.throwFault('X21'),
  ({ sandbox }) => sandbox.throwFault('X24', { kind: 'missing', count: 3 }),
  ({ sandbox }) => sandbox.throwFault('X32'),
  ({ sandbox }) => sandbox.throwFault('F1', { times: 5 }),
  ({ sandbox }) => sandbox.throwFault('F2', { after_bytes: 0, times: 5 }),
  ({ sandbox }) => sandbox.throwFault('F3'),
  ({ sandbox }) => sandbox.throwFault('F4', { count: 2 }),
  ({ sandbox }) => sandbox.throwFault('F11'),
  ({ sandbox }) => sandbox.throwFault('F12', { times: 2 }),
  ({ sandbox }, random) => sandbox.throwFault('F15', { on: 'both', seconds: Math.floor(random() * 90), times: 2 }),
  ({ sandbox }) => sandbox.throwFault('F17'),
  ({ sandbox }, random) => {
    for (const platform of PLATFORMS) sandbox.dropRule(platform, pick(random, sandbox.rules(platform))?.id ?? '');
  },
];

const LONG: readonly Fault[] = [
  ({ sandbox }) => sandbox.throwFault('X9'),
  ({ sandbox }) => sandbox.throwFault('X18'),
  ({ sandbox }) => sandbox.throwFault('F13'),
  ({ sandbox }) => sandbox.throwFault('F14'),
];

export async function quotasUnderFire({ hours, seed }: QuotasOptions): Promise<QuotasReport> {
  const random = randomFrom(seed);
  await using stage = await upstreamService({ upstreams: PLATFORMS, random, sandbox: { keep: 1_000_000 } });
  await stage.rule('storm');
  const rules: string[] = [];
  let clearIn = 0;
  for (let step = 0; step < (hours * 60 * MINUTE) / STEP; step++) {
    const isLong = random() < 0.01;
    pick(random, isLong ? LONG : FAULTS)(stage, random);
    if (isLong) clearIn = CLEAR_AFTER;
    if (--clearIn === 0) stage.sandbox.clearFaults();
    changeRules(stage, random, rules, step);
    if (stage.sandbox.rules('firehose').length > 0 && random() < 0.3) postPage(stage);
    await stage.pass(STEP, 5 * SECOND);
  }
  stage.sandbox.clearFaults();
  await stage.pass(90 * MINUTE, 10 * SECOND);
  return reportOf(stage);
}

function postPage({ sandbox }: UpstreamService): void {
  sandbox.post('firehose', { url: 'https://example.com/a', added: ['a storm comes'] });
}

/** Now and then a great many at once: nobody waits for them, and those that fail, fail. */
function changeRules(stage: UpstreamService, random: Random, rules: string[], step: number): void {
  const { test, alice } = stage;
  const count = step % 40 === 0 ? 60 : random() < 0.5 ? 1 : 0;
  for (let made = 0; made < count; made++) {
    const value = `word${step}x${made}`;
    stage.rule(value, [pick(random, PLATFORMS)]).then(
      (id) => void rules.push(id),
      () => {},
    );
  }
  while (rules.length > 40) {
    const [rule_id] = rules.splice(Math.floor(random() * rules.length), 1);
    test.call(alice, 'deleteRule', { rule_id }).catch(() => {});
  }
}

const isX = ({ path }: RecordedCall): boolean => path.startsWith('/2/');
const pathOf = ({ path }: RecordedCall): string => path.split('?')[0]!;
const isXStream = (call: RecordedCall): boolean => pathOf(call) === '/2/tweets/search/stream';
const isXRules = (call: RecordedCall): boolean => pathOf(call) === '/2/tweets/search/stream/rules';
const isFirehoseStream = (call: RecordedCall): boolean => pathOf(call) === '/v1/stream';
const isFirehoseRules = (call: RecordedCall): boolean => pathOf(call).startsWith('/v1/rules');

const WINDOWS = [
  { name: 'connections to X', minutes: 15, aim: 45, limit: 50, of: isXStream },
  {
    name: 'rule changes at X',
    minutes: 15,
    aim: 90,
    limit: 100,
    of: (call: RecordedCall) => isXRules(call) && call.method === 'POST',
  },
  {
    name: 'rule lists of X',
    minutes: 15,
    aim: 450,
    limit: 450,
    of: (call: RecordedCall) => isXRules(call) && call.method === 'GET',
  },
  { name: 'connections to Firehose', minutes: 1, aim: 20, limit: 30, of: isFirehoseStream },
  { name: 'rule calls at Firehose', minutes: 1, aim: 50, limit: 60, of: isFirehoseRules },
];

function reportOf({ sandbox, test }: UpstreamService): QuotasReport {
  const { calls } = sandbox;
  const times = calls.filter(isFirehoseStream).map(({ at }) => at.getTime());
  const fired = sandbox.faults().filter((fault) => fault.fired > 0);
  return {
    requests: calls.length,
    refused: calls.filter(({ status }) => status === 429).length,
    fired: Object.fromEntries(fired.map((fault) => [fault.name, fault.fired])),
    windows: WINDOWS.map(({ of, ...window }) => ({
      ...window,
      most: mostIn(calls.filter(of), window.minutes * MINUTE),
    })),
    early: earlyOnes(calls),
    apart: Math.min(...times.slice(1).map((at, index) => at - times[index]!)),
    isLiveAgain: PLATFORMS.every((name) => test.service.context.upstreams.status(name)?.state === 'live'),
  };
}

function mostIn(calls: readonly RecordedCall[], windowMs: number): number {
  let [most, first] = [0, 0];
  for (const [index, { at }] of calls.entries()) {
    while (at.getTime() - calls[first]!.at.getTime() >= windowMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** What an upstream counts together. */
const counterOf = (call: RecordedCall): string =>
  isX(call) ? `${call.method} ${pathOf(call)}` : isFirehoseStream(call) ? 'stream' : 'rules';

function earlyOnes(calls: readonly RecordedCall[]): string[] {
  const stated = new Map<string, Date>();
  const early: string[] = [];
  for (const call of calls) {
    const counter = counterOf(call);
    const until = stated.get(counter);
    if (until !== undefined && call.at < until)
      early.push(`${counter} at ${call.at.toISOString()}, not before ${until.toISOString()}`);
    if (call.notBefore !== undefined) stated.set(counter, call.notBefore);
  }
  return early;
}
