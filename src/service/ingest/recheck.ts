/**
 * The core is checked in service: one event in 10,000 is matched a second time, rule by rule, against the rules that the core
 * reported and some that it did not. Which events these are is decided by their ids, and no sender can know which.
 */
import type { EventView } from '../../engine/events/event-view.ts';
import { holdsInParts } from '../../engine/one-rule/holds.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import type { Query } from '../../rules/query.ts';

const ONE_IN = 10_000;
/** A check takes about a millisecond, so there are at least this many events between two. */
const FEWEST_BETWEEN = 1_000;
/** Rules that are looked at, of those reported and of the others. */
const MOST_RULES = 32;
/** A check that would take more steps, some milliseconds, is given up. */
const MOST_STEPS = 50_000;

export interface RecheckedEvent {
  readonly postId: string;
  readonly view: () => EventView;
  /** The rules that the core found. */
  readonly reported: () => readonly string[];
}

export interface RecheckOutcome {
  readonly postId: string;
  /** Rules that were looked at. */
  readonly rules: number;
  /** The core reported rules of `surplus` that do not hold, and did not report those of `missing`, which do. */
  readonly surplus: readonly string[];
  readonly missing: readonly string[];
}

export interface RecheckDeps {
  readonly seed: number;
  /** Some of the live rules. */
  readonly sample: (seed: number, count: number) => readonly string[];
  readonly queryOf: (ruleId: string) => Query | undefined;
  readonly onOutcome: (outcome: RecheckOutcome) => void;
}

/** Looks at an event that was just matched, and matches it again if it is its turn. */
export function createRecheck({ seed, sample, queryOf, onOutcome }: RecheckDeps): (event: RecheckedEvent) => void {
  let since = FEWEST_BETWEEN;
  return ({ postId, view, reported }) => {
    if (since++ < FEWEST_BETWEEN) return;
    const hash = hashOf(postId, seed);
    if (hash % ONE_IN !== 0) return;
    since = 0;
    const found = new Set(reported());
    const others = sample(hash, MOST_RULES).filter((ruleId) => !found.has(ruleId));
    const ruleIds = [...found].slice(0, MOST_RULES).concat(others);
    const outcome = compare(view(), found, ruleIds, queryOf);
    if (outcome !== undefined) onOutcome({ postId, ...outcome });
  };
}

/** Returns undefined where the check would need more time than one turn has. */
function compare(
  view: EventView,
  found: ReadonlySet<string>,
  ruleIds: readonly string[],
  queryOf: RecheckDeps['queryOf'],
): Omit<RecheckOutcome, 'postId'> | undefined {
  // No rule that depends on the time is checked.
  const lookup = new ViewLookup(view, 0);
  const [surplus, missing]: [string[], string[]] = [[], []];
  const budget = { steps: MOST_STEPS };
  let rules = 0;
  for (const ruleId of ruleIds) {
    const query = queryOf(ruleId);
    if (query === undefined || dependsOnTime(query)) continue;
    rules++;
    const verdict = verdictOn(query, lookup, budget);
    if (verdict === undefined) return undefined;
    if (verdict !== found.has(ruleId)) (verdict ? missing : surplus).push(ruleId);
  }
  return { rules, surplus, missing };
}

/** Returns undefined where the steps ran out, or a pattern of the rule is broken. */
function verdictOn(query: Query, lookup: ViewLookup, budget: { steps: number }): boolean | undefined {
  try {
    const work = holdsInParts(query, lookup);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      budget.steps -= step.value;
      if (budget.steps < 0) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** A millisecond later such a rule may hold no more. */
function dependsOnTime(query: Query): boolean {
  if (query.kind === 'all' || query.kind === 'any') return query.of.some(dependsOnTime);
  return query.kind === 'not' ? dependsOnTime(query.query) : query.kind === 'recent';
}

/** FNV-1a with a seed, and its bits mixed once more. */
function hashOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
