/**
 * Which stored matches this node has told its readers of. A notice says which positions it is about. It comes after the commit, so it
 * may come late, or never if its node died in between. What no notice was about until the next look but one is missing.
 */
import type { MatchNews, MatchSpan, Position } from '../../store/store.ts';

export interface ToldMatches {
  /** A notice came, and readers were told. */
  heard(news: Pick<MatchNews, 'spans'>): void;
  /** Whether matches that the last look found, or one before it, were told by no notice. They count as told from then on. */
  isBehind(latest: Position): boolean;
}

/** Every match up to `begin` is told. */
export function createToldMatches(begin: Position): ToldMatches {
  let told = begin;
  let seen = begin;
  let spans: MatchSpan[] = [];

  /** Notices of several nodes come in any order. */
  function join(): void {
    const waiting = spans.toSorted((one, other) => one.before - other.before);
    for (const { before, latest } of waiting) if (before <= told) told = Math.max(told, latest);
    spans = waiting.filter(({ latest }) => latest > told);
  }

  return {
    heard(news) {
      spans.push(...news.spans);
      join();
    },
    isBehind(latest) {
      const isMissing = seen > told;
      told = Math.max(told, seen);
      seen = latest;
      join();
      return isMissing;
    },
  };
}
