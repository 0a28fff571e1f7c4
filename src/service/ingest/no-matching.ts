/** In the place of the live rules, where a process holds none: it has no engine, and loads none. */
import type { LiveSet } from './live-set.ts';
import type { Matching } from './matching.ts';
import type { PlatformRules } from './platform-rules.ts';

export function noMatching(): Matching {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  let isLoaded = false;
  const finish = async (): Promise<void> => {
    isLoaded = true;
    resolve();
  };
  return {
    rules: { x: NO_RULES, firehose: NO_RULES },
    ahead: { threads: 0, match: none, stop() {}, close: async () => {} },
    load: finish,
    fill: none,
    restore: none,
    image: none,
    changes: 0,
    loaded,
    get isLoaded() {
      return isLoaded;
    },
    put: none,
    drop() {},
    size: () => 0,
  };
}

function none(): never {
  throw new Error('this process holds no rules');
}

const NO_SET: LiveSet = {
  get engine(): never {
    return none();
  },
  lineCounts: undefined,
  put: none,
  drop() {},
  rule: () => undefined,
  size: 0,
  find: none,
  findByIds: none,
  holders: () => [],
  suspendAccounts() {},
  slow: () => [],
  reanchorSome() {},
  image: none,
  restore: none,
};

const NO_RULES: PlatformRules = {
  live: NO_SET,
  match: none,
  matchLine: none,
  matchedByThread: none,
  matchInSlices: none,
  takeSteps: () => 0,
  queryOf: none,
  askedOf: none,
  highlight: none,
};
