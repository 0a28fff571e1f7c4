/** Firehose, the real one: rules are registered on a tap, pages that matched come over its stream. */
import { createPace } from '../pace.ts';
import type { LivePlatform } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { createProbe } from './probe.ts';
import { createRules } from './rules.ts';
import { firehoseStream } from './stream.ts';

/** What the first plan allowed; nothing upstream tells what it is today. */
const RULES = 25;
/** Of the 30 that Firehose allows. */
const CONNECTS_PER_MINUTE = 20;
const APART_MS = 3_000;
/** A little over a minute: calls take differently long to get there. */
const WINDOW_MS = 61_000;

export interface FirehoseOptions extends UpstreamOptions {
  /** How many rules the plan allows. */
  readonly rules?: number;
  readonly connectsPerMinute?: number;
}

export function firehosePlatform(options: FirehoseOptions): LivePlatform {
  const { rules: mostRules = RULES, connectsPerMinute = CONNECTS_PER_MINUTE } = options;
  const rules = createRules(options, mostRules);
  // Kept over streams: whoever begins anew too often is still one client.
  const connects = createPace({ calls: connectsPerMinute, windowMs: WINDOW_MS, apartMs: APART_MS }, options.clock);
  const probe = createProbe(options, connects);
  return {
    name: 'firehose',
    shape: 'upstream',
    validate: rules.validate,
    register: rules.register,
    unregister: rules.unregister,
    held: rules.held,
    capacity: rules.capacity,
    stream: (control) => firehoseStream({ ...options, connects, probe, created: () => rules.created }, control),
  };
}
