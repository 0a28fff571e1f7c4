/**
 * Notices a stream that lives and says nothing. Each rule has a rate of its own, learnt from what it caught; from the
 * sum follows how likely it is that nothing at all came for so long. A post that several rules caught is shared out
 * among them, so that the sum is that of posts.
 */
import type { Clock } from '../../base/clock.ts';

/** How far back rates look. */
const MEMORY_MS = 60 * 60_000;
/** A rule that was seen for a shorter time counts as if it had been seen for this long. */
const LEAST_SEEN_MS = 10 * 60_000;
/** Posts come in bursts: a shorter silence says nothing, however many there were. */
const LEAST_SILENCE_MS = 60_000;
const UNLIKELY = 1e-6;

export interface Volume {
  /** A post came that these rules caught. */
  learn(ruleIds: readonly string[]): void;
  /** The rule is gone, and what it would have caught is not expected any more. */
  forget(ruleId: string): void;
  /** True when so long a silence is next to impossible. */
  isSuspect(silence: number): boolean;
}

export function createVolume(clock: Clock): Volume {
  /** Posts, each worth less as time goes by, up to `at`. */
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
