/**
 * Several processes between two upstreams under fire: posts and pages come all the time and rules come and go while one
 * process after the other is killed, or hangs, and comes back. Then it counts. What Firehose sent, and what X sent at a
 * level with replay, is there, once; what X sent else is there or lies in a gap that is on record, and no gap is longer
 * than a takeover may take. Neither upstream was read twice at a time, or holds a rule of ours twice, or for nobody.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import type { Gap } from '../../src/domain/gap.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import type { XLevel } from '../../src/rules/x/language.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { callServer } from '../black-box/server.ts';
import { type Cluster, type ClusterNode, startCluster } from '../cluster/cluster.ts';
import {
  type Acknowledged,
  type Arrivals,
  type ArrivalTally,
  sendArrivals,
  tallyArrivals,
  WORDS,
  wordOf,
} from './arrivals.ts';

const NODES = { api: 2, matcher: 1, connector: 2 } as const;
/** So many of the words have a rule before the first kill. */
const FIRST_RULES = WORDS / 2;
/** How long a connector that was killed stays away, at most: at times the other takes over, at times itself. */
const MOST_DEAD_MS = 8_000;
/** A lease runs out meanwhile, and another connector takes it. */
const FROZEN_MS = 25_000;
/** What the loss of one process may cost. */
const TAKEOVER_MS = 30_000;
/** Longer than anything that another process brings in order for one that died: half a rule, a registration of nobody. */
const UNCHANGED_SECONDS = 1_000;

const UPSTREAM_VICTIMS = ['connector', 'frozen connector', 'api', 'matcher', 'postgres', 'nats'] as const;
export type UpstreamVictim = (typeof UPSTREAM_VICTIMS)[number];

export interface UpstreamFireOptions {
  /** In which order. Of several with one role each is struck in turn: which connector reads is for the store to say. */
  readonly victims: readonly UpstreamVictim[];
  readonly level: XLevel;
  readonly seed: number;
  /** How long is waited, at most, between two kills. */
  readonly apartMs: number;
  /** Whether it waits for what a call that broke off has left behind: others bring that in order, after minutes. */
  readonly isPatient: boolean;
  readonly report?: (line: string) => void;
}

export interface UpstreamFireResult extends ArrivalTally {
  readonly events: number;
  /** How often a stream of X was opened beside the first time. */
  readonly takeovers: number;
  readonly gaps: number;
  /** In milliseconds: the longest gap while events came, since their end is taken for a stream that withholds; the longest time that an upstream was not read, and was read twice. */
  readonly longestGap: number;
  readonly longestAway: number;
  readonly longestTogether: number;
  readonly left: Left;
}

/** The rules that were made meanwhile. */
interface Made {
  /** Those that are to stay, as soon as they are there. */
  readonly rules: Acknowledged[];
  /** Names of rules of which a call broke off: whether there is a second one is not known. */
  readonly brokenOff: Set<string>;
}

/** What should be nothing when all is in order again. */
interface Left {
  readonly openGaps: number;
  /** Rules that are neither there nor not. */
  readonly unfinished: number;
  /** Rules of which an upstream holds no registration, or more than one. */
  readonly unregistered: number;
  readonly registeredTwice: number;
  /** Registrations that stand for no rule. */
  readonly orphans: number;
}

export async function upstreamsUnderFire(options: UpstreamFireOptions): Promise<UpstreamFireResult> {
  await using sandbox = await startSandbox({ xLevel: options.level, limits: 'off' });
  await using cluster = await startCluster({
    nodes: NODES,
    settings: {
      SLUICE_X_BEARER_TOKEN: 'x-token',
      SLUICE_X_BASE_URL: sandbox.url,
      SLUICE_X_LEVEL: options.level,
      SLUICE_FIREHOSE_TOKEN: 'fh_token',
      SLUICE_FIREHOSE_BASE_URL: sandbox.url,
    },
  });
  await cluster.ready();
  const made: Made = { rules: [], brokenOff: new Set() };
  const { rules } = made;
  for (let word = 0; word < FIRST_RULES; word++) {
    const ruleId = await createRule(cluster.apis[word % cluster.apis.length]!, wordOf(word));
    if (ruleId === undefined) throw new Error('a rule was not taken');
    rules.push({ ruleId, word: wordOf(word), since: 0 });
  }
  await whenCovered(cluster);
  const arrivals = await fire(cluster, sandbox, made, options);
  await using store = await openPostgres(cluster.storeUrl);
  const { gaps, left, tally } = await settled(async () => {
    const known = await everyGap(store);
    return {
      gaps: known,
      left: await leftOver(cluster, sandbox, known, options.isPatient ? { ...made, brokenOff: new Set() } : made),
      tally: await tallyArrivals(cluster.call, arrivals, rules, known),
    };
  });
  const { x, firehose } = arrivals.seen;
  return {
    ...tally,
    left,
    events: arrivals.next,
    takeovers: sandbox.calls.filter(isStreamOfX).length - 1,
    gaps: gaps.length,
    longestGap: longestOf(gaps.filter(({ from }) => from.getTime() < arrivals.lastAt)),
    longestAway: Math.max(x.away, firehose.away),
    longestTogether: Math.max(x.together, firehose.together),
  };
}

