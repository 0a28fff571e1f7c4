/**
 * The order of calls to the writer. While events pour in, a commit is always waiting, and a caller that creates a rule
 * would wait for one commit at each of its writes. So commits wait while a rule is being written, and for one turn of
 * the event loop after that, in which the caller asks for its next write. A stream of rules does not stop the events: a
 * commit lets few writes pass.
 */
import { setImmediate } from 'node:timers/promises';

/** Writes that a caller waits for, and that take a moment. */
const AHEAD: ReadonlySet<string> = new Set([
  'addRule',
  'setRuleStatus',
  'changeRule',
  'deleteRule',
  'undoRule',
  'restoreRule',
  'changeRegistrations',
  'claimAnswerAt',
  'rememberAt',
]);

/** Writes that a waiting commit lets pass. */
export const MOST_PASSED = 8;

export interface WriteLane {
  /** Runs the write when it is its turn. */
  run<T>(name: string, write: () => Promise<T>): Promise<T>;
}

interface WaitingCommit {
  readonly go: () => void;
  passed: number;
}

/** `turn` resolves when all that the last answer led to has been asked for. */
export function createWriteLane(turn: () => Promise<unknown> = setImmediate): WriteLane {
  /** Rules being written, and turns that wait for the next write. */
  let ahead = 0;
  let commits: WaitingCommit[] = [];

  function release(): void {
    const going = commits.filter(({ passed }) => ahead === 0 || passed >= MOST_PASSED);
    commits = commits.filter((commit) => !going.includes(commit));
    for (const { go } of going) go();
  }
  async function leave(): Promise<void> {
    for (const commit of commits) commit.passed++;
    release();
    await turn();
    ahead--;
    release();
  }

  return {
    run(name, write) {
      if (AHEAD.has(name)) {
        ahead++;
        return write().finally(() => void leave());
      }
      if (name !== 'commit' || ahead === 0) return write();
      return new Promise<void>((go) => void commits.push({ go, passed: 0 })).then(write);
    },
  };
}
