/** Counts the proofs that are asked of each host, so that nobody floods a host by way of us. Each process counts its own. */
import type { Clock } from '../../base/clock.ts';
import { createLru } from '../../base/lru.ts';
import { MAX_CHALLENGES } from '../limits.ts';

export interface ChallengeCounter {
  /** Counts one more. False when the host had its share of the minute. */
  take(host: string): boolean;
}

const HOSTS = 10_000;
const MINUTE = 60_000;

export function createChallengeCounter(clock: Clock): ChallengeCounter {
  const hosts = createLru<string, { minute: number; asked: number }>({ limit: HOSTS });
  return {
    take(host) {
      const minute = Math.floor(clock.now().getTime() / MINUTE);
      const before = hosts.get(host);
      const asked = before?.minute === minute ? before.asked : 0;
      if (asked >= MAX_CHALLENGES) return false;
      hosts.set(host, { minute, asked: asked + 1 });
      return true;
    },
  };
}
