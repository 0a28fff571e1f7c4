import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { noMetrics } from '../telemetry.ts';
import { MAX_REJECTED_LISTED, type PushParts, pushLines, SLICE } from './push-lines.ts';

/** The cost of an event beside its characters, counted in characters. */
const EVENT_COST = 512;

interface Staged {
  /** Threads that match; none are asked without it. */
  readonly threads?: number;
  /** The slices that the threads take none of, by their number: they are away, or have too much to do. */
  readonly refused?: readonly number[];
  /** Steps that each event takes to match. */
  readonly steps?: number;
  /** Whether rules take too long for one turn. */
  readonly isSlow?: boolean;
}

function stage({ threads, refused = [], steps = 0, isSlow = false }: Staged = {}) {
  const tried: string[] = [];
  const asked: (readonly string[])[] = [];
  const taken: { line: string; asked: number }[] = [];
  const waits: number[] = [];
  const rejected: string[] = [];
  const matchedLine = (json: string) => ({ found: [], failures: [], evaluated: 0, json, postId: json });
  const parts = {
    matching: {
      ahead: {
        threads: threads ?? 0,
        match: (_: string, lines: readonly string[]) => {
          asked.push(lines);
          return threads === undefined || refused.includes(asked.length)
            ? undefined
            : Promise.resolve(lines.map((line) => ({ ...matchedLine(line), ahead: true })));
        },
      },
      rules: {
        x: {
          takeSteps: () => steps,
          matchLine: (line: string) => {
            if (isSlow) return 'slow';
            return line.startsWith('{') ? matchedLine(line) : 'unread';
          },
          match: () => void tried.push('at once'),
          matchInSlices: async () => {
            tried.push('in slices');
            return { found: [], failures: [], evaluated: 0 };
          },
        },
      },
    },
    commits: {
      add: (
        _: string,
        { payload }: { payload: string },
        __: number,
        receipt: { expect(n: number): void; confirm(n: number): void },
      ) => {
        taken.push({ line: payload, asked: asked.length });
        receipt.expect(1);
        receipt.confirm(1);
      },
      spaceFree: () => undefined,
    },
    analyzers: { x: newAnalyzer('x'), firehose: newAnalyzer('firehose') },
    metrics: { ...noMetrics, rejected: (platform: string) => void rejected.push(platform) },
    pauseFor: (work: number) => void waits.push(work),
    pause: () => undefined,
    clock: systemClock,
  } as unknown as PushParts;
  const push = (text: string | Buffer) => pushLines(parts, text, { platform: 'x', accountId: 'a', source: 'push' });
  return { asked, taken, waits, rejected, tried, push };
}

const line = (length: number) => `{${' '.repeat(length - 2)}}`;
const HALF = SLICE / 2 - EVENT_COST;

describe('the lines of a push', () => {
  it('are taken one after another, each with its number, whatever the last one ends with', async () => {
    for (const end of ['', '\n', '\n\n']) {
      const { push, taken } = stage();
      const answer = await push(`{1}\n\n  \n{2}\nno\n{3}${end}`);
      expect(taken.map((one) => one.line)).toEqual(['{1}', '{2}', '{3}']);
      expect(answer).toEqual({
        accepted: 3,
        matches: 3,
        rejected: [{ line: 5, problem: 'it is not a JSON object' }],
        moreRejected: 0,
        cpuMs: expect.any(Number),
      });
    }
    expect(await stage().push('')).toMatchObject({ accepted: 0, matches: 0, rejected: [], moreRejected: 0 });
  });

  it('that are bad are listed up to a thousand, and all of them are counted', async () => {
    const { push, rejected } = stage();
    const answer = await push('no\n'.repeat(MAX_REJECTED_LISTED + 2));
    expect([answer.rejected.length, answer.moreRejected, answer.accepted]).toEqual([MAX_REJECTED_LISTED, 2, 0]);
    expect(answer.rejected.at(-1)!.line).toBe(MAX_REJECTED_LISTED);
    expect(rejected).toHaveLength(MAX_REJECTED_LISTED + 2);
    const exact = await stage().push('no\n'.repeat(MAX_REJECTED_LISTED));
    expect([exact.rejected.length, exact.moreRejected]).toEqual([MAX_REJECTED_LISTED, 0]);
  });

  it('cost their length and something for each event; a blank one costs little', async () => {
    const { push, waits } = stage();
    await push(`${line(100)}\n\n${' '.repeat(63)}\n${' '.repeat(64)}`);
    expect(waits).toEqual([100 + EVENT_COST, 64 + EVENT_COST, 2 * 16]);
  });

  it('cost what the patterns and phrases of the rules took on them too', async () => {
    const { push, waits } = stage({ steps: 50_000 });
    await push(`${line(100)}\n${line(100)}`);
    expect(waits).toEqual([50_612, 50_612]);
  });

  it('are asked for in slices of 64 thousand characters, blank ones left out', async () => {
    const { push, asked } = stage();
    await push(`${line(HALF)}\n${line(HALF)}\n${line(HALF)}\n\n${line(HALF - 17)}\n${line(9)}`);
    expect(asked.map((lines) => lines.map(({ length }) => length))).toEqual([
      [HALF, HALF],
      [HALF, HALF - 17, 9],
    ]);
  });

  it('that are blank fill slices too', async () => {
    const { push, waits, asked } = stage();
    await push('\n'.repeat(SLICE / 16 + 1));
    expect([waits, asked]).toEqual([
      [SLICE, 16],
      [[], []],
    ]);
  });

  it('come as text or as UTF-8', async () => {
    const { push, taken } = stage();
    await push(Buffer.from('{"火":"🌋"}\n{"é":1}'));
    expect(taken.map((one) => one.line)).toEqual(['{"火":"🌋"}', '{"é":1}']);
  });

  it('are matched with pauses where rules took too long on one, and not tried a second time before', async () => {
    const { push, taken, tried } = stage({ isSlow: true });
    await push('{"data":{"id":"1","text":"lava"}}');
    expect([tried, taken.length]).toEqual([['in slices'], 1]);
  });

  it('are with the threads for as many slices as there are threads, and one more', async () => {
    const { push, taken, asked } = stage({ threads: 2 });
    await push(Array.from({ length: 10 }, () => line(HALF)).join('\n'));
    expect(asked).toHaveLength(5);
    expect(taken.map((one) => one.asked)).toEqual([3, 3, 4, 4, 5, 5, 5, 5, 5, 5]);
  });

  it('stay in their order when the threads take some of the slices and not others', async () => {
    for (const refused of [[2], [1, 3], [2, 3, 4]]) {
      const { push, asked, taken } = stage({ threads: 2, refused });
      const lines = Array.from({ length: 10 }, (_, at) => line(HALF - at));
      await push(lines.join('\n'));
      expect(asked.length).toBeGreaterThanOrEqual(4);
      expect(taken.map((one) => one.line.length)).toEqual(lines.map(({ length }) => length));
    }
  });

  it('are taken as soon as they are read where no thread matches', async () => {
    const { push, taken } = stage();
    await push(Array.from({ length: 6 }, () => line(HALF)).join('\n'));
    expect(taken.map((one) => one.asked)).toEqual([1, 1, 2, 2, 3, 3]);
  });
});
