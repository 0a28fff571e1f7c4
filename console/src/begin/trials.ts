/** The few events by which a person says whether a draft is what they mean. Pure. */
import type { Platform } from '../data/queries.ts';
import type { Preview, PreviewMatch } from '../rules/use-preview.ts';
import { type Example, exampleOf } from './examples.ts';
import type { Miss } from './use-drafted.ts';

export type Verdict = 'yes' | 'no';

export interface Trial {
  readonly id: string;
  readonly example: Example;
  readonly platform: Platform;
  readonly found: PreviewMatch;
  /** The part of the rule that kept it out; undefined for what the rule matches. */
  readonly lacks?: string;
}

/** More than that nobody answers. */
const ASKED = 5;
/** So many of these are events that the rule nearly matches. */
const NEARLY = 2;

export function trialsOf(previews: Partial<Record<Platform, Preview>>, misses: readonly Miss[]): Trial[] {
  const caught = unlike(
    inTurn((['x', 'firehose'] as const).map((platform) => (previews[platform]?.matches ?? []).map(trialOn(platform)))),
  );
  const missed = unlike(inTurn(misses.map(missedOf)));
  const kept = caught.slice(0, Math.max(ASKED - NEARLY, ASKED - missed.length));
  return unlike([...kept, ...missed]).slice(0, ASKED);
}

/** The clause that fewest events lack is nearest to the rule. A rule of one part is nearly matched by everything. */
function missedOf({ platform, clauses }: Miss): Trial[] {
  if (clauses.length < 2) return [];
  return clauses
    .toSorted((one, other) => one.missed - other.missed)
    .flatMap(({ text, samples }) => samples.map((found) => ({ ...trialOn(platform)(found), lacks: text })));
}

const trialOn =
  (platform: Platform) =>
  (found: PreviewMatch): Trial => ({
    id: `${platform} ${found.platform_post_id}`,
    example: exampleOf(platform, found.payload),
    platform,
    found,
  });

/** One of each list after the other, so that both platforms are asked about. */
const inTurn = (lists: readonly (readonly Trial[])[]): Trial[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, at) =>
    lists.flatMap((list) => list[at] ?? []),
  ).flat();

/** Without repeats of the same words, whatever their numbers and links. */
function unlike(trials: readonly Trial[]): Trial[] {
  const seen = new Map<string, Trial>();
  for (const trial of trials) {
    const words = trial.example.text.replaceAll(/https?:\S+|\d+/g, '').toLowerCase();
    if (!seen.has(words)) seen.set(words, trial);
  }
  return [...seen.values()];
}
