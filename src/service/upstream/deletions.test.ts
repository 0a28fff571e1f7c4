import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { scriptedPlatform } from '../../../test/stages/scripted-platform.ts';
import { upstreamStage } from '../../../test/stages/upstream-stage.ts';
import type { Deletions } from '../../platforms/platform.ts';
import { openSqlite } from '../../store/sqlite.ts';

/** An upstream that announces what the test says. */
function announcing(clock: ReturnType<typeof fakeClock>) {
  const asked: (Date | undefined)[] = [];
  const waiting: ((deletions: Deletions | undefined) => void)[] = [];
  const deletions = {
    parts: ['1'],
    async *read(_part: string, since: Date | undefined, signal: AbortSignal): AsyncGenerator<Deletions> {
      asked.push(since);
      signal.addEventListener('abort', () => {
        for (const wake of waiting.splice(0)) wake(undefined);
      });
      while (!signal.aborted) {
        const next = await new Promise<Deletions | undefined>((resolve) => void waiting.push(resolve));
        if (next !== undefined) yield next;
      }
    },
  };
  const x = Object.assign(
    scriptedPlatform('x', () => clock.now()),
    { deletions },
  );
  return {
    x,
    asked,
    announce: (...postIds: string[]) => waiting.shift()!({ postIds, through: clock.now() }),
  };
}

describe('posts that an upstream announces as deleted', () => {
  it('are erased for all accounts, and stay erased when they come again', async () => {
    const clock = fakeClock();
    const { x, announce } = announcing(clock);
    const stage = await upstreamStage({ clock, x });
    await stage.rule('storm');
    x.arrive('1', 'a storm', [x.idOf('storm')]);
    x.arrive('2', 'a storm', [x.idOf('storm')]);
    expect(await stage.posts()).toEqual(['2', '1']);
    announce('1', '99');
    expect(await stage.posts()).toEqual(['2']);
    x.arrive('1', 'a storm', [x.idOf('storm')]);
    expect(await stage.posts()).toEqual(['2']);
  });

  it('are found once more three minutes later, if they were on their way to the store', async () => {
    const clock = fakeClock();
    const { x, announce } = announcing(clock);
    const stage = await upstreamStage({ clock, x });
    await stage.rule('storm');
    announce('1');
    await clock.pass(1_000);
    x.arrive('1', 'a storm', [x.idOf('storm')]);
    expect(await stage.posts()).toEqual(['1']);
    await clock.pass(180_000);
    expect(await stage.posts()).toEqual([]);
  });

  it('leave no tombstone where nothing was stored', async () => {
    const clock = fakeClock();
    const { x, announce } = announcing(clock);
    const { store } = await upstreamStage({ clock, x });
    announce(...Array.from({ length: 2_000 }, (_, at) => String(at)));
    await clock.pass(200_000);
    expect((await store.tombstones('', 10)).tombstones).toEqual([]);
  });

  it('are read on from before what was looked for once only', async () => {
    const clock = fakeClock();
    const store = await openSqlite(':memory:', { clock });
    const first = announcing(clock);
    const stage = await upstreamStage({ clock, x: first.x, store });
    first.announce('1');
    const done = clock.now();
    await clock.pass(180_000);
    first.announce('2');
    await clock.pass(1_000);
    await stage.test.service.close();
    const second = announcing(clock);
    await upstreamStage({ clock, x: second.x, store });
    await clock.pass(10_000);
    expect([first.asked, second.asked]).toEqual([[undefined], [done]]);
  });
});
