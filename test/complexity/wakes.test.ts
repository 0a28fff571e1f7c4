/**
 * A rehearsal of a wake contract: its work follows the number of matches, also when each of them fills a digest. Silences: their texts
 * are looked for in a match together. Requests that wait: a commit looks at those of its own accounts.
 */
import type { Silence } from '../../src/domain/wake.ts';
import { createMatchSignals } from '../../src/service/outlets/match-signals.ts';
import { rehearse } from '../../src/wakes/rehearse.ts';
import { silenceOf } from '../../src/wakes/silences.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { doubling, upTo } from './doubling.ts';

const NIGHT = Date.parse('2026-11-15T03:00:00Z');

doubling('matches of one second, each with a digest of its own', {
  sizes: upTo(16 * 1024),
  make: (size) => Array.from({ length: size }, () => ({ at: NIGHT, story: undefined, relevance: null })),
  work: (matches) =>
    void rehearse({ per: 'match', atMost: { count: 1, window: 'day' }, digest: { whenWaiting: 1 } }, matches),
});

/** A text that V8 stops at everywhere, and goes on from at once. */
const silence = (number: number): Silence => ({
  id: `silence_${number}`,
  accountId: 'acct_1',
  text: `ab${number}`,
  until: new Date(NIGHT),
  reason: '',
  createdAt: new Date(NIGHT),
  by: { kind: 'system' },
});

doubling('a long text, and as many silences', {
  sizes: upTo(8 * 1024),
  make: (size) => ({
    text: 'a'.repeat(size),
    silences: Array.from({ length: size / 8 }, (_, number) => silence(number)),
  }),
  // A list that is new was asked about by nobody.
  work: ({ text, silences }) =>
    void silenceOf([...silences], {
      platform: 'x',
      platformPostId: '1',
      ruleId: 'rule_1',
      ruleName: 'a',
      source: undefined,
      storyId: undefined,
      payload: { data: { text } },
    }),
});

doubling('commits, and as many requests of other accounts that wait', {
  sizes: upTo(4 * 1024),
  make(size) {
    const ended = AbortSignal.abort();
    const signals = createMatchSignals({ clock: fakeClock(), signal: ended, store: { latest: async () => 0 } });
    for (let number = 0; number < size; number++) signals.watch(`acct_${number % 50}`);
    return { size, signals };
  },
  work({ size, signals }) {
    const commit = { latest: 1, ruleIds: new Set(['rule_1']), accountIds: ['acct_of_its_own'] };
    for (let number = 0; number < size; number++) signals.committed(commit);
  },
});
