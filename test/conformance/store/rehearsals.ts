import { expect, it } from 'vitest';
import { newId } from '../../../src/base/ids.ts';
import type { Account } from '../../../src/domain/account.ts';
import type { Rehearsal } from '../../../src/domain/rule.ts';
import type { Lease, RehearsalSample, RehearsalStep, Store } from '../../../src/store/store.ts';
import { addOther, at, DAY, type Open, removeAll, stage } from './stage.ts';

const LIMITS = { unfinished: 2, kept: 3 };

const waiting = ({ id: accountId }: Account, milliseconds = 0): Rehearsal => ({
  id: newId('reh', at(milliseconds)),
  accountId,
  status: 'waiting',
  createdAt: at(milliseconds),
  endedAt: undefined,
  request: '{"texts":{"x":{"value":"ash \\u0000"}}}',
  events: 0,
  progress: undefined,
  error: undefined,
});

const sample = (postId: string, kind = 'newest'): RehearsalSample => ({
  kind,
  platform: 'x',
  postId,
  at: at(5),
  source: 'bluesky',
  payload: { data: { id: postId, text: 'ash \0 \ud800' } },
  highlights: [{ field: 'data.text', start: 0, end: 3 }],
});

const stepOf = ({ id }: Rehearsal, change: Partial<RehearsalStep> = {}): RehearsalStep => ({
  id,
  status: 'running',
  endedAt: undefined,
  events: 7,
  progress: 0.25,
  error: undefined,
  position: 'seven',
  state: '{"seen":7}',
  samples: [sample('p1'), sample('p2', 'first')],
  dueAt: at(100),
  ...change,
});

async function leaseOf(store: Store, holder = 'one'): Promise<Lease> {
  // The one before is known to be gone.
  const wish = { name: 'rehearsals', holder, now: at(0), milliseconds: 1_000, gone: 'one' };
  const lease = await store.takeLease(wish);
  if ('heldBy' in lease) throw new Error(`held by ${lease.heldBy}`);
  return lease;
}

async function added(store: Store, account: Account, milliseconds = 0): Promise<Rehearsal> {
  const rehearsal = waiting(account, milliseconds);
  expect(await store.addRehearsal(rehearsal, LIMITS)).toBe(true);
  return rehearsal;
}

const shown = async (store: Store, { accountId, id }: Rehearsal) =>
  (await store.rehearsal(accountId, id))?.samples.map(({ postId }) => postId);

