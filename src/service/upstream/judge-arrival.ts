/**
 * Decides which rules an arrival matched. For a registration of one text the upstream's verdict decides, and the engine's
 * own is compared with it; among the texts of a pack the engine decides. Pure.
 */

import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { Verdict } from '../../store/store.ts';
import type { Found } from '../ingest/live-records.ts';
import type { Holding } from '../registrations/holding.ts';

/** The knowledge of registrations and rules at this moment. */
export interface Knowledge {
  /** The meaning of a registration; `late` when no rule wants it any more, undefined when it is not known (yet). */
  resolve(platformRuleId: string): Holding | 'late' | undefined;
  /** The live rules with this very text. */
  holders(text: RuleText): readonly Found[];
  /** Whether the upstream holds the text as a rule of its own. */
  standsAlone(text: RuleText): boolean;
  /** Whether the upstream held the text when the arrival came, alone or in a pack. */
  heldThen(text: RuleText): 'held' | 'missing' | 'unknown' | 'unwanted';
  /** Whether the event itself shows if it satisfies the rule, so that the engine's verdict can be compared. */
  isComparable(found: Found): boolean;
}

/** The upstream's verdicts, as far as they are understood. */
export interface Understood {
  /** Rules that the upstream itself says are satisfied, by id. */
  readonly named: ReadonlyMap<string, Found>;
  /** For each pack that it named, the keys of its texts: at least one of them is satisfied. */
  readonly packs: readonly ReadonlySet<string>[];
  /** Registrations that are not known (yet). */
  readonly unknown: readonly string[];
  /** It named a registration that has gone. */
  readonly isLate: boolean;
}

export interface Chosen {
  readonly found: Found;
  readonly verdict?: Verdict;
}

export interface ArrivalJudgement {
  readonly chosen: readonly Chosen[];
  /** Rules that only the engine says are satisfied, although the upstream was asked about each. */
  readonly engineOnly: readonly Found[];
  /** Rules that only the engine says are satisfied, and of which the upstream may have lost the registration. */
  readonly doubted: readonly Found[];
  /** Packs that the upstream named and in which the engine finds no satisfied rule. */
  readonly unclaimed: number;
}

export function understand(knowledge: Knowledge, verdicts: readonly string[]): Understood {
  const named = new Map<string, Found>();
  const packs: Set<string>[] = [];
  const unknown: string[] = [];
  let isLate = false;
  for (const id of verdicts) {
    const holding = knowledge.resolve(id);
    if (holding === undefined) unknown.push(id);
    else if (holding === 'late') isLate = true;
    else if (holding.packed) packs.push(new Set(holding.texts.map(textKey)));
    else for (const found of holding.texts.flatMap(knowledge.holders)) named.set(found.ruleId, found);
  }
  return { named, packs, unknown, isLate };
}

/** For an upstream that names no rules: the engine alone decides. */
export const byEngine = (own: readonly Found[]): ArrivalJudgement => ({
  chosen: own.map((found) => ({ found })),
  engineOnly: [],
  doubted: [],
  unclaimed: 0,
});

/**
 * `own` are the rules that the engine finds satisfied. `isWhole` says that these are all verdicts of the arrival, and all
 * are known: only then is the silence of the upstream on a rule a verdict. An arrival that is judged in two parts would
 * otherwise count the rules of the other part against the upstream.
 */
export function judgeVerdicts(
  knowledge: Knowledge,
  { named, packs }: Understood,
  own: readonly Found[],
  isWhole: boolean,
): ArrivalJudgement {
  const chosen = new Map<string, Chosen>();
  let unclaimed = 0;
  for (const pack of packs) {
    const claimed = own.filter(({ text }) => pack.has(textKey(text)));
    if (claimed.length === 0) unclaimed++;
    for (const found of claimed) chosen.set(found.ruleId, { found });
  }
  const ownIds = new Set(own.map(({ ruleId }) => ruleId));
  for (const [ruleId, found] of named) {
    const verdict = ownIds.has(ruleId) ? 'agreed' : 'upstream_only';
    chosen.set(ruleId, knowledge.isComparable(found) ? { found, verdict } : { found });
  }
  const unnamed = own.filter((found) => !chosen.has(found.ruleId) && knowledge.isComparable(found));
  const { stored, engineOnly, doubted } = resolveUnnamed(knowledge, unnamed);
  for (const found of stored) chosen.set(found.ruleId, { found });
  return { chosen: [...chosen.values()], engineOnly: isWhole ? engineOnly : [], doubted, unclaimed };
}

/**
 * Decides about rules that the engine finds satisfied and the upstream did not name. Where the upstream had lost the
 * registration, the engine's word is all there is, and it counts.
 */
export function resolveUnnamed(knowledge: Knowledge, unnamed: readonly Found[]) {
  const [stored, engineOnly, doubted]: [Found[], Found[], Found[]] = [[], [], []];
  for (const found of unnamed) {
    const then = knowledge.heldThen(found.text);
    if (then === 'missing') stored.push(found);
    if (then === 'unknown') doubted.push(found);
    if ((then === 'unknown' || then === 'held') && knowledge.standsAlone(found.text)) engineOnly.push(found);
  }
  return { stored, engineOnly, doubted };
}

/** Cuts a list into parts of at most this length. An empty list is one empty part. */
export function inParts<T>(list: readonly T[], length: number): T[][] {
  const parts = [list.slice(0, length)];
  for (let from = length; from < list.length; from += length) parts.push(list.slice(from, from + length));
  return parts;
}
