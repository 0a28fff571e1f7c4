/** X as a platform: its rules and its stream behind the contract. */
import { createWakeUp } from '../../base/wake-up.ts';
import { DEFAULT_X_LEVEL, type XLevel } from '../../rules/language.ts';
import { xLanguage } from '../../rules/x/language.ts';
import {
  type LivePlatform,
  PlatformError,
  type Registered,
  type StreamControl,
  type UpstreamOptions,
  type Wanted,
} from '../platform.ts';
import { freeConnections } from './connections.ts';
import { DELETION_PARTS, readDeletions } from './deletions.ts';
import { createPathOpener, createStreamOpener } from './open-stream.ts';
import { createPresence, createQuota } from './quota.ts';
import { type Push, runReconnectLoop } from './reconnect-loop.ts';
import { createRuleCalls, type RuleCalls } from './rule-calls.ts';
import { createSilenceDetector } from './silence.ts';
import { createSpill } from './spill.ts';
import { xStream } from './stream.ts';
import { createWebhookCalls } from './webhook-calls.ts';
import { createWebhookEndpoint, type XWebhookOptions } from './webhook-endpoint.ts';
import { runWebhookLoop } from './webhook-loop.ts';

/** X documents no limit for one request; its sibling Powerstream takes 100. */
const MOST_AT_ONCE = 100;

/** Throws if X refuses the value. A value that X holds already is accepted. */
async function dryRunRule(calls: RuleCalls, value: string): Promise<void> {
  const outcomes = await calls.offer([{ value, flags: {}, tag: '' }], { dryRun: true });
  const outcome = outcomes.get(value);
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
}

/** Adds and removes X's rules in batches, until each rule has an answer of its own. */
export async function addRules(calls: RuleCalls, wanted: readonly Wanted[]): Promise<readonly Registered[]> {
  const distinct = [...new Map(wanted.map((one) => [one.value, one])).values()];
  const answers = new Map<string, Registered>();
  /** Values that X holds under an id that it did not tell. */
  const nameless = new Set<string>();
  const unanswered = () => distinct.filter(({ value }) => !answers.has(value) && !nameless.has(value));
  try {
    await offerAll(calls, distinct, answers, nameless);
    // X may not have created good rules of a batch with a bad one: offer them again without it.
    await offerAll(calls, unanswered(), answers, nameless);
    await lookUp(calls, [...nameless, ...unanswered().map(({ value }) => value)], answers);
  } catch (error) {
    // Answers that came before the failure are kept.
    if (!(error instanceof PlatformError) || answers.size === 0) throw error;
    for (const { value } of distinct) if (!answers.has(value)) answers.set(value, { error });
  }
  return wanted.map(({ value }) => answers.get(value)!);
}

async function offerAll(
  calls: RuleCalls,
  offered: readonly Wanted[],
  answers: Map<string, Registered>,
  nameless: Set<string>,
): Promise<void> {
  for (const batch of batchesOf(offered)) {
    for (const [value, outcome] of await calls.offer(batch, { dryRun: false })) {
      if (!('heldAs' in outcome)) answers.set(value, outcome);
      else if (outcome.heldAs === undefined) nameless.add(value);
      else answers.set(value, { id: outcome.heldAs });
    }
  }
}

async function lookUp(calls: RuleCalls, values: readonly string[], answers: Map<string, Registered>): Promise<void> {
  if (values.length === 0) return;
  const ids = new Map((await calls.list()).map(({ id, value }) => [value, id]));
  for (const value of values) {
    const id = ids.get(value);
    answers.set(value, id === undefined ? { error: UNSAID } : { id });
  }
}

const UNSAID = new PlatformError('unreachable', 'X did not add the rule and gave no reason.');

export async function removeRules(calls: RuleCalls, ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ids)) {
    const missed = await calls.remove(batch);
    if (missed === 0 || batch.length === 1) continue;
    // X does not say which ids it missed, and may have kept the others: remove those that are still listed.
    const held = new Set((await calls.list()).map(({ id }) => id));
    const left = batch.filter((id) => held.has(id));
    if (left.length > 0) await calls.remove(left);
  }
}

const batchesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / MOST_AT_ONCE) }, (_, at) =>
    all.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE),
  );

export interface XPlatformOptions extends UpstreamOptions {
  readonly level?: XLevel;
  /** The folder for records that do not fit in memory. */
  readonly spillDir: string;
  /** Asks for gzip: fewer bytes, more CPU. X does not document it, so it is off by default. */
  readonly gzip?: boolean;
  /** X delivers to our endpoint, and no connection is kept open. It needs the level `enterprise`. */
  readonly webhook?: XWebhookOptions | undefined;
}

/** X allows 50 connections in 15 minutes. We make at most 45, and spread them out after the first 30. */
const CONNECTS = { most: 45, free: 30 };
/** X allows 25 requests to close connections in 15 minutes. */
const CLOSINGS = { most: 20 };

interface Level {
  /** Backfill, recovery, and room for a second connection. */
  readonly isLarge: boolean;
  /** How many rules X allows, if it does not say. */
  readonly rules: number;
  /** Rule changes in 15 minutes, below X's limit. */
  readonly writes: number;
}

const PAYG: Level = { isLarge: false, rules: 1_000, writes: 90 };
const ENTERPRISE: Level = { isLarge: true, rules: 25_000, writes: 400 };

export function xPlatform(options: XPlatformOptions): LivePlatform {
  const { level = DEFAULT_X_LEVEL, clock, spillDir, gzip = false } = options;
  const { isLarge, rules: usual, writes } = level === 'payg' ? PAYG : ENTERPRISE;
  const length = Number(xLanguage({ level }).help.limits['rule_length']);
  const presence = createPresence();
  const calls = createRuleCalls(options, { writes, presence });
  const silence = createSilenceDetector(clock);
  const closings = createQuota(CLOSINGS, clock);
  const parts = {
    ...options,
    silence,
    presence,
    openStream: createStreamOpener(options, { gzip }),
    quota: createQuota(CONNECTS, clock),
    replay: isLarge,
    openSpill: () => createSpill(spillDir, `x-${process.pid}`),
    free: (connected: Parameters<typeof freeConnections>[0]['connected'], signal: AbortSignal) =>
      freeConnections({ upstream: options, quota: closings, connected, single: !isLarge, signal }),
  };
  const webhook = options.webhook && deliveriesOf(options, options.webhook);
  const run = (inner: StreamControl, push: Push, taken: (signal: AbortSignal) => Promise<void>) =>
    webhook === undefined
      ? runReconnectLoop(parts, inner, push)
      : runWebhookLoop({ ...parts, ...webhook.partsOf(inner.signal) }, inner, push, taken);
  return {
    name: 'x',
    shape: 'upstream',
    validate: (value) => dryRunRule(calls, value),
    register: (wanted) => addRules(calls, wanted),
    async unregister(ids) {
      await removeRules(calls, ids);
      for (const id of ids) silence.forget(id);
    },
    held: () => calls.list(),
    async capacity() {
      const counts = await calls.counts();
      return { rules: counts?.cap ?? usual, used: counts?.used ?? (await calls.list()).length, length };
    },
    stream: (control) => xStream(parts, control, run),
    ...(webhook && { webhook: webhook.endpoint }),
    ...(isLarge && {
      deletions: {
        parts: DELETION_PARTS,
        read: (part, since, signal) =>
          readDeletions({ ...options, open: createPathOpener(options, { gzip }) }, part, since, signal),
      },
    }),
  };
}

/** The inbox that the endpoint and the loop share, and a bell between them. */
function deliveriesOf(upstream: UpstreamOptions, webhook: XWebhookOptions) {
  const { clock } = upstream;
  const wakeUp = createWakeUp(clock);
  const endpoint = createWebhookEndpoint({ ...webhook, clock, onStored: () => wakeUp.wake() });
  return {
    endpoint,
    partsOf: (signal: AbortSignal) => ({
      inbox: webhook.inbox,
      wakeUp,
      flush: () => endpoint.flush(),
      calls: createWebhookCalls(upstream, webhook.url, signal),
    }),
  };
}