const longestOf = (gaps: readonly Gap[]): number =>
  Math.max(0, ...gaps.map(({ from, to = from }) => to.getTime() - from.getTime()));

const isStreamOfX = ({ path, status }: Sandbox['calls'][number]): boolean =>
  /^\/2\/tweets\/search\/stream(\?|$)/.test(path) && status === 200;

/** Resolves when both streams are read, and it is durable from where on. */
async function whenCovered(cluster: Cluster): Promise<void> {
  for (;;) {
    const { body } = await cluster.call('GET', '/api.Status');
    const platforms = body['platforms'] as Record<string, { complete_through: string | null }>;
    if (PLATFORMS.every((name) => platforms[name]!.complete_through !== null)) return;
    await pause(50);
  }
}

async function fire(cluster: Cluster, sandbox: Sandbox, made: Made, options: UpstreamFireOptions): Promise<Arrivals> {
  const { victims, seed, apartMs, report = () => {} } = options;
  const random = randomFrom(seed);
  const [sending, making] = [new AbortController(), new AbortController()];
  const arrivals = sendArrivals(sandbox, sending.signal);
  try {
    const rulesMade = makeRules(cluster, made, arrivals, randomFrom(seed + 1), making.signal);
    let back = Promise.resolve();
    for (const [number, victim] of victims.entries()) {
      await pause(random() * apartMs);
      const before = back;
      const struck = victims.slice(0, number).filter((one) => roleOf(one) === roleOf(victim)).length;
      back = strike(cluster, victim, struck, random, arrivals).then(() => before);
      // Mostly all is well again before the next; at times one is struck while another is not back yet.
      if (random() < 0.75) {
        await back;
        await whenRead(sandbox);
      }
      report(
        `kill ${number + 1}, ${victim}: ${arrivals.next} events of each upstream, ${made.rules.length} rules so far`,
      );
    }
    await back;
    making.abort();
    await rulesMade;
    await cluster.ready();
    await whenRead(sandbox);
    const last = arrivals.next + WORDS;
    while (arrivals.next < last) await pause(20);
  } finally {
    making.abort();
    sending.abort();
  }
  return arrivals;
}

async function whenRead(sandbox: Sandbox): Promise<void> {
  while (PLATFORMS.some((name) => sandbox.connections(name) === 0)) await pause(20);
}

const roleOf = (victim: UpstreamVictim): string => (victim === 'frozen connector' ? 'connector' : victim);

async function strike(
  cluster: Cluster,
  victim: UpstreamVictim,
  turn: number,
  random: Random,
  arrivals: Arrivals,
): Promise<void> {
  if (victim === 'postgres') return cluster.postgres.crash();
  if (victim === 'nats') return cluster.nats!.restart();
  const role = roleOf(victim);
  const nodes = cluster.nodes.filter((node) => node.role === role);
  const node = nodes[turn % nodes.length]!;
  if (victim === 'frozen connector') {
    arrivals.excuse(true);
    await node.freeze();
    await pause(FROZEN_MS);
    await node.thaw();
    return arrivals.excuse(false);
  }
  await node.kill();
  if (role === 'connector' && random() < 0.5) await pause(random() * MOST_DEAD_MS);
  await comeBack(node);
}

/** A supervisor starts it again when it ends at once, as it does while PostgreSQL or NATS is away. */
async function comeBack(node: ClusterNode): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await node.start();
    } catch (error) {
      if (tries === 20) throw error;
      await node.kill();
      await pause(200);
    }
  }
}

/** The other rules, each on any node; then such as are deleted again, so that their registrations have to go. */
async function makeRules(
  cluster: Cluster,
  { rules, brokenOff }: Made,
  arrivals: Arrivals,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  for (let number = FIRST_RULES; number < WORDS || !signal.aborted; number++) {
    const word = wordOf(number);
    let ruleId: string | undefined;
    while (ruleId === undefined) {
      ruleId = await createRule(pick(random, cluster.apis), word);
      if (ruleId === undefined) await brokeOff(word);
    }
    if (number < WORDS) rules.push({ ruleId, word, since: arrivals.next });
    else while (!(await isDeleted(pick(random, cluster.apis), ruleId))) await brokeOff(word);
    await pause(signal.aborted ? 0 : random() * 2_000);
  }

  function brokeOff(word: string): Promise<void> {
    brokenOff.add(word);
    return pause(100);
  }
}

