/**
 * Several processes between two upstreams under fire: posts and pages come all the time and rules come and go while one
 * process after the other is killed, or hangs, and comes back. Then it counts. What Firehose sent, and what X sent at a
 * level with replay, is there, once; what X sent else is there or lies in a gap that is on record, and no gap is longer
 * than a takeover may take. Neither upstream was read twice at a time, or holds a rule of ours twice, or for nobody.
 */
import { type Random, randomFrom } from '../../bench/random.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import { PLATFORMS } from '../../src/domain/platform.ts';
import type { XLevel } from '../../src/rules/language.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { type Cluster, type ClusterNode, startCluster } from '../cluster/cluster.ts';
import { type Arrivals, type ArrivalTally, sendArrivals, tallyArrivals, WORDS } from './arrivals.ts';
import { isNothing, type Left, leftOver, type Made, makeFirstRules, makeRules } from './rules-under-fire.ts';

const NODES = { api: 2, matcher: 1, connector: 2 } as const;
/** How long a connector that was killed stays away, at most: at times the other takes over, at times itself. */
const MOST_DEAD_MS = 8_000;
/** A lease runs out meanwhile, and another connector takes it. */
const FROZEN_MS = 25_000;
/** The loss of one process may cost this time. */
const TAKEOVER_MS = 30_000;
/** Longer than anything that another process brings in order for one that died: half a rule, a registration of nobody. */
const PATIENT_SECONDS = 1_000;
/** Longer than what is replayed takes to come, when nobody waits for what broke off. */
const IMPATIENT_SECONDS = 120;

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
  /** The longest gap, in milliseconds. */
  readonly longestGap: number;
  /** The longest time that an upstream was not read, and was read twice. */
  readonly longestAway: number;
  readonly longestTogether: number;
  readonly left: Left;
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
  const made = await makeFirstRules(cluster);
  const { rules } = made;
  await whenCovered(cluster);
  const arrivals = await fire(cluster, sandbox, made, options);
  await using store = await openPostgres(cluster.storeUrl);
  const unchanged = options.isPatient ? PATIENT_SECONDS : IMPATIENT_SECONDS;
  const { gaps, left, tally } = await settled(unchanged, async () => {
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
    longestGap: longestOf(gaps),
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
    report('all rules are made');
    await cluster.ready();
    await whenRead(sandbox);
    report('every process is ready, and both upstreams are read');
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

/** But for the one that begins when the last event was sent: X is rightly suspected then to withhold the next. */
async function everyGap(store: Store): Promise<Gap[]> {
  const gaps = await Promise.all(PLATFORMS.map((platform) => store.gaps({ platform, limit: 100_000 })));
  return gaps.flat().filter(({ cause }) => cause !== 'suspect');
}

interface Counted {
  readonly gaps: readonly Gap[];
  readonly left: Left;
  readonly tally: ArrivalTally;
}

/** Counted again until nothing is missing or left over, or nothing changes for so many seconds. */
async function settled(seconds: number, count: () => Promise<Counted>): Promise<Counted> {
  let before = '';
  for (let unchanged = 0; ; ) {
    const counted = await count();
    if (counted.tally.missing === 0 && isNothing(counted.left)) return counted;
    const state = JSON.stringify([counted.tally, counted.left]);
    unchanged = state === before ? unchanged + 1 : 0;
    before = state;
    if (unchanged === seconds) return counted;
    await pause(1_000);
  }
}

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
