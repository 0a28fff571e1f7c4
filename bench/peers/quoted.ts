/** Peers that cannot be had on every machine, as they were measured elsewhere. */
import type { Platform } from '../../src/domain/platform.ts';
import type { SetName } from '../rule-sets.ts';

const SIZES = [1_000, 10_000, 100_000, 1_000_000];

/** Tuned and force-merged, one core of two, arm64, comparable sets; noted on 15 November 2026. Debian has no package of it. */
export const QUOTED_NAME = 'Lucene Monitor 9.12 (quoted)';

const MONITOR: Readonly<Record<Platform, Partial<Record<SetName, readonly number[]>>>> = {
  x: { A: [24_700, 8_700, 2_200, 870], B: [28_800, 12_100, 4_050, 2_700] },
  firehose: { A: [2_490, 1_070, 270, 37], B: [3_630, 1_820, 690, 170] },
};

/** Events per CPU-second; undefined where nothing is known. */
export const quotedSpeed = (platform: Platform, set: SetName, rules: number): number | undefined =>
  MONITOR[platform][set]?.[SIZES.indexOf(rules)];

/** Looked for on 16 November 2026: `npm view` of event-ruler, @aws/event-ruler, aws-event-ruler, quamina and quamina-js finds none. */
export const NO_PORTS = {
  name: 'Event Ruler, Quamina',
  absent:
    'no port on npm (asked for event-ruler, @aws/event-ruler, aws-event-ruler, quamina, quamina-js on 16 November 2026)',
};
