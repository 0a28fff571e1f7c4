import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import type { StoredMatch } from '../../domain/match.ts';
import type { MatchQuery } from '../../store/store.ts';
import { readMatchPage } from './matches.ts';
import { scan } from './scan-matches.ts';

const checkpoint = () => {};

/** Matches from the position `size` down to 1, of two bytes each; every tenth is relevant. */
function pages(size: number) {
  const asked: MatchQuery[] = [];
  const read = async (query: MatchQuery) => {
    asked.push(query);
    const from = Math.min(size, (query.before ?? Infinity) - 1);
    const length = Math.max(0, Math.min(query.limit, from, query.walk!.rows));
    const matches = Array.from({ length }, (_, at) => ({ position: from - at }) as StoredMatch);
    const last = matches.at(-1)?.position ?? 1;
    return { matches, next: last > 1 ? last : undefined, latest: size, walked: { rows: length, bytes: 2 * length } };
  };
  const score = async ({ position }: StoredMatch) => (position % 10 === 0 ? 0.9 : undefined);
  const reader = { score } as never;

  const query = { accountId: 'a' };
  return { asked, reader, of: { read, query, least: undefined, budget: { rows: 10_000, bytes: 1_000_000 } } };
}

describe('a scan through matches', () => {
  it('visits each match once, newest first, and says that nothing is left', async () => {
    const { reader, of } = pages(2_500);
    const seen: number[] = [];
    const scanned = await scan({ reader, checkpoint }, of, ({ position }) => seen.push(position) < 0);
    expect(seen).toEqual(Array.from({ length: 2_500 }, (_, at) => 2_500 - at));
    expect(scanned).toEqual({ next: undefined, latest: 2_500, walked: { rows: 2_500, bytes: 5_000 } });
  });

  it('reads a thousand at a time and 4 MiB, within what is left of its budget', async () => {
    const { reader, of, asked } = pages(2_500);
    await scan({ reader, checkpoint }, of, () => false);
    const page = { accountId: 'a', limit: 1_000, bytes: 4 * 1024 * 1024 };
    expect(asked).toStrictEqual([
      { ...page, walk: { rows: 10_000, bytes: 1_000_000 } },
      { ...page, walk: { rows: 9_000, bytes: 998_000 }, before: 1_501 },
      { ...page, walk: { rows: 8_000, bytes: 996_000 }, before: 501 },
    ]);
  });

  it('visits what is relevant enough alone, each once over all its parts', async () => {
    const { reader, of } = pages(1_003);
    const seen: number[] = [];
    let before: number | undefined = 2_000;
    while (before !== undefined) {
      let left = 7;
      const query: MatchQuery = { ...of.query, limit: 1, before };
      before = (
        await scan({ reader, checkpoint }, { ...of, query, least: 0.9 }, ({ position }) => {
          seen.push(position);
          return --left === 0;
        })
      ).next;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => 1_000 - 10 * at));
  });

  it('ends with its budget of rows or bytes, and says where to go on', async () => {
    const { reader, of } = pages(20_000);
    const rows = await scan({ reader, checkpoint }, { ...of, budget: { rows: 5_000, bytes: 1e9 } }, () => false);
    expect(rows).toMatchObject({ next: 15_001, walked: { rows: 5_000 } });
    const bytes = await scan({ reader, checkpoint }, { ...of, budget: { rows: 1e9, bytes: 3_000 } }, () => false);
    expect(bytes).toMatchObject({ next: 18_001, walked: { bytes: 4_000 } });
  });

  it('that ends with the last match of all says that there is no other', async () => {
    const { reader, of } = pages(3);
    expect((await scan({ reader, checkpoint }, of, ({ position }) => position === 1)).next).toBeUndefined();
    expect((await scan({ reader, checkpoint }, of, ({ position }) => position === 2)).next).toBe(2);
  });
});

describe('a page of relevant matches', () => {
  it('ends with the match that fills its bytes', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const rule = { name: 'R', intent: 'outages', platforms: ['x'], overrides: { x: 'northline' } };
    await test.call(alice, 'createRule', rule);
    await test.post(alice, 'northline 1', 'northline 2', 'northline 3');
    const { context } = test.service;
    const sizeOfOne = (await readMatchPage(context, alice, { limit: 1 }, 1)).matches[0]!.json!.length;
    const sizes = await Promise.all(
      [1, sizeOfOne, sizeOfOne + 1, 2 * sizeOfOne, 3 * sizeOfOne].map(async (bytes) => {
        const page = await readMatchPage(context, alice, { limit: 50, min_relevance: 0 }, bytes);
        return [page.matches.length, page.next !== undefined];
      }),
    );
    expect(sizes).toEqual([
      [1, true],
      [1, true],
      [2, true],
      [2, true],
      [3, false],
    ]);
  });

  it('is what List Matches answers with `min_relevance`', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const rule = { name: 'R', intent: 'outages', platforms: ['x'], overrides: { x: 'northline' } };
    await test.call(alice, 'createRule', rule);
    await test.post(alice, 'Northline: outage in 3 regions since 9:15 https://a.example/1', "lol i'm northline :)");
    const { matches } = await test.call(alice, 'listMatches', {});
    const [worst, best] = matches.toSorted((one, other) => one.relevance! - other.relevance!);
    const found = await test.call(alice, 'listMatches', { min_relevance: best!.relevance! - 0.001 });
    expect(found.matches.map(({ id }) => id)).toEqual([best!.id]);
    expect(worst!.relevance).toBeLessThan(best!.relevance!);
    const none = await test.call(alice, 'listMatches', { min_relevance: 1 });
    expect(none).toMatchObject({ matches: [] });
    expect(none.next_cursor).toBeUndefined();
  });
});
