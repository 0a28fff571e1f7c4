/** Adds and removes X's rules in batches, until each rule has an answer of its own. */
import { PlatformError, type Registered, type Wanted } from '../platform.ts';
import type { RuleCalls } from './rule-calls.ts';

/** X documents no limit for one request; its sibling Powerstream takes 100. */
const MOST_AT_ONCE = 100;

/** Throws if X refuses the value. A value that X holds already is accepted. */
export async function dryRunRule(calls: RuleCalls, value: string): Promise<void> {
  const outcomes = await calls.offer([{ value, flags: {}, tag: '' }], { dryRun: true });
  const outcome = outcomes.get(value);
  if (outcome !== undefined && 'error' in outcome) throw outcome.error;
}

export async function addRules(calls: RuleCalls, wanted: readonly Wanted[]): Promise<readonly Registered[]> {
  const distinct = [...new Map(wanted.map((one) => [one.value, one])).values()];
  const answers = new Map<string, Registered>();
  /** Values that X holds under an id that it did not tell. */
  const nameless = new Set<string>();
  const unanswered = () => distinct.filter(({ value }) => !answers.has(value) && !nameless.has(value));
  try {
    await offerAll(calls, distinct, answers, nameless);
    // X may not have created good rules of a batch with a bad one: offer them again without it.
    await offerAll(calls, unanswered(), answers, nameless);
    await lookUp(calls, [...nameless, ...unanswered().map(({ value }) => value)], answers);
  } catch (error) {
    // Answers that came before the failure are kept.
    if (!(error instanceof PlatformError) || answers.size === 0) throw error;
    for (const { value } of distinct) if (!answers.has(value)) answers.set(value, { error });
  }
  return wanted.map(({ value }) => answers.get(value)!);
}

async function offerAll(
  calls: RuleCalls,
  offered: readonly Wanted[],
  answers: Map<string, Registered>,
  nameless: Set<string>,
): Promise<void> {
  for (const batch of batchesOf(offered)) {
    for (const [value, outcome] of await calls.offer(batch, { dryRun: false })) {
      if (!('heldAs' in outcome)) answers.set(value, outcome);
      else if (outcome.heldAs === undefined) nameless.add(value);
      else answers.set(value, { id: outcome.heldAs });
    }
  }
}

async function lookUp(calls: RuleCalls, values: readonly string[], answers: Map<string, Registered>): Promise<void> {
  if (values.length === 0) return;
  const ids = new Map((await calls.list()).map(({ id, value }) => [value, id]));
  for (const value of values) {
    const id = ids.get(value);
    answers.set(value, id === undefined ? { error: UNSAID } : { id });
  }
}

const UNSAID = new PlatformError('unreachable', 'X did not add the rule and gave no reason.');

export async function removeRules(calls: RuleCalls, ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ids)) {
    const missed = await calls.remove(batch);
    if (missed === 0 || batch.length === 1) continue;
    // X does not say which ids it missed, and may have kept the others: remove those that are still listed.
    const held = new Set((await calls.list()).map(({ id }) => id));
    const left = batch.filter((id) => held.has(id));
    if (left.length > 0) await calls.remove(left);
  }
}

const batchesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / MOST_AT_ONCE) }, (_, at) =>
    all.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE),
  );
