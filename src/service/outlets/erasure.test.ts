import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { eraseAnnounced, eraseForAll } from './erasure.ts';

const note = { id: 'ers_1', by: { kind: 'key' as const, keyId: 'key_1' }, accountId: 'a' };

describe('an erasure for all accounts', () => {
  const stage = (erased: { matches: number; accountIds: string[] }) => {
    const done: unknown[] = [];
    const deps = {
      store: {
        eraseEverywhere: async (...post: unknown[]) => {
          done.push(post);
          return erased;
        },
        eraseAnnounced: async (...posts: unknown[]) => {
          done.push(posts);
          return erased;
        },
      },
      live: { forget: (accountId: string) => void done.push(`forget ${accountId}`) },
      nodes: { caughtUp: async () => void done.push('every node') },
    } as unknown as Parameters<typeof eraseForAll>[0];
    return { deps, done };
  };

  it('has streams forget, here and on every node, before it answers', async () => {
    const { deps, done } = stage({ matches: 3, accountIds: ['a', 'b'] });
    expect(await eraseForAll(deps, 'x', 'p', note)).toBe(3);
    expect(done).toEqual([['x', 'p', note, false], 'forget a', 'forget b', 'every node']);
  });

  it('waits for no node where nothing was there', async () => {
    const { deps, done } = stage({ matches: 0, accountIds: [] });
    expect(await eraseAnnounced({ ...deps, clock: systemClock }, 'x', ['p', 'q'])).toBe(0);
    const announced = { id: expect.stringMatching(/^ers_/), by: { kind: 'system' } };
    expect(done).toEqual([['x', ['p', 'q'], { note: announced }]]);
  });
});
