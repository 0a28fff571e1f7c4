import { expect, it } from 'vitest';
import type { Db } from '../db.ts';
import { createNotices } from './after-commit.ts';

it('a notice tells of all commits that came while the one before was on its way', async () => {
  const said: unknown[] = [];
  const first = Promise.withResolvers<void>();
  const db = {
    dialect: 'postgres',
    run: async (_: string, [, notice]: readonly unknown[]) => {
      said.push(notice);
      if (said.length === 1) await first.promise;
      // Nothing rests on a notice: one that fails stops no other.
      if (said.length === 2) throw new Error('the server is away');
      return 1;
    },
  } as unknown as Db;
  const notices = createNotices(db);
  const add = (accountId: string, before: number) =>
    notices.add({ accountIds: [accountId], spans: [{ before, latest: before + 1 }] });
  add('a', 0);
  for (const [index, accountId] of ['b', 'a', 'b'].entries()) add(accountId, index + 1);
  expect(said).toEqual(['a 0-1']);
  first.resolve();
  await notices.done();
  add('c', 9);
  await notices.done();
  expect(said).toEqual(['a 0-1', 'b a 1-2 2-3 3-4', 'c 9-10']);
});