/** Undefined when nobody said that it is there. */
async function createRule({ url }: ClusterNode, word: string): Promise<string | undefined> {
  const rule = {
    name: word,
    intent: '',
    platforms: PLATFORMS,
    overrides: { x: word, firehose: word },
    options: { firehose: { quality: false, nsfw: true } },
  };
  const answer = await callServer(url, 'POST', '/api.CreateRule', rule).catch(() => undefined);
  return answer?.body['rule_id'] as string | undefined;
}

async function isDeleted({ url }: ClusterNode, rule_id: string): Promise<boolean> {
  const answer = await callServer(url, 'POST', '/api.DeleteRule', { rule_id }).catch(() => undefined);
  return answer?.status === 200 || answer?.status === 404;
}

async function everyGap(store: Store): Promise<Gap[]> {
  const gaps = await Promise.all(PLATFORMS.map((platform) => store.gaps({ platform, limit: 100_000 })));
  return gaps.flat();
}

interface ListedRule {
  readonly name: string;
  readonly platforms: Readonly<Record<string, { readonly status: string }>>;
}

async function leftOver(
  cluster: Cluster,
  sandbox: Sandbox,
  gaps: readonly Gap[],
  { rules, brokenOff }: Made,
): Promise<Left> {
  const { body } = await cluster.call('GET', '/api.ListRules');
  const listed = body['rules'] as ListedRule[];
  const names = new Set([...brokenOff, ...listed.map(({ name }) => name)]);
  const isUnfinished = ({ name, platforms }: ListedRule): boolean =>
    !brokenOff.has(name) && Object.values(platforms).some(({ status }) => status !== 'active');
  const held = PLATFORMS.map((name) => sandbox.rules(name).map(({ value }) => value));
  const sum = (count: (values: string[]) => number) => held.reduce((total, values) => total + count(values), 0);
  return {
    openGaps: gaps.filter(({ to }) => to === undefined).length,
    unfinished: listed.filter(isUnfinished).length,
    unregistered: sum((values) => rules.filter(({ word }) => !values.includes(word)).length),
    registeredTwice: sum((values) => values.length - new Set(values).size),
    orphans: sum((values) => values.filter((value) => !names.has(value)).length),
  };
}

interface Counted {
  readonly gaps: readonly Gap[];
  readonly left: Left;
  readonly tally: ArrivalTally;
}

/** Counted again until nothing is missing or left over, or changes. */
async function settled(count: () => Promise<Counted>): Promise<Counted> {
  let before = '';
  for (let unchanged = 0; ; ) {
    const counted = await count();
    if (counted.tally.missing === 0 && isNothing(counted.left)) return counted;
    const state = JSON.stringify([counted.tally, counted.left]);
    unchanged = state === before ? unchanged + 1 : 0;
    before = state;
    if (unchanged === UNCHANGED_SECONDS) return counted;
    await pause(1_000);
  }
}

const isNothing = (left: Left): boolean => Object.values(left).every((count) => count === 0);

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Whatever the machine had to do meanwhile. */
export const isWhole = (level: XLevel, { missing, inGaps, twice, unexpected, left }: UpstreamFireResult): boolean =>
  missing + twice + unexpected === 0 && isNothing(left) && (level === 'payg' || inGaps === 0);

const isInTime = ({ longestGap, longestAway, longestTogether }: UpstreamFireResult): boolean =>
  Math.max(longestGap, longestAway, longestTogether) <= TAKEOVER_MS;

/** So many kills of each, and a fifth as many that hang, at a level of X without replay and at one with it. */
export async function upstreamClusterCampaign(kills: number, seed: number): Promise<boolean> {
  const random = randomFrom(seed);
  const all = UPSTREAM_VICTIMS.flatMap((victim) =>
    Array.from({ length: victim === 'frozen connector' ? Math.ceil(kills / 5) : kills }, () => victim),
  );
  let isPassed = true;
  for (const level of ['payg', 'enterprise'] as const) {
    const victims = all
      .map((victim) => ({ victim, place: random() }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ victim }) => victim);
    console.log(`cluster and upstreams, X at ${level}: ${victims.length} kills, seed ${seed}`);
    const report = (line: string) => console.log(line);
    const result = await upstreamsUnderFire({ victims, level, seed, apartMs: 2_000, isPatient: true, report });
    console.log(JSON.stringify(result));
    isPassed &&= isWhole(level, result) && isInTime(result);
  }
  return isPassed;
}
