/**
 * A platform whose events our own engine matches, so there is no upstream to call. An id is a digest of the rule's value
 * and flags: equal rules have the same id without any state, also after a restart.
 */
import { createHash } from 'node:crypto';
import type { Platform } from '../../domain/platform.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import type { LivePlatform, StreamItem } from '../platform.ts';

export const localPlatform = (name: Platform): LivePlatform => ({
  name,
  shape: 'local',
  validate: async () => {},
  register: async (wanted) => wanted.map(({ value, flags }) => ({ id: idOf(name, value, flags) })),
  unregister: async () => {},
  held: async () => [],
  capacity: async () => ({ rules: undefined, used: 0, length: Number.POSITIVE_INFINITY }),
  stream: () => nothing(),
});

/** Nineteen digits, like the ids of upstreams. */
function idOf(name: Platform, value: string, flags: RuleFlags): string {
  const parts = JSON.stringify([name, value, flags.quality ?? null, flags.nsfw ?? null]);
  const number = createHash('sha256').update(parts).digest().readBigUInt64BE();
  return String((number % 9_000_000_000_000_000_000n) + 1_000_000_000_000_000_000n);
}

async function* nothing(): AsyncIterable<StreamItem> {}
