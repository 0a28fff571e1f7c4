import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import type { Page } from './contract/page.ts';
import type { Source } from './contract/source.ts';
import { SourceError } from './fetch/source-error.ts';
import { pauseAfter, type RunOptions, runSource } from './run.ts';

const page = (id: string, change: Partial<Page> = {}): Page => ({
  id,
  source: { name: 's', original: null },
  ...change,
});

/** Runs a source to its end, over a store in memory. */
async function run(source: Source) {
  const clock = fakeClock();
  const stored: string[] = [];
  const cursors: string[] = [];
  const troubles: string[] = [];
  const options = {
    clock,
    signal: new AbortController().signal,
    onTrouble: (message: string) => troubles.push(message),
  };
  const running = runSource(
    source,
    {
      cursor: async () => undefined,
      noteGaps: async () => {},
      erase: async () => {},
      async add(pages, cursor) {
        stored.push(...pages.map(({ id }) => id));
        if (cursor !== undefined) cursors.push(cursor.value);
        return [];
      },
    },
    options as unknown as RunOptions,
  );
  await running.done;
  return { running, stored, cursors, troubles, clock };
}

describe('a running source', () => {
  it('tells of its addresses without what may be a secret in them', async () => {
    const { running, troubles } = await run({
      name: 's',
      kind: 'test',
      async *read({ trouble }) {
        trouble('a.example answered 503 for https://a.example/feed?token=hush.');
        yield { pages: [] };
      },
    });
    const shown = 'a.example answered 503 for https://a.example/feed?***.';
    expect([troubles, running.status.lastError?.message]).toEqual([[shown], shown]);
  });

  it('shows its status in few steps, however many batches were stored before', async () => {
    const { running } = await run({
      name: 's',
      kind: 'test',
      async *read({ clock }) {
        for (let batch = 0; batch < 3_000; batch++) {
          // Late enough that every page is a batch of its own.
          for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
          (clock as ReturnType<typeof fakeClock>).jump(1_000);
          yield { pages: [page(`p${batch}`)] };
        }
      },
    });
    const shifts = vi.spyOn(Array.prototype, 'shift');
    const { status } = running;
    const steps = shifts.mock.calls.length;
    shifts.mockRestore();
    expect(status).toMatchObject({ state: 'ended', events: 3_000, eventsPerMinute: 60 });
    expect(steps).toBeLessThan(60);
  });

  it('skips pages over a limit with a counted reason, and moves its cursor on', async () => {
    const { running, stored, cursors, troubles } = await run({
      name: 's',
      kind: 'test',
      async *read() {
        yield { pages: [page('a'), page('b', { url: `http://${'a.'.repeat(6_000)}com/` })], cursor: { value: '1' } };
        yield { pages: [page('c', { url: `https://c.example/${'c'.repeat(9_000)}` })], cursor: { value: '2' } };
      },
    });
    expect([stored, cursors.at(-1)]).toEqual([['a'], '2']);
    expect(troubles.join(' ')).toMatch(/^Skipped 2 pages: 2 with a url of more than 8192 characters\.$/);
    expect(running.status).toMatchObject({ events: 1, lastError: { message: troubles[0] } });
  });

  it('waits longer after each failure, up to a minute, or as long as it is asked to', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6].map((failures) => pauseAfter(new Error('no'), failures, { random: () => 0.5 }));
    expect(waits).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 60_000]);
    const asked = new SourceError('busy', { retryAfter: 90 });
    expect(pauseAfter(asked, 0, { random: () => 0.5 })).toBe(90_000);
    expect(pauseAfter(new SourceError('busy', { retryAfter: 0 }), 0, { random: () => 0 })).toBe(800);
  });
});
