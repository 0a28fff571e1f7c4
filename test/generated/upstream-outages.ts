/**
 * Outages from a second to forty hours, with and without a right to replay, while records go on: most of all around
 * their beginnings and ends. In the end every record is stored, or lies in a gap that says it was not recovered.
 */
import { logUniform, pick, type Random, randomFrom } from '../../bench/random.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { FIREHOSE_DELAY_MS } from '../../src/platforms/firehose/stream-position.ts';
import { X_DELAY_MS } from '../../src/platforms/x/coverage.ts';
import type { XLevel } from '../../src/rules/language.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';

export interface OutagesOptions {
  readonly platform: Platform;
  readonly level?: XLevel;
  readonly outages: number;
  readonly seed: number;
  /** Firehose's stream has two partitions, so that resuming goes by time. */
  readonly isSplit?: boolean;
}

export interface OutagesReport {
  readonly outages: Readonly<Record<string, number>>;
  /** Of the whole time, and of it the seconds in gaps that were not recovered, and in outages. */
  readonly seconds: number;
  readonly gapSeconds: number;
  readonly outageSeconds: number;
  readonly records: number;
  readonly stored: number;
  /** Neither stored nor in a gap. */
  readonly unreported: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A service that runs costs work for every second; one that is stopped does not. */
const LONGEST_RUNNING = 20 * MINUTE;
const LONGEST = 40 * HOUR;
const FIRST_POST = 1_800_000_000_000_000_000n;

interface Sent {
  readonly id: string;
  /** When it was published, which is up to the upstream's own delay before it is sent. */
  readonly at: number;
}

const DELAY_MS: Readonly<Record<Platform, number>> = { x: X_DELAY_MS, firehose: FIREHOSE_DELAY_MS };

interface Outage {
  readonly stage: UpstreamService;
  readonly milliseconds: number;
  /** Lets so much time pass, with records in it. */
  during(milliseconds: number): Promise<void>;
}

const KINDS: Readonly<Record<Platform, Readonly<Record<string, (outage: Outage) => Promise<void>>>>> = {
  x: {
    stopped,
    'refused, then replayed': async ({ stage, milliseconds, during }) => {
      stage.sandbox.throwFault('X15', { seconds: Math.ceil(milliseconds / SECOND) });
      await during(milliseconds);
    },
    'refused, nothing replayed': async ({ stage, milliseconds, during }) => {
      stage.sandbox.throwFault('X16', { seconds: Math.ceil(milliseconds / SECOND) });
      await during(milliseconds);
    },
    silent: ({ stage, during }) => struck(() => stage.sandbox.throwFault('X1'), during),
    'told to go': ({ stage, during }) => struck(() => stage.sandbox.throwFault('X10'), during),
  },
  firehose: {
    stopped,
    'without credit': async ({ stage, milliseconds, during }) => {
      stage.sandbox.throwFault('F13');
      stage.sandbox.throwFault('F1');
      await during(milliseconds);
      clearButSplit(stage);
    },
    'cut, and its buffer forgotten': async ({ stage, milliseconds, during }) => {
      stage.sandbox.throwFault('F2', { after_bytes: 0 });
      await during(Math.min(milliseconds, 900));
      stage.sandbox.throwFault('F8');
      await during(Math.min(milliseconds, MINUTE));
    },
    'in error': async ({ stage, milliseconds, during }) => {
      stage.sandbox.throwFault('F12', { times: 8 });
      await during(milliseconds);
      clearButSplit(stage);
    },
    silent: ({ stage, during }) => struck(() => stage.sandbox.throwFault('F3'), during),
  },
};

async function stopped({ stage, milliseconds, during }: Outage): Promise<void> {
  await stage.leave();
  await during(milliseconds);
  await stage.comeBack();
}

async function struck(strike: () => void, during: Outage['during']): Promise<void> {
  strike();
  await during(2 * MINUTE);
}

function clearButSplit({ sandbox }: UpstreamService): void {
  const isSplit = (sandbox.faults().find(({ name }) => name === 'F7')?.left ?? 0) > 0;
  sandbox.clearFaults();
  if (isSplit) sandbox.throwFault('F7');
}

export async function outagesOf(options: OutagesOptions): Promise<OutagesReport> {
  const { platform, level = 'payg', outages, seed, isSplit = false } = options;
  const random = randomFrom(seed);
  await using stage = await upstreamService({ upstreams: [platform], level, random });
  await stage.rule('storm');
  await stage.live(platform);
  const began = stage.clock.now().getTime();
  if (isSplit) stage.sandbox.throwFault('F7');
  const sent: Sent[] = [];
  const counts: Record<string, number> = {};
  let outageMs = 0;
  for (let left = outages; left > 0; left--) {
    await around(stage, platform, random, sent);
    const kind = pick(random, Object.keys(KINDS[platform]));
    const milliseconds =
      kind === 'stopped'
        ? logUniform(random, pick(random, [SECOND, HOUR]), LONGEST)
        : logUniform(random, SECOND, LONGEST_RUNNING);
    counts[kind] = (counts[kind] ?? 0) + 1;
    const before = stage.clock.now().getTime();
    await KINDS[platform][kind]!({
      stage,
      milliseconds,
      during: (time) => passWith(stage, platform, random, sent, time),
    });
    outageMs += stage.clock.now().getTime() - before;
    await around(stage, platform, random, sent);
    await untilLive(stage, platform);
  }
  await stage.pass(5 * MINUTE, 2_000);
  const report = await compare(stage, platform, sent);
  const seconds = Math.round((stage.clock.now().getTime() - began) / SECOND);
  return { outages: counts, seconds, outageSeconds: Math.round(outageMs / SECOND), ...report };
}

function send(stage: UpstreamService, platform: Platform, random: Random, sent: Sent[]): void {
  const at = stage.clock.now().getTime() - Math.floor(random() * DELAY_MS[platform]);
  if (platform === 'firehose') {
    sent.push({ id: stage.page(), at });
    return;
  }
  const id = String(FIRST_POST + BigInt(sent.length));
  stage.sandbox.post('x', { data: { id, text: 'a storm', created_at: new Date(at).toISOString() } });
  sent.push({ id, at });
}

/** Some seconds with several records in each. */
async function around(stage: UpstreamService, platform: Platform, random: Random, sent: Sent[]): Promise<void> {
  for (let record = 0; record < 12; record++) {
    send(stage, platform, random, sent);
    await stage.pass(100 + Math.floor(random() * 1_500), 500);
  }
}

/** Records at the beginning, at the end, and some in between. */
async function passWith(
  stage: UpstreamService,
  platform: Platform,
  random: Random,
  sent: Sent[],
  milliseconds: number,
): Promise<void> {
  const times = [0, 1, 400, milliseconds - 400, milliseconds - 1];
  for (let more = 0; more < 5; more++) times.push(Math.floor(random() * milliseconds));
  let passed = 0;
  for (const time of times.filter((one) => one >= 0 && one < milliseconds).toSorted((a, b) => a - b)) {
    await stage.pass(time - passed, 10 * SECOND);
    passed = time;
    send(stage, platform, random, sent);
  }
  await stage.pass(milliseconds - passed, 10 * SECOND);
}

/** Nobody waits longer than X's hour, or Firehose's quarter, to be asked again. */
async function untilLive({ test, clock, pass }: UpstreamService, platform: Platform): Promise<void> {
  const end = clock.now().getTime() + 2 * HOUR;
  while (test.service.context.upstreams.status(platform)?.state !== 'live' && clock.now().getTime() < end) {
    await pass(10 * SECOND, 5 * SECOND);
  }
  await pass(3 * MINUTE, 5 * SECOND);
}

async function compare({ test, alice, store, clock }: UpstreamService, platform: Platform, sent: readonly Sent[]) {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await test.call(alice, 'listMatches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    for (const { platform_post_id } of page.matches) seen.add(platform_post_id);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const gaps = (await store.gaps({ platform, limit: 100_000 })).filter(({ recovered }) => !recovered);
  const isTold = (at: number) =>
    gaps.some(({ from, to }) => from.getTime() <= at && at <= (to?.getTime() ?? Number.POSITIVE_INFINITY));
  const missing = sent.filter(({ id, at }) => !seen.has(id) && !isTold(at));
  return {
    gapSeconds: Math.round(lengthOf(gaps, clock.now()) / SECOND),
    records: sent.length,
    stored: sent.filter(({ id }) => seen.has(id)).length,
    unreported: missing.map(({ id, at }) => `${id} of ${new Date(at).toISOString()}`),
  };
}

/** Of gaps that may overlap. */
function lengthOf(gaps: readonly Gap[], now: Date): number {
  let [length, reached] = [0, 0];
  for (const { from, to = now } of gaps.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    length += Math.max(0, to.getTime() - Math.max(from.getTime(), reached));
    reached = Math.max(reached, to.getTime());
  }
  return length;
}
