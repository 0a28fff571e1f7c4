/** Several nodes on one store. */
import type { Bug } from '../bug.ts';

export const clusterBugs: readonly Bug[] = [
  {
    id: 'cluster-behind-and-ready',
    hurts: 'A node that was cut off matches by rules that were changed meanwhile.',
    file: 'src/service/cluster/rule-follower.ts',
    find: '!store.isShared || clock.elapsed() < state.currentUntil',
    replace: 'true',
    caughtBy: {
      file: 'src/service/cluster/rule-follower.test.ts',
      test: 'does not match after it was cut off before it has caught up',
    },
  },
  {
    id: 'cluster-present-too-long',
    hurts: 'A node whose report came too late counts as current.',
    file: 'src/service/cluster/rule-follower.ts',
    find: 'if (clock.elapsed() < presentUntil) state.currentUntil = presence.presentUntil;\n  else state.isDue = true;',
    replace: 'state.currentUntil = presence.presentUntil;',
    caughtBy: {
      file: 'src/service/cluster/rule-follower.test.ts',
      test: 'looks again when it was frozen during a look, since the others no longer waited for it',
    },
  },
  {
    id: 'cluster-half-the-changes',
    hurts: 'A node that missed more than 500 changes of rules applies the first 500.',
    file: 'src/service/cluster/rule-follower.ts',
    find: 'while (state.applied < news.ruleChange) state',
    replace: 'if (state.applied < news.ruleChange) state',
    caughtBy: {
      file: 'src/service/cluster/following.test.ts',
      test: 'goes through more changes than it reads at once',
    },
  },
  {
    id: 'cluster-silent-trouble',
    hurts: 'A node that cannot follow the others says that it is ready.',
    file: 'src/service/cluster/rule-follower.ts',
    find: "return trouble ?? (isCurrent() ? undefined : 'node_behind');",
    replace: 'return undefined;',
    caughtBy: {
      file: 'src/service/cluster/rule-follower.test.ts',
      test: 'goes on when the store is away at the moment it starts to listen',
    },
  },
  {
    id: 'cluster-silent-bell',
    hurts: 'A stream on one node does not hear what another node stored.',
    file: 'src/service/cluster/rule-follower.ts',
    find: '      tellOfMatches(deps, news.accountIds);\n',
    replace: '',
    caughtBy: {
      file: 'src/service/cluster/following.test.ts',
      test: 'tells the accounts that a notice names, once',
    },
  },
];
