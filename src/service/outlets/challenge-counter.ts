/** Counts the proofs that are asked of each host or address, so that no one is flooded by way of us. Each process counts its own. */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import { MAX_CHALLENGES } from '../limits.ts';

export interface ChallengeCounter {
  /** Counts one more. False when the host had its share of the span: of the minute, unless another is given. */
  allow(host: string): boolean;
}

const HOSTS = 10_000;
const MINUTE = 60_000;

export function createChallengeCounter(clock: Clock, { most = MAX_CHALLENGES, span = MINUTE } = {}): ChallengeCounter {
  const hosts = createLru<string, { turn: number; asked: number }>({ limit: HOSTS });
  return {
    allow(host) {
      const turn = Math.floor(clock.now().getTime() / span);
      const before = hosts.get(host);
      const asked = before?.turn === turn ? before.asked : 0;
      if (asked >= most) return false;
      hosts.set(host, { turn, asked: asked + 1 });
      return true;
    },
  };
}
