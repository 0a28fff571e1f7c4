import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { tellOfRefusedToken } from './upstreams.ts';

function stage(account: () => Promise<object | undefined> = async () => ({ id: 'operator' })) {
  const clock = fakeClock();
  const told: unknown[] = [];
  const notify = async (accountId: string, notice: object) => void told.push([accountId, notice]);
  const tell = tellOfRefusedToken({ store: { account }, clock, notify } as unknown as Parameters<
    typeof tellOfRefusedToken
  >[0]);
  return { clock, told, tell };
}

it('tells the operator that the token is refused, by the day, so that a day is told once', async () => {
  const { clock, told, tell } = stage();
  await tell('x', 'degraded', 'auth');
  expect(told).toEqual([
    [
      'operator',
      {
        type: 'token_refused',
        at: new Date('2026-11-15T00:00:00.000Z'),
        subject: { platform: 'x' },
        message: expect.stringContaining('The upstream of x refuses the token.'),
      },
    ],
  ]);
  await clock.pass(15.5 * 3_600_000 - 1);
  await tell('x', 'degraded', 'auth');
  expect(told[1]).toEqual(told[0]);
  await clock.pass(1);
  await tell('x', 'degraded', 'auth');
  expect(told[2]).toMatchObject(['operator', { at: new Date('2026-11-16T00:00:00.000Z') }]);
});

it('says nothing of other states and other reasons', async () => {
  const { told, tell } = stage();
  await tell('x', 'live', 'auth');
  await tell('x', 'connecting', 'auth');
  await tell('x', 'degraded', 'quota');
  await tell('x', 'degraded', undefined);
  expect(told).toEqual([]);
});

it('says nothing where there is no operator, or the store is away', async () => {
  for (const account of [async () => undefined, () => Promise.reject(new Error('away'))]) {
    const { told, tell } = stage(account);
    await tell('x', 'degraded', 'auth');
    expect(told).toEqual([]);
  }
});
