import { describe, expect, it } from 'vitest';
import type { Gap } from '../../domain/coverage.ts';
import type { SourceState } from '../../sources/source-status.ts';
import { createSourceGaps } from './source-gaps.ts';

const START = Date.parse('2026-11-15T08:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1_000);

function stage(options: { replaysMs?: number; through?: Date; open?: Gap } = {}) {
  let seconds = 0;
  const gaps = createSourceGaps({
    platform: 'firehose',
    source: 'news',
    clock: { now: () => at(seconds) },
    replaysMs: options.replaysMs ?? Number.POSITIVE_INFINITY,
    through: options.through,
    open: options.open,
  });
  return (second: number, state: SourceState, through?: number, hasLost = false) => {
    seconds = second;
    return gaps.next({ state, through: through === undefined ? undefined : at(through), hasLost });
  };
}

const news = { platform: 'firehose', source: 'news' } as const;

describe('the gaps of a source', () => {
  it('are none while it starts for the first time and is well', () => {
    const next = stage();
    expect(next(0, 'starting')).toBeUndefined();
    expect(next(1, 'live')).toBeUndefined();
    expect(next(2, 'live', 2)).toBeUndefined();
  });

  it('begin ten seconds before what it has brought, and are recovered once the replay has passed the break', () => {
    const next = stage();
    next(100, 'live', 99);
    const open = { ...news, from: at(89), to: undefined, cause: 'source_down:news', recovered: false };
    expect(next(120, 'waiting', 99)).toEqual(open);
    expect(next(130, 'waiting', 99)).toBeUndefined();
    expect(next(200, 'live', 99)).toBeUndefined();
    expect(next(201, 'live', 150)).toBeUndefined();
    expect(next(202, 'live', 200)).toEqual({ ...open, to: at(200), recovered: true });
    expect(next(203, 'live', 203)).toBeUndefined();
  });

  it('stay where the source cannot fetch what it missed, or says that some of it is lost', () => {
    for (const options of [{ replaysMs: 60_000 }, {}]) {
      const next = stage(options);
      next(100, 'live', 99);
      next(120, 'silent', 99);
      const hasLost = options.replaysMs === undefined;
      expect(next(200, 'live', 99, hasLost)).toMatchObject({
        to: at(200),
        recovered: false,
        cause: 'source_silent:news',
      });
    }
  });

  it('last while it breaks again before the replay has passed', () => {
    const next = stage();
    next(100, 'live', 99);
    next(110, 'waiting', 99);
    next(120, 'live', 100);
    next(130, 'blind', 100);
    expect(next(140, 'live', 125)).toBeUndefined();
    expect(next(141, 'live', 140)).toMatchObject({ from: at(89), to: at(140), recovered: true });
  });

  it('go on from an earlier run: from where that ended, or in the gap that it left open', () => {
    expect(stage({ through: at(-50) })(0, 'starting')).toMatchObject({ from: at(-60), to: undefined });
    const open = { ...news, from: at(-90), to: undefined, cause: 'source_blind:news', recovered: false };
    const next = stage({ through: at(-80), open });
    expect(next(0, 'starting')).toBeUndefined();
    expect(next(1, 'live', 1)).toEqual({ ...open, to: at(1), recovered: true });
  });
});
