import { describe, expect, it } from 'vitest';
import type { MatchRow } from './match-rows.ts';
import { type Walk, walk } from './walk.ts';

const rowOf = (position: number, deleted = 0, payload = '{}'): MatchRow => ({
  position,
  account: 1,
  event: 1,
  platform: 'x',
  version: 1,
  tail: '',
  highlights: '[]',
  edit_of: null,
  rule_id: 'rule_1',
  rule_name: '""',
  deleted,
  post_id: '""',
  payload,
  source: null,
  source_name: null,
  story: null,
  story_first: 0,
  rating: null,
  judgement: null,
  relevance_version: 0,
  matched_by: null,
});

/** Walks over rows in memory, and notes how many were asked for at a time. */
async function walked(rows: readonly MatchRow[], plan: Partial<Walk>, most = 10, cutTo = Infinity) {
  const limits: number[] = [];
  const all: Walk = {
    subject: { column: 'rule', number: 1 },
    platforms: ['x'],
    order: 'ASC',
    above: 0,
    below: Number.MAX_SAFE_INTEGER,
    wanted: 5,
    keeps: () => true,
    ...plan,
  };
  const {
    rows: kept,
    stopped,
    walked: gone,
  } = await walk(all, {
    most,
    slice({ above, below, order }, limit) {
      limits.push(limit);
      const inside = rows.filter(({ position }) => position > above && position < below);
      const ordered = inside.toSorted((one, other) => (order === 'ASC' ? 1 : -1) * (one.position - other.position));
      return { rows: ordered.slice(0, Math.min(limit, cutTo)), isCut: cutTo < Math.min(limit, ordered.length) };
    },
  });
  return { positions: kept.map(({ position }) => position), stopped, limits, gone };
}

const range = (count: number, change: (position: number) => MatchRow = rowOf) =>
  Array.from({ length: count }, (_, index) => change(index + 1));

describe('a walk along matches', () => {
  it('ends with the last row that is wanted, and says where', async () => {
    expect(await walked(range(20), {})).toMatchObject({
      positions: [1, 2, 3, 4, 5],
      stopped: 5,
      limits: [5],
    });
    expect((await walked(range(20), { order: 'DESC', below: 18 })).positions).toEqual([17, 16, 15, 14, 13]);
  });

  it('knows that it came to the end, also when the last row was wanted', async () => {
    expect(await walked(range(3), {})).toMatchObject({ positions: [1, 2, 3], stopped: undefined });
    expect(await walked(range(5), { wanted: 6 })).toMatchObject({ stopped: undefined });
    expect(await walked([], {})).toMatchObject({ positions: [], stopped: undefined });
  });

  it.each(['ASC', 'DESC'] as const)('goes on behind rows that are deleted or not wanted, %s', async (order) => {
    const rows = range(60, (position) => rowOf(position, position % 2));
    const keeps = ({ position }: MatchRow) => position % 8 === 0;
    const { positions, stopped, limits } = await walked(rows, { order, keeps, wanted: 4 });
    expect(positions).toEqual(order === 'ASC' ? [8, 16, 24, 32] : [56, 48, 40, 32]);
    expect(stopped).toBe(32);
    expect(limits.length).toBeGreaterThan(2);
  });

  it('ends with the row that fills its bytes, and reads few rows at a time for it', async () => {
    const rows = range(20, (position) => rowOf(position, 0, 'é'.repeat(50)));
    expect(await walked(rows, { bytes: 300, wanted: 20 })).toMatchObject({ positions: [1, 2, 3], stopped: 3 });
    expect(await walked(rows, { bytes: 301, wanted: 20 })).toMatchObject({ positions: [1, 2, 3, 4] });
    const { limits } = await walked(range(300), { bytes: 1_000_000, wanted: 300 }, 1_000);
    expect(Math.max(...limits)).toBe(64);
  });

  it('reads no more rows than are missing as long as all are kept', async () => {
    expect((await walked(range(300), { bytes: 1_000_000, wanted: 101 }, 1_000)).limits).toEqual([64, 37]);
    const keeps = ({ position }: MatchRow) => position !== 7;
    expect((await walked(range(60), { keeps, wanted: 15 })).limits).toEqual([10, 10]);
  });

  it('goes on behind a slice that ends early because its rows are long', async () => {
    expect(await walked(range(12), { wanted: 12 }, 10, 5)).toMatchObject({ stopped: 12, limits: [10, 7, 2] });
    expect(await walked(range(5), { wanted: 12 }, 10, 5)).toMatchObject({
      positions: [1, 2, 3, 4, 5],
      stopped: undefined,
    });
  });

  it('ends when it has gone through its budget of rows or bytes, and says how much that was', async () => {
    const rows = range(60, (position) => rowOf(position, 0, 'x'.repeat(10)));
    const none = { keeps: () => false, wanted: 5 };
    const byRows = await walked(rows, { ...none, most: { rows: 20, bytes: 1_000 } });
    expect([byRows.stopped, byRows.gone]).toEqual([25, { rows: 25, bytes: 250 }]);
    const byBytes = await walked(rows, { ...none, most: { rows: 1_000, bytes: 300 } });
    expect([byBytes.stopped, byBytes.gone]).toEqual([35, { rows: 35, bytes: 350 }]);
    expect(await walked(rows, { ...none, most: { rows: 1_000, bytes: 1_000 } })).toMatchObject({ stopped: undefined });
  });

  it('ends after 64 MiB of payloads of which it wants none, and says where to go on', async () => {
    const payload = 'x'.repeat(1024 * 1024);
    const rows = range(80, (position) => rowOf(position, 0, payload));
    const { stopped, gone } = await walked(rows, { keeps: () => false }, 1);
    expect([stopped, gone.bytes]).toEqual([64, 64 * 1024 * 1024]);
  });

  it('ends after 50,000 rows of which it wants none, and says where to go on', async () => {
    const rows = range(60_000);
    let at = 0;
    const { rows: kept, stopped } = await walk(
      {
        subject: { column: 'account', number: 1 },
        platforms: ['x'],
        order: 'ASC',
        above: 0,
        below: Number.MAX_SAFE_INTEGER,
        wanted: 5,
        keeps: () => false,
      },
      {
        most: 1_000,
        slice({ above }, limit) {
          at += limit;
          return { rows: rows.slice(above, above + limit), isCut: false };
        },
      },
    );
    expect([kept, stopped, at]).toEqual([[], stopped, stopped]);
    expect(stopped).toBeGreaterThanOrEqual(50_000);
    expect(stopped).toBeLessThan(51_000);
  });
});
