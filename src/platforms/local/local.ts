/**
 * A platform of our own: there is nobody to call, since the engine does the matching. An id is made from what it
 * stands for, so equal values share one without any state, and keep it over restarts.
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

/** Nineteen digits, as an upstream's ids have. */
function idOf(name: Platform, value: string, flags: RuleFlags): string {
  const parts = JSON.stringify([name, value, flags.quality ?? null, flags.nsfw ?? null]);
  const number = createHash('sha256').update(parts).digest().readBigUInt64BE();
  return String((number % 9_000_000_000_000_000_000n) + 1_000_000_000_000_000_000n);
}

async function* nothing(): AsyncIterable<StreamItem> {}
