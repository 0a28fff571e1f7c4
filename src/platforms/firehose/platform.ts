/** Firehose as a platform: rules are registered on a tap, and pages that match come over its stream. */
import { createPace } from '../pace.ts';
import type { LivePlatform, UpstreamOptions } from '../platform.ts';
import { createProbe } from './probe.ts';
import { FirehoseRules } from './rules.ts';
import { firehoseStream } from './stream.ts';

/** The first plan allowed 25 rules. Firehose does not say how many a plan allows today. */
const RULES = 25;
/** Firehose allows 30. */
const CONNECTS_PER_MINUTE = 20;
const APART_MS = 3_000;
/** A little over a minute, because calls take differently long to get there. */
const WINDOW_MS = 61_000;

export interface FirehoseOptions extends UpstreamOptions {
  /** How many rules the plan allows. */
  readonly rules?: number;
  readonly connectsPerMinute?: number;
}

export function firehosePlatform(options: FirehoseOptions): LivePlatform {
  const { rules: mostRules = RULES, connectsPerMinute = CONNECTS_PER_MINUTE } = options;
  const rules = new FirehoseRules(options, mostRules);
  // One pace for all streams of this process: Firehose counts them together.
  const connects = createPace({ calls: connectsPerMinute, windowMs: WINDOW_MS, apartMs: APART_MS }, options.clock);
  const probe = createProbe(options, connects);
  return {
    name: 'firehose',
    shape: 'upstream',
    validate: (value) => rules.validate(value),
    register: (wanted) => rules.register(wanted),
    unregister: (ids) => rules.unregister(ids),
    held: () => rules.held(),
    capacity: () => rules.capacity(),
    stream: (control) => firehoseStream({ ...options, connects, probe, created: () => rules.created }, control),
  };
}
