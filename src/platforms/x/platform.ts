/** X as a platform: its rules and its stream behind the contract. */
import { createWakeUp } from '../../base/wake-up.ts';
import { xLanguage } from '../../rules/x/language.ts';
import { DEFAULT_X_LEVEL, type XLevel } from '../../rules/x/level.ts';
import type { LivePlatform, StreamControl, UpstreamOptions } from '../platform.ts';
import { freeConnections } from './connections.ts';
import { DELETION_PARTS, readDeletions } from './deletions.ts';
import { createPathOpener, createStreamOpener } from './open-stream.ts';
import { createPresence, createQuota } from './quota.ts';
import { type Push, runReconnectLoop } from './reconnect-loop.ts';
import { createRuleCalls } from './rule-calls.ts';
import { addRules, dryRunRule, removeRules } from './rules.ts';
import { createSilenceDetector } from './silence.ts';
import { createSpill } from './spill.ts';
import { xStream } from './stream.ts';
import { createWebhookCalls } from './webhook-calls.ts';
import { createWebhookEndpoint, type XWebhookOptions } from './webhook-endpoint.ts';
import { runWebhookLoop } from './webhook-loop.ts';

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
