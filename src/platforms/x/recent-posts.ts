/** Remembers which posts came lately, and for which rules: X sends some twice, and a replay sends many again. */
import type { Clock } from '../../base/clock.ts';

/** Enough for ten minutes of X's fastest stream. The store recognizes older repeats. */
const MOST = 200_000;

export interface RecentPosts {
  /** True if the post came before for all of these rules. */
  isRepeat(postId: string, verdicts: readonly string[]): boolean;
}

export function createRecentPosts(clock: Clock, keepMs: number): RecentPosts {
  /** In the order of first arrival. Reading does not move a post, so this is no LRU cache. */
  const posts = new Map<string, { at: number; verdicts: readonly string[] }>();

  function forgetOld(): void {
    for (const [id, { at }] of posts) {
      if (posts.size <= MOST && at > clock.elapsed() - keepMs) return;
      posts.delete(id);
    }
  }

  return {
    isRepeat(postId, verdicts) {
      forgetOld();
      const known = posts.get(postId);
      if (known !== undefined && verdicts.every((id) => known.verdicts.includes(id))) return true;
      posts.set(postId, {
        at: known?.at ?? clock.elapsed(),
        verdicts: known === undefined ? verdicts : [...new Set([...known.verdicts, ...verdicts])],
      });
      return false;
    },
  };
}
