/**
 * Notices a stream that sends heartbeats and no posts. It learns the rate of each rule from the posts that it matched,
 * and computes from the sum of the rates how likely a silence is. A post that several rules matched is divided among
 * them, so that the sum counts each post once.
 */
import type { Clock } from '../../base/clock.ts';

/** How far back rates look. */
const MEMORY_MS = 60 * 60_000;
/** A rule that is known for a shorter time counts as if it had been known for this long. */
const LEAST_SEEN_MS = 10 * 60_000;
/** Posts come in bursts, so a shorter silence is never suspect. */
const LEAST_SILENCE_MS = 60_000;
const UNLIKELY = 1e-6;

export interface SilenceDetector {
  /** A post came that these rules matched. */
  learn(ruleIds: readonly string[]): void;
  /** The rule is gone: its posts are not expected any more. */
  forget(ruleId: string): void;
  /** True if a silence of this many milliseconds is next to impossible. */
  isSuspect(silence: number): boolean;
}

export function createSilenceDetector(clock: Clock): SilenceDetector {
  /** Posts of each rule, counted with a weight that fades with age, as of `at`. */
  const rules = new Map<string, { posts: number; at: number; since: number }>();
  let last = 0;

  function expected(): number {
    let rate = 0;
    for (const { posts, at, since } of rules.values()) {
      const seen = Math.max(last - since, LEAST_SEEN_MS);
      rate += faded(posts, last - at) / (MEMORY_MS * (1 - Math.exp(-seen / MEMORY_MS)));
    }
    return rate;
  }

  return {
    learn(ruleIds) {
      last = clock.elapsed();
      for (const id of ruleIds) {
        const rule = rules.get(id) ?? { posts: 0, at: last, since: last };
        rules.set(id, { posts: faded(rule.posts, last - rule.at) + 1 / ruleIds.length, at: last, since: rule.since });
      }
    },
    forget: (ruleId) => void rules.delete(ruleId),
    isSuspect: (silence) => silence >= LEAST_SILENCE_MS && Math.exp(-expected() * silence) < UNLIKELY,
  };
}

const faded = (posts: number, age: number): number => posts * Math.exp(-age / MEMORY_MS);
