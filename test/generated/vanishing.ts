/**
 * Registrations deleted at the upstream by chance, some at a time, while posts for one or several rules go on, with a
 * restart now and then. In the end every match is stored, or lies in a gap of its rule; and whatever came to us for
 * another rule is stored for every rule that it satisfies.
 */
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import type { Gap } from '../../src/domain/coverage.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { FIREHOSE_DELAY_MS } from '../../src/platforms/firehose/stream-position.ts';
import { X_DELAY_MS } from '../../src/platforms/x/coverage.ts';
import { type UpstreamService, upstreamService } from '../stages/upstream-service.ts';

export interface VanishingOptions {
  readonly platform: Platform;
  /** How often registrations are deleted. */
  readonly times: number;
  readonly seed: number;
}

export interface VanishingReport {
  readonly deleted: number;
  readonly restarts: number;
  /** Pairs of a post and a rule that it satisfies. */
  readonly pairs: number;
  readonly stored: number;
  /** Not stored, and in no gap of the rule or of the platform that says so. */
  readonly silent: readonly string[];
  /** They came for another rule, and are not stored for this one. */
  readonly dropped: readonly string[];
  /** Rules that the upstream does not hold in the end, or that are not active. */
  readonly unsettled: readonly string[];
}

const SECOND = 1_000;
const WORDS = ['storm', 'rain', 'sea', 'wind', 'fog', 'hail'] as const;
/** Longer than two comparisons. */
const LONGEST_PAUSE = 130 * SECOND;
const RESTART_SHARE = 0.06;
const DELAY_MS: Readonly<Record<Platform, number>> = { x: X_DELAY_MS, firehose: FIREHOSE_DELAY_MS };

interface Sent {
  readonly mark: string;
  readonly words: readonly string[];
  /** When it was published: up to the upstream's own delay before it was sent. */
  readonly at: number;
  /** The upstream held one of its rules while we listened. */
  readonly came: boolean;
}

interface Run {
  readonly stage: UpstreamService;
  readonly platform: Platform;
  readonly random: Random;
  readonly sent: Sent[];
  isListening: boolean;
}

export async function vanishingOf({ platform, times, seed }: VanishingOptions): Promise<VanishingReport> {
  const random = randomFrom(seed);
  await using stage = await upstreamService({ upstreams: [platform], level: 'payg' });
  const rules = new Map<string, string>();
  for (const word of WORDS) rules.set(word, await stage.rule(word));
  await stage.live(platform);
  await stage.pass(30 * SECOND, 5 * SECOND);
  const run: Run = { stage, platform, random, sent: [], isListening: true };
  let [deleted, restarts] = [0, 0];
  for (let time = 0; time < times; time++) {
    await someTime(run);
    deleted += deleteSome(run);
    if (random() >= RESTART_SHARE) continue;
    restarts++;
    await restart(run);
  }
  await someTime(run);
  await stage.pass(200 * SECOND, 5 * SECOND);
  return { deleted, restarts, ...(await compare(run, rules)) };
}

/** One, some or all. */
function deleteSome({ stage, platform, random }: Run): number {
  const held = stage.sandbox.rules(platform);
  const share = pick(random, [0, 0.3, 1]);
  const gone = held.filter(() => random() < share);
  const chosen = gone.length > 0 || held.length === 0 ? gone : [pick(random, held)];
  for (const { id } of chosen) stage.sandbox.dropRule(platform, id);
  return chosen.length;
}

async function restart(run: Run): Promise<void> {
  const { stage, random } = run;
  // What was sent has come.
  await stage.pass(1_000);
  run.isListening = false;
  await stage.leave();
  await passWithPosts(run, random() * LONGEST_PAUSE);
  await stage.comeBack();
  for (let left = 120; left > 0 && stage.test.service.context.upstreams.status(run.platform)?.state !== 'live'; left--)
    await passWithPosts(run, SECOND);
  await stage.pass(3 * SECOND);
  run.isListening = true;
}

const someTime = (run: Run): Promise<void> => passWithPosts(run, run.random() ** 2 * LONGEST_PAUSE);

async function passWithPosts(run: Run, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; ) {
    const step = Math.min(left, 200 + Math.floor(run.random() * 12_000));
    await run.stage.pass(step, 4 * SECOND);
    left -= step;
    post(run);
  }
}

function post({ stage, platform, random, sent, isListening }: Run): void {
  const words = WORDS.filter(() => random() < 0.35);
  if (words.length === 0) words.push(pick(random, WORDS));
  const mark = `n${sent.length}`;
  const now = stage.clock.now().getTime();
  const at = now - Math.floor(random() * DELAY_MS[platform]);
  const text = [...words, mark].join(' ');
  const held = new Set(stage.sandbox.rules(platform).map(({ value }) => value));
  if (platform === 'firehose') stage.sandbox.post('firehose', { url: `https://example.com/${mark}`, added: [text] });
  else {
    const id = String(1_800_000_000_000_000_000n + BigInt(sent.length));
    stage.sandbox.post('x', { data: { id, text, created_at: new Date(at).toISOString() } });
  }
  sent.push({ mark, words, at, came: isListening && words.some((word) => held.has(word)) });
}

async function compare({ stage, platform, sent }: Run, rules: ReadonlyMap<string, string>) {
  const stored = await storedPairs(stage);
  const gaps = new Map<string, Gap[]>();
  for (const [word, ruleId] of rules) gaps.set(word, await gapsOf(stage, platform, ruleId));
  const [silent, dropped]: [string[], string[]] = [[], []];
  let pairs = 0;
  for (const { mark, words, at, came } of sent) {
    for (const word of words) {
      pairs++;
      if (stored.has(`${rules.get(word)} ${mark}`)) continue;
      const name = `${mark} for ${word} at ${new Date(at).toISOString()}`;
      if (came) dropped.push(name);
      if (!gaps.get(word)!.some(({ from, to }) => from.getTime() <= at && at <= to!.getTime())) silent.push(name);
    }
  }
  return { pairs, stored: stored.size, silent, dropped, unsettled: await unsettledRules(stage, platform, rules) };
}

async function storedPairs({ test, alice }: UpstreamService): Promise<ReadonlySet<string>> {
  const marks = (await test.everyMatch(alice)).map(({ rule_id, payload }) => {
    const [mark] = JSON.stringify(payload).match(/\bn\d+\b/)!;
    return `${rule_id} ${mark}`;
  });
  return new Set(marks);
}

/** Gaps that were not recovered and have ended. */
const gapsOf = async ({ store, alice }: UpstreamService, platform: Platform, ruleId: string): Promise<Gap[]> =>
  (await store.gaps({ platform, accountId: alice.account.id, ruleId, isMissing: true, limit: 100_000 })).filter(
    ({ to }) => to !== undefined,
  );

async function unsettledRules(
  { test, alice, sandbox }: UpstreamService,
  platform: Platform,
  rules: ReadonlyMap<string, string>,
): Promise<string[]> {
  const held = sandbox.rules(platform).map(({ value }) => value);
  const unsettled: string[] = [];
  for (const [word, rule_id] of rules) {
    const { platforms } = await test.call(alice, 'getRule', { rule_id });
    if (platforms[platform]!.status !== 'active' || !held.includes(word)) unsettled.push(word);
  }
  return unsettled;
}
