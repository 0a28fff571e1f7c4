/** Firehose, the real one: rules are registered on a tap, pages that matched come over its stream. */
import type { LivePlatform } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { createRules } from './rules.ts';
import { firehoseStream } from './stream.ts';

/** What the first plan allowed; nothing upstream tells what it is today. */
const RULES = 25;
/** Of the 30 that Firehose allows. */
const CONNECTS_PER_MINUTE = 20;

export interface FirehoseOptions extends UpstreamOptions {
  /** How many rules the plan allows. */
  readonly rules?: number;
  readonly connectsPerMinute?: number;
}

export function firehosePlatform(options: FirehoseOptions): LivePlatform {
  const { rules: mostRules = RULES, connectsPerMinute = CONNECTS_PER_MINUTE } = options;
  const rules = createRules(options, mostRules);
  return {
    name: 'firehose',
    shape: 'upstream',
    validate: rules.validate,
    register: rules.register,
    unregister: rules.unregister,
    held: rules.held,
    capacity: rules.capacity,
    stream: (control) => firehoseStream({ ...options, connectsPerMinute, created: () => rules.created }, control),
  };
}
