/** Rules by the hundred: what is wanted is asked for in batches until each has an answer of its own. */
import { PlatformError, type Registered, type Wanted } from '../platform.ts';
import type { RuleCalls } from './rule-calls.ts';

/** X names no limit for one request; its sibling takes 100. */
const MOST_AT_ONCE = 100;

/** Throws where X refuses the value. One that is held already is a good one. */
export async function validateRule(calls: RuleCalls, value: string): Promise<void> {
  const verdicts = await calls.offer([{ value, flags: {}, tag: '' }], { dryRun: true });
  const verdict = verdicts.get(value);
  if (verdict !== undefined && 'error' in verdict) throw verdict.error;
}

export async function addRules(calls: RuleCalls, wanted: readonly Wanted[]): Promise<readonly Registered[]> {
  const distinct = [...new Map(wanted.map((one) => [one.value, one])).values()];
  const answers = new Map<string, Registered>();
  /** Held under an id that X did not tell. */
  const nameless = new Set<string>();
  const unanswered = () => distinct.filter(({ value }) => !answers.has(value) && !nameless.has(value));

  async function offerAll(offered: readonly Wanted[]): Promise<void> {
    for (const batch of batchesOf(offered)) {
      for (const [value, verdict] of await calls.offer(batch, { dryRun: false })) {
        if (!('heldAs' in verdict)) answers.set(value, verdict);
        else if (verdict.heldAs === undefined) nameless.add(value);
        else answers.set(value, { id: verdict.heldAs });
      }
    }
  }

  async function lookUp(values: readonly string[]): Promise<void> {
    if (values.length === 0) return;
    const ids = new Map((await calls.list()).map(({ id, value }) => [value, id]));
    for (const value of values) {
      const id = ids.get(value);
      answers.set(value, id === undefined ? { error: UNSAID } : { id });
    }
  }

  try {
    await offerAll(distinct);
    // Good rules beside a bad one may not have been made: once more without it.
    await offerAll(unanswered());
    await lookUp([...nameless, ...unanswered().map(({ value }) => value)]);
  } catch (error) {
    // Nothing was asked, or what was is worth telling.
    if (!(error instanceof PlatformError) || answers.size === 0) throw error;
    for (const { value } of distinct) if (!answers.has(value)) answers.set(value, { error });
  }
  return wanted.map(({ value }) => answers.get(value)!);
}

const UNSAID = new PlatformError('unreachable', 'X did not take the rule, and did not say why.');

export async function removeRules(calls: RuleCalls, ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ids)) {
    const missed = await calls.remove(batch);
    if (missed === 0 || batch.length === 1) continue;
    // X does not say which; those that are still there are taken away together, without the others.
    const held = new Set((await calls.list()).map(({ id }) => id));
    const left = batch.filter((id) => held.has(id));
    if (left.length > 0) await calls.remove(left);
  }
}

const batchesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / MOST_AT_ONCE) }, (_, at) =>
    all.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE),
  );
