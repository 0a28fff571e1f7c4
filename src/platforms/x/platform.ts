/** X as a platform: its rules and its stream behind the contract. */
import { xLanguage } from '../../rules/x/language.ts';
import { DEFAULT_X_LEVEL, type XLevel } from '../../rules/x/level.ts';
import type { LivePlatform, StreamControl, StreamItem } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { itemOf } from './arrivals.ts';
import { Backlog } from './backlog.ts';
import { freeConnections } from './connections.ts';
import { DELETION_PARTS, readDeletions } from './deletions.ts';
import { createPathOpener, createStreamOpener } from './open-stream.ts';
import { createPresence } from './presence.ts';
import { createQuota } from './quota.ts';
import { createRecentPosts } from './recent-posts.ts';
import { type ReconnectParts, runReconnectLoop } from './reconnect-loop.ts';
import { createRuleCalls } from './rule-calls.ts';
import { addRules, dryRunRule, removeRules } from './rules.ts';
import { createSilenceDetector } from './silence.ts';
import { createSpill, type Spill } from './spill.ts';

export interface XPlatformOptions extends UpstreamOptions {
  readonly level?: XLevel;
  /** The folder for records that do not fit in memory. */
  readonly spillDir: string;
  /** Asks for gzip: fewer bytes, more CPU. X does not document it, so it is off by default. */
  readonly gzip?: boolean;
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
    stream: (control) => xStream(parts, control),
    ...(isLarge && {
      deletions: {
        parts: DELETION_PARTS,
        read: (part, since, signal) =>
          readDeletions({ ...options, open: createPathOpener(options, { gzip }) }, part, since, signal),
      },
    }),
  };
}

/**
 * The stream of X behind the contract. One side keeps a connection open and never waits for the consumer; the other side
 * yields what waits in the backlog between the two, in order.
 */
const MINUTE_MS = 60_000;
/** X repeats a post within ten minutes, and a recovery within its day. */
const KEEP_POSTS_MS = 10 * MINUTE_MS;
const KEEP_REPLAYED_MS = 24 * 60 * MINUTE_MS;

interface StreamParts extends ReconnectParts {
  readonly openSpill: () => Spill;
}

async function* xStream(parts: StreamParts, control: StreamControl): AsyncGenerator<StreamItem> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([control.signal, stopping.signal]);
  const inner = { signal, committed: () => control.committed(), rulesHeld: () => control.rulesHeld() };
  const backlog = new Backlog({ spill: parts.openSpill(), clock: parts.clock, count: () => parts.count('spill') });
  const recent = createRecentPosts(parts.clock, parts.replay ? KEEP_REPLAYED_MS : KEEP_POSTS_MS);
  // If the loop throws, the stream ends and the consumer gets the error below.
  const running = runReconnectLoop(parts, inner, (entry) => backlog.push(entry)).finally(() => stopping.abort());
  running.catch(() => {});
  try {
    for (let entry = await backlog.take(signal); entry !== undefined; entry = await backlog.take(signal)) {
      const item = itemOf(entry, { ...parts, recent });
      if (item !== undefined) yield item;
    }
    await running;
  } finally {
    stopping.abort();
    await running.catch(() => {});
    backlog.close();
  }
}
