/** Recent events that a rule would have matched, or nearly: a few short passages in an envelope. */
import { z } from 'zod';
import type { Platform } from '../domain/platform.ts';
import type { previewRule } from '../service/previews/preview-rule.ts';
import { passageTo } from './show-match.ts';
import { FLAGS, type Flag, NOTICE } from './untrusted.ts';

export const sampleFields = {
  flags: z.array(z.string()).optional(),
  invented_samples: z.int().optional(),
  untrusted_content: z.object({ samples: z.array(z.string()) }).optional(),
};

type Preview = NonNullable<z.input<typeof previewRule.output>['platforms'][Platform]>;
type Found = Preview['matches'][number];

/** Characters of a passage: one sample is to say what kind of thing matches, several are to be judged. */
const ONE = 120;
const OF_SEVERAL = 240;

interface Samples {
  readonly flags?: Flag[];
  readonly invented_samples?: number;
  readonly untrusted_content?: { samples: string[] };
}

/** Nothing at all where there is no sample. */
export function shownSamples(platform: Platform, found: readonly Found[], wanted: number): Samples {
  const flags = new Set<Flag>();
  const size = wanted > 1 ? OF_SEVERAL : ONE;
  const chosen = genuineFirst(found).slice(0, wanted);
  const samples = chosen.map((one) => passageTo({ ...one, platform }, size, flags));
  if (samples.length === 0) return {};
  const invented = chosen.filter(({ demo }) => demo === true).length;
  return {
    ...(invented > 0 && { invented_samples: invented }),
    ...(flags.size > 0 && { flags: FLAGS.filter((flag) => flags.has(flag)) }),
    untrusted_content: { samples },
  };
}

/** Samples that the demo feed invented come last: `invented_samples` counts them from the end. */
const genuineFirst = (found: readonly Found[]): Found[] =>
  found.toSorted((one, other) => Number(one.demo === true) - Number(other.demo === true));

/** How often a rule would have matched, and how much that says. No rate is made up where the events do not bear one. */
export function recentLine(preview: Preview, dollarsPerMatch: number): string {
  const { events, matched, estimate } = preview;
  if (events === 0) return 'There are no recent events to try it on.';
  const cost = dollarsPerMatch > 0 ? `, at US$ ${dollarsPerMatch} each` : '';
  return `${matched} of ${events} recent events match${inventedPart(preview)}; ${estimate}${cost}.`;
}

interface Counts {
  readonly events: number;
  readonly matched: number;
  readonly demo_events?: number | undefined;
  readonly demo_matched?: number | undefined;
}

/** How much of the counts the demo feed invented. */
export function inventedPart({ events, matched, demo_events: invented = 0, demo_matched = 0 }: Counts): string {
  if (invented === 0) return '';
  if (invented === events) return '; the demo feed invented them all';
  return `; the demo feed invented ${demo_matched} of the ${matched} and ${invented} of the ${events}`;
}

/** The notice where there is something for it to be about. */
export const noticeFor = (shown: readonly { untrusted_content?: unknown }[]) =>
  shown.some(({ untrusted_content }) => untrusted_content !== undefined) ? { notice: NOTICE } : {};

/** Characters of a clause. */
const MAX_CLAUSE = 200;

export const clauseText = (text: string): string => (text.length > MAX_CLAUSE ? `${text.slice(0, MAX_CLAUSE)}…` : text);
