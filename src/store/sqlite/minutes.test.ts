import { expect, it } from 'vitest';
import { at, eventOf, stage } from '../../../test/conformance/store/stage.ts';
import { openSqlite } from '../sqlite.ts';

const MINUTE = 60_000;
/** A millisecond has room for this many; the next match of a commit is of the next one. */
const IN_A_MILLISECOND = 4_096;

it('counts each match of a commit in the minute that the match itself says', async () => {
  await using stand = await stage(() => openSqlite(':memory:'));
  const { store, account, rule } = stand;
  const events = Array.from({ length: IN_A_MILLISECOND + 1 }, (_, post) => eventOf(`post ${post}`, [rule]));
  const start = Math.ceil(at(0).getTime() / MINUTE) * MINUTE;
  await store.commit({ platform: 'x', at: new Date(start + MINUTE - 1), events });
  const { matches } = await store.matches({ accountId: account.id, limit: 1 });
  expect(matches[0]!.createdAt).toEqual(new Date(start + MINUTE));
  const span = { from: new Date(start), to: new Date(start + 2 * MINUTE), seconds: 60 };
  const counted = [
    { at: new Date(start), count: IN_A_MILLISECOND },
    { at: new Date(start + MINUTE), count: 1 },
  ];
  expect(await store.matchCounts({ accountId: account.id, ...span })).toEqual(counted);
  expect(await store.matchCounts({ accountId: account.id, ruleId: rule.id, ...span })).toEqual(counted);
});
