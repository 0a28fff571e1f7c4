import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSqlite } from '../sqlite.ts';
import type { Commit, CommitEvent } from '../store.ts';

/** Makes events of a rule that is not there, so that they cost what they cost here and nothing is stored of them. */
const eventsOf = (count: number): CommitEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    event: { platform: 'x', postId: `${index}`, payload: { data: { text: 'lava' } }, accountId: undefined },
    matches: [{ ruleId: 'none', version: 1, asked: [] }],
  }));

it('a large commit is packed in several turns of the event loop, a small one in none', async () => {
  await using store = await openSqlite(':memory:');
  /** The turns that begin before the commit has ended. */
  async function turnsOf(events: number): Promise<number> {
    const commit: Commit = { platform: 'x', at: new Date(), events: eventsOf(events) };
    const state = { isDone: false, turns: 0 };
    const committing = store.commit(commit).finally(() => {
      state.isDone = true;
    });
    for (await turn(); !state.isDone; await turn()) state.turns++;
    await committing;
    return state.turns;
  }
  const [small, large] = [await turnsOf(10), await turnsOf(1_500)];
  // 8 for each, and 4,000 in one turn.
  expect([small, large >= 2]).toEqual([0, true]);
});
