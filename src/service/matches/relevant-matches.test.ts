import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import type { Match } from '../../domain/match.ts';
import { relevantMatches } from './relevant-matches.ts';

/** Matches from the position `size` down to 1; every tenth is relevant. */
function pages(size: number) {
  const reads: number[] = [];
  const read = async ({ before = Infinity, limit }: { before?: number; limit: number }) => {
    const from = Math.min(size, before - 1);
    const matches = Array.from({ length: Math.max(0, Math.min(limit, from)) }, (_, at) => {
      const position = from - at;
      return { position, relevance: position % 10 === 0 ? 0.9 : undefined, json: '{}' } as Match;
    });
    reads.push(matches.length);
    const last = matches.at(-1)?.position ?? 1;
    const walked = { rows: matches.length, bytes: 2 * matches.length };
    return { matches, next: last > 1 ? last : undefined, latest: size, walked };
  };
  return { reads, read };
}

describe('a page of relevant matches', () => {
  it('has those that are relevant enough, each once, over all pages', async () => {
    const { read } = pages(1_003);
    const seen: number[] = [];
    for (let before: number | undefined = 2_000; before !== undefined; ) {
      const page = await relevantMatches(read, { accountId: 'a', limit: 7, before }, 0.5);
      seen.push(...page.matches.map(({ position }) => position));
      before = page.next;
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => 1_000 - 10 * at));
  });

  it('ends after 5,000 matches and says where to go on', async () => {
    const { read, reads } = pages(20_000);
    const page = await relevantMatches(read, { accountId: 'a', limit: 10 }, 0.95);
    expect(page).toMatchObject({ matches: [], next: 15_001, latest: 20_000 });
    expect(reads.reduce((sum, each) => sum + each, 0)).toBe(5_000);
  });

  it('ends with the match that fills its bytes', async () => {
    const { read } = pages(100);
    const page = await relevantMatches(read, { accountId: 'a', limit: 10, bytes: 5 }, 0.5);
    expect(page.matches.map(({ position }) => position)).toEqual([100, 90, 80]);
    expect(page.next).toBe(80);
  });

  it('that ends with the last match of all says that there is no other', async () => {
    const only = { position: 1, relevance: 0.5, payload: { text: 'é' } } as unknown as Match;
    const read = async () => ({ matches: [only], next: undefined, latest: 9, walked: { rows: 1, bytes: 2 } });
    const page = await relevantMatches(read, { accountId: 'a', limit: 1 }, 0.5);
    expect(page).toEqual({ matches: [only], next: undefined, latest: 9, walked: { rows: 1, bytes: 2 } });
  });

  it('asks for two hundred at a time, from where it was told to begin, and adds up what it walked', async () => {
    const { read } = pages(500);
    const asked: unknown[] = [];
    const page = await relevantMatches(
      (query) => {
        asked.push(query);
        return read(query);
      },
      { accountId: 'a', limit: 1_000 },
      0.9,
    );
    expect(asked).toStrictEqual([
      { accountId: 'a', limit: 200 },
      { accountId: 'a', limit: 200, before: 301 },
      { accountId: 'a', limit: 200, before: 101 },
    ]);
    expect(page.walked).toEqual({ rows: 500, bytes: 1_000 });
    expect([page.matches.length, page.next, page.latest]).toEqual([50, undefined, 500]);
  });

  it('counts the bytes of what it kept, as they are stored', async () => {
    const matches = [4, 3, 2, 1].map((position) => ({ position, relevance: 1, payload: 'é' }) as unknown as Match);
    const read = async () => ({ matches, next: undefined, latest: 4, walked: { rows: 4, bytes: 16 } });
    // A payload of one letter has four bytes as JSON.
    for (const [bytes, next] of [
      [4, 4],
      [5, 3],
      [8, 3],
      [16, undefined],
      [17, undefined],
    ] as const)
      expect((await relevantMatches(read, { accountId: 'a', limit: 9, bytes }, 1)).next).toBe(next);
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