export function rehearsalCases(open: Open): void {
  it('keeps a rehearsal with its position, state and samples, for its own account alone', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const rehearsal = await added(store, account);
    expect(await store.rehearsal(account.id, rehearsal.id)).toEqual({
      rehearsal,
      position: undefined,
      state: undefined,
      samples: [],
    });
    const step = stepOf(rehearsal);
    expect(await store.keepRehearsal(await leaseOf(store), step)).toBe(true);
    const kept = { rehearsal: { ...rehearsal, status: 'running', events: 7, progress: 0.25 } };
    const whole = { ...kept, position: 'seven', state: '{"seen":7}', samples: step.samples };
    expect(await store.rehearsal(account.id, rehearsal.id)).toEqual(whole);
    expect(await store.openRehearsal(rehearsal.id)).toEqual(whole);
    expect(await store.rehearsals(account.id, 10)).toEqual([kept.rehearsal]);
    expect(await store.rehearsal(other.id, rehearsal.id)).toBeUndefined();
    expect(await store.rehearsals(other.id, 10)).toEqual([]);
    expect(await store.cancelRehearsal(other.id, rehearsal.id, at(1))).toBe(false);
  });

  it('refuses one more than an account may have unfinished, and keeps the newest of the others', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const lease = await leaseOf(store);
    for (let number = 0; number < 5; number++) {
      const done = await added(store, account, number);
      await store.keepRehearsal(lease, stepOf(done, { status: 'done', endedAt: at(number) }));
    }
    const [one, two] = [await added(store, account, 10), await added(store, account, 11)];
    expect(await store.addRehearsal(waiting(account, 12), LIMITS)).toBe(false);
    expect((await store.rehearsals(account.id, 10)).map(({ id }) => id).slice(0, 2)).toEqual([two.id, one.id]);
    expect(await store.rehearsals(account.id, 10)).toHaveLength(3);
    expect(await store.rehearsals(account.id, 1)).toHaveLength(1);
  });

  it('keeps what is unfinished, however many are kept, and takes none of an unknown account', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const all = [waiting(account, 1), waiting(account, 2), waiting(account, 3)];
    for (const one of all) expect(await store.addRehearsal(one, { unfinished: 9, kept: 1 })).toBe(true);
    expect((await store.rehearsals(account.id, 9)).map(({ id }) => id)).toEqual(all.map(({ id }) => id).toReversed());
    const unknown = { ...waiting(account), accountId: 'acct_unknown' };
    expect(await store.addRehearsal(unknown, { unfinished: 9, kept: 1 })).toBe(false);
  });

  it('lets accounts take turns: after a step all of an account wait behind the others', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [first, second] = [await added(store, account, 1), await added(store, account, 2)];
    const theirs = await added(store, other, 3);
    expect(await store.firstRehearsal()).toEqual({ id: first.id, dueAt: at(1) });
    const lease = await leaseOf(store);
    await store.keepRehearsal(lease, stepOf(first, { dueAt: at(10) }));
    expect((await store.firstRehearsal())?.id).toBe(theirs.id);
    await store.keepRehearsal(lease, stepOf(theirs, { dueAt: at(20) }));
    expect(await store.firstRehearsal()).toEqual({ id: first.id, dueAt: at(10) });
    await store.keepRehearsal(lease, stepOf(first, { status: 'done', endedAt: at(25), dueAt: at(25) }));
    expect((await store.firstRehearsal())?.id).toBe(theirs.id);
    await store.cancelRehearsal(other.id, theirs.id, at(26));
    expect(await store.firstRehearsal()).toEqual({ id: second.id, dueAt: at(25) });
  });

  it('takes no step of one that was cancelled, nor of a process whose lease another has', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const rehearsal = await added(store, account);
    const lease = await leaseOf(store);
    const newer = await leaseOf(store, 'two');
    for (const old of [lease, { name: 'never taken', fence: 1 }])
      await expect(store.keepRehearsal(old, stepOf(rehearsal))).rejects.toMatchObject({ reason: 'fenced' });
    expect(await store.cancelRehearsal(account.id, rehearsal.id, at(3))).toBe(true);
    expect(await store.cancelRehearsal(account.id, rehearsal.id, at(4))).toBe(false);
    expect(await store.keepRehearsal(newer, stepOf(rehearsal))).toBe(false);
    expect(await store.openRehearsal(rehearsal.id)).toBeUndefined();
    expect((await store.rehearsals(account.id, 1))[0]).toMatchObject({
      status: 'cancelled',
      endedAt: at(3),
      events: 0,
    });
  });

  it('shows no erased post, whether it was erased before or after the step', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [rehearsal, theirs] = [await added(store, account), await added(store, other)];
    const lease = await leaseOf(store);
    const samples = ['p1', 'p2', 'did:a/post/v1', 'did:a/post/v2', 'did:b/post'].map((id) => sample(id));
    for (const one of [rehearsal, theirs]) await store.keepRehearsal(lease, stepOf(one, { samples }));
    await store.deleteMatches(account.id, 'x', 'p1');
    expect(await shown(store, rehearsal)).toEqual(samples.slice(1).map(({ postId }) => postId));
    expect(await shown(store, theirs)).toHaveLength(5);
    await store.eraseAnnounced('x', ['did:a/post'], { onlyStored: true });
    await store.eraseEverywhere('x', 'p2');
    expect(await shown(store, rehearsal)).toEqual(['did:b/post']);
    expect(await shown(store, theirs)).toEqual(['p1', 'did:b/post']);
    await store.keepRehearsal(lease, stepOf(rehearsal, { samples }));
    expect(await shown(store, rehearsal)).toEqual(['did:b/post']);
  });

  it('shows no repost of an erased post, whether it was erased before or after the step', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const { account: other } = await addOther(store);
    const [rehearsal, theirs] = [await added(store, account), await added(store, other)];
    const lease = await leaseOf(store);
    const data = { id: 'r', text: 'RT @a: ash', referenced_tweets: [{ type: 'retweeted', id: 'a' }] };
    const samples = [sample('p1'), { ...sample('r'), payload: { data } }];
    for (const one of [rehearsal, theirs]) await store.keepRehearsal(lease, stepOf(one, { samples }));
    await store.deleteMatches(account.id, 'x', 'a');
    expect([await shown(store, rehearsal), await shown(store, theirs)]).toEqual([['p1'], ['p1', 'r']]);
    await store.keepRehearsal(lease, stepOf(rehearsal, { samples }));
    expect(await shown(store, rehearsal)).toEqual(['p1']);
    await store.eraseAnnounced('x', ['a'], { onlyStored: true });
    expect(await shown(store, theirs)).toEqual(['p1']);
  });

  it('removes those that ended before the time that matches are kept', async () => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const [old, running] = [await added(store, account), await added(store, account, 1)];
    await store.keepRehearsal(
      await leaseOf(store),
      stepOf(old, { status: 'failed', error: 'no \0 file', endedAt: at(9) }),
    );
    expect((await store.rehearsals(account.id, 9)).at(-1)).toMatchObject({ status: 'failed', error: 'no \0 file' });
    await removeAll(store, at(29 * DAY));
    expect(await store.rehearsals(account.id, 9)).toHaveLength(2);
    await removeAll(store, at(31 * DAY));
    expect((await store.rehearsals(account.id, 9)).map(({ id }) => id)).toEqual([running.id]);
  });
}
