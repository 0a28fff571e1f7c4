import { describe, expect, it } from 'vitest';
import { registrationStage } from '../../../test/stages/registration-stage.ts';
import type { Store } from '../../store/store.ts';

type Stage = Awaited<ReturnType<typeof registrationStage>>;

/** A resumed account whose gap the store does not take the end of, once. What happens meanwhile is the test's. */
async function resumed(meanwhile: (test: Stage) => Promise<unknown> = async () => {}) {
  const test = await registrationStage();
  const { clock, store, alice } = test;
  const id = alice.account.id;
  await test.create('storm');
  await store.suspendAccount(id, { at: clock.now(), reason: '' });
  await clock.pass(5_000);
  const { noteGaps } = store;
  Object.assign(store, {
    async noteGaps(gaps) {
      if (gaps.every(({ to }) => to === undefined)) return noteGaps(gaps);
      Object.assign(store, { noteGaps });
      await meanwhile(test);
      throw new Error('The store is away.');
    },
  } satisfies Partial<Store>);
  await store.resumeAccount(id);
  await clock.pass(5_000);
  return test;
}

const gapsOf = ({ store, alice }: Stage) => store.gaps({ platform: 'x', accountId: alice.account.id, limit: 9 });

describe('the gap of a resumed account', () => {
  it('ends seconds later where the store did not take its end', async () => {
    await using test = await resumed();
    expect([test.x.values(), await gapsOf(test)]).toMatchObject([['storm'], [{ to: undefined }]]);
    await test.clock.pass(10_000);
    expect(await gapsOf(test)).toMatchObject([{ cause: 'account_suspended', to: expect.any(Date) }]);
  });

  it('goes on where the account was suspended again meanwhile', async () => {
    await using test = await resumed(async ({ store, clock, alice, service }) => {
      await store.suspendAccount(alice.account.id, { at: clock.now(), reason: 'again' });
      await service.context.suspensions.follow();
    });
    await test.clock.pass(60_000);
    expect([test.x.values(), (await gapsOf(test))[0]]).toMatchObject([[], { to: undefined }]);
  });
});
