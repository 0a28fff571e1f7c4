/** Threads match lines before their turn comes. What they find is made into rules at once, before any rule can change. */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createMatchThreads, type LostThread, type MatchThreads } from '../../engine/threads/match-threads.ts';
import type { EventOrigin } from './live-set.ts';
import type { MatchedLine, PlatformRules } from './platform-rules.ts';

/** The rules of a line; `unread` where an object must be made of it first; undefined where it is to be matched when its turn comes. */
export type AheadAnswer = MatchedLine | 'unread' | undefined;

/** For fewer lines the way to a thread and back costs more than matching them. */
const FEWEST_LINES = 16;

export interface MatchAhead {
  /** Threads that run. They are started when there is something for them to do. */
  readonly threads: number;
  /** Returns undefined where no thread is asked. */
  match(
    platform: Platform,
    lines: readonly string[],
    by: EventOrigin | undefined,
    read: (line: string) => EventView,
  ): Promise<readonly AheadAnswer[]> | undefined;
  /** Returns when no thread reads the platform's rules. */
  stop(platform: Platform): void;
  /** Ends the threads. Lines are matched by the caller's from then on. */
  close(): Promise<void>;
}

interface Deps {
  /** How many threads there are to be. */
  readonly threads: number;
  readonly rules: Readonly<Record<Platform, PlatformRules>>;
  readonly onLost: (lost: LostThread) => void;
}

export function createMatchAhead({ threads: count, rules, onLost }: Deps): MatchAhead {
  let threads: MatchThreads | undefined;
  let isClosed = count === 0;

  function start(): MatchThreads {
    const engines = PLATFORMS.map((name) => rules[name].live.engine.matchers);
    return createMatchThreads({ threads: count, engines, onLost });
  }

  return {
    get threads() {
      return threads?.size ?? 0;
    },
    match(platform, lines, by, read) {
      if (lines.length < FEWEST_LINES || isClosed) return undefined;
      threads ??= start();
      if (threads.size === 0) return undefined;
      return matchAll(threads, rules, platform, lines, by, read);
    },
    stop: (platform) => threads?.stop(PLATFORMS.indexOf(platform)),
    async close() {
      isClosed = true;
      await threads?.close();
    },
  };
}

async function matchAll(
  threads: MatchThreads,
  rules: Deps['rules'],
  platform: Platform,
  lines: readonly string[],
  by: EventOrigin | undefined,
  read: (line: string) => EventView,
): Promise<readonly AheadAnswer[]> {
  const answers: AheadAnswer[] = [];
  await threads.match(PLATFORMS.indexOf(platform), lines, (outcome, index) => {
    answers.push(rules[platform].matchedByThread(outcome, by, () => read(lines[index]!)));
  });
  return answers;
}
