/** Lines that threads match before their turn comes. What they find is made into rules at once, before any rule can change. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createMatchThreads, type LostThread, type MatchThreads } from '../../engine/threads/match-threads.ts';
import type { MatchedLine, PlatformRules } from './platform-rules.ts';

/** The rules of a line; `left` where the line must be read first; undefined where it is to be matched when its turn comes. */
export type MatchedAhead = MatchedLine | 'left' | undefined;

/** For fewer lines the way to a thread and back costs more than matching them. */
const FEWEST_LINES = 16;

export interface MatchAhead {
  readonly threads: number;
  /** Undefined where no thread is asked. */
  match(
    platform: Platform,
    lines: readonly string[],
    accountId: string | undefined,
    read: (line: string) => EventView,
  ): Promise<readonly MatchedAhead[]> | undefined;
  /** Returns when no thread reads the platform's rules. */
  stop(platform: Platform): void;
  close(): Promise<void>;
}

interface Deps {
  readonly threads: number;
  readonly rules: Readonly<Record<Platform, PlatformRules>>;
  readonly onLost: (lost: LostThread) => void;
}

export function createMatchAhead({ threads: count, rules, onLost }: Deps): MatchAhead {
  /** Started when there is something for them to do. */
  let threads: MatchThreads | undefined;
  let isClosed = false;

  function start(): MatchThreads {
    const engines = PLATFORMS.map((name) => rules[name].engine.matchers);
    return createMatchThreads({ threads: count, engines, onLost });
  }

  return {
    get threads() {
      return threads?.size ?? 0;
    },
    match(platform, lines, accountId, read) {
      if (lines.length < FEWEST_LINES || isClosed) return undefined;
      threads ??= start();
      if (threads.size === 0) return undefined;
      return matchAll(threads, platform, lines, accountId, read);
    },
    stop: (platform) => threads?.stop(PLATFORMS.indexOf(platform)),
    async close() {
      isClosed = true;
      await threads?.close();
    },
  };

  async function matchAll(
    asked: MatchThreads,
    platform: Platform,
    lines: readonly string[],
    accountId: string | undefined,
    read: (line: string) => EventView,
  ): Promise<readonly MatchedAhead[]> {
    const matched: MatchedAhead[] = [];
    await asked.match(PLATFORMS.indexOf(platform), lines, (outcome, index) => {
      matched.push(rules[platform].matchedByThread(outcome, accountId, () => read(lines[index]!)));
    });
    return matched;
  }
}
