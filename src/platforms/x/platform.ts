/** X as a platform: its rules and its stream behind the contract, with what both need to know of each other. */
import { DEFAULT_X_LEVEL, type XLevel, xLanguage } from '../../rules/x/language.ts';
import type { LivePlatform } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { freeConnections } from './connections.ts';
import { createDial } from './open-stream.ts';
import { createQuota } from './quota.ts';
import { createRuleCalls } from './rule-calls.ts';
import { addRules, removeRules, validateRule } from './rules.ts';
import { createVolume } from './silence.ts';
import { createSpill } from './spill.ts';
import { xStream } from './stream.ts';

export interface XPlatformOptions extends UpstreamOptions {
  readonly level?: XLevel;
  /** Where records wait that memory has no room for. */
  readonly spillDir: string;
  /** Asks for packed streams: fewer bytes for more work. X has not said that it takes this; by default it is not asked. */
  readonly gzip?: boolean;
}

/** X opens 50 streams in 15 minutes; after some we take our time, so that there is always one left. */
const CONNECTS = { most: 45, free: 30 };
/** X closes connections on request 25 times. */
const CLOSINGS = { most: 20 };

interface Level {
  /** Backfill, recovery, and room for a second connection. */
  readonly isLarge: boolean;
  /** Rules that X takes, where it does not say. */
  readonly rules: number;
  /** Rule changes in 15 minutes, a tenth below X's limit. */
  readonly writes: number;
}

const PAYG: Level = { isLarge: false, rules: 1_000, writes: 90 };
const ENTERPRISE: Level = { isLarge: true, rules: 25_000, writes: 400 };

export function xPlatform(options: XPlatformOptions): LivePlatform {
  const { level = DEFAULT_X_LEVEL, clock, spillDir, gzip = false } = options;
  const { isLarge, rules: usual, writes } = level === 'payg' ? PAYG : ENTERPRISE;
  const length = Number(xLanguage({ level }).help.limits['rule_length']);
  const calls = createRuleCalls(options, { writes });
  const volume = createVolume(clock);
  const closings = createQuota(CLOSINGS, clock);
  const parts = {
    ...options,
    volume,
    dial: createDial(options, { gzip }),
    quota: createQuota(CONNECTS, clock),
    replay: isLarge,
    openSpill: () => createSpill(spillDir, `x-${process.pid}`),
    free: (connected: Parameters<typeof freeConnections>[0]['connected'], signal: AbortSignal) =>
      freeConnections({ upstream: options, quota: closings, connected, single: !isLarge, signal }),
  };
  return {
    name: 'x',
    shape: 'upstream',
    validate: (value) => validateRule(calls, value),
    register: (wanted) => addRules(calls, wanted),
    async unregister(ids) {
      await removeRules(calls, ids);
      for (const id of ids) volume.forget(id);
    },
    held: () => calls.list(),
    async capacity() {
      const counts = await calls.counts();
      return { rules: counts?.cap ?? usual, used: counts?.used ?? (await calls.list()).length, length };
    },
    stream: (control) => xStream(parts, control),
  };
}
