import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../../../bench/random.ts';
import { createScan } from '../../../test/stages/scan.ts';
import type { Platform } from '../../domain/platform.ts';
import { languages } from '../../rules/languages.ts';
import type { Query } from '../../rules/query.ts';
import { createCoreEngine } from '../core/core-engine.ts';
import type { ThreadOutcome } from '../core/matcher-lines.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { createMatchThreads, type LostThread, type MatchThreads } from './match-threads.ts';

const SEED = Number(process.env['PROPERTY_SEED']);
const PLATFORM_NAMES: readonly Platform[] = ['x', 'firehose'];
const language = languages({ level: 'enterprise', local: true });
const LINES = 120;
const ROUNDS = 3;
const now = () => 1_750_000_000_000;

const WORDS =
  'tesla ford recall lava node café naïve straße привет 火山 ニュース 🌋 a the 2026 node.js #lava don’t é́'.split(' ');
const words = (random: Random, most: number) =>
  Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(random, WORDS)).join(' ');

/** Most are of words alone. One in thirty asks for what only the writer can decide. */
function anyText(platform: Platform, random: Random): string {
  if (random() < 0.03)
    return platform === 'x' ? `${words(random, 1)} followers_count:10` : `title:${pick(random, ['vol*', 'er*n'])}`;
  const term = () => (random() < 0.3 ? `"${words(random, 3)}"` : words(random, 1));
  if (platform === 'x')
    return pick(random, [
      () => `${term()} ${term()}`,
      () => `${term()} OR ${term()}`,
      () => `${term()} -${term()} lang:en`,
      term,
    ])();
  return pick(random, [
    () => `${term()} AND ${term()}`,
    () => `${term()} OR title:${term()}`,
    () => `${term()} NOT ${term()}`,
    term,
  ])();
}

/** An engine, the scan beside it, and lines of events with their views. */
function stage(platform: Platform, beforeChange: () => void) {
  const random = randomFrom(SEED + platform.length);
  const engine = createCoreEngine({ now, seed: 7, platform, beforeChange });
  const scan = createScan({ now });
  const analyze = newAnalyzer(platform);
  const fresh = (): Query => {
    for (;;) {
      const query = language[platform].queryOf(anyText(platform, random));
      if (query !== undefined) return query;
    }
  };
  const payload = (id: number) => {
    const text = id % 40 === 0 ? 'a volcano erupts' : words(random, 20);
    return platform === 'x'
      ? { data: { id: String(id), text, lang: 'en' }, matching_rules: [] }
      : { id: String(id), added: text, title: text.slice(0, 40), language: 'en', url: 'https://example.com/a' };
  };
  return {
    engine,
    scan,
    random,
    lines: Array.from({ length: LINES }, (_, id) => JSON.stringify(payload(id))),
    view(line: string): EventView {
      const view = analyze(JSON.parse(line));
      if (isRejection(view)) throw new Error(view.rejected);
      return view;
    },
    put(id: string) {
      const query = fresh();
      engine.put(id, query);
      scan.put(id, query);
    },
    drop(id: string) {
      engine.drop(id);
      scan.drop(id);
    },
  };
}

type Stage = ReturnType<typeof stage>;

/** Two platforms and threads that match for both. */
async function withThreads(
  count: number,
  run: (threads: MatchThreads, stages: readonly [Stage, Stage], lost: LostThread[]) => Promise<void>,
  entry?: URL,
): Promise<void> {
  let threads: MatchThreads | undefined;
  const stages = PLATFORM_NAMES.map((name, index) => stage(name, () => threads?.stop(index))) as [Stage, Stage];
  const lost: LostThread[] = [];
  threads = createMatchThreads({
    threads: count,
    engines: stages.map(({ engine }) => engine.matchers),
    onLost: (one) => void lost.push(one),
    ...(entry === undefined ? {} : { entry }),
  });
  await threads.started;
  try {
    await run(threads, stages, lost);
  } finally {
    await threads.close();
  }
}

/** The ids of what a line matched, by the thread or, where it asks for that, by the engine itself. */
function idsFrom({ engine, view }: Stage, line: string, outcome: ThreadOutcome): string[] {
  if (outcome === 'left') return engine.match(view(line)).matches.toSorted();
  const { numbers, count } = outcome === 'asked' ? engine.matchLine(Buffer.from(line), () => view(line))! : outcome;
  return Array.from(numbers.subarray(0, count), (number) => engine.idOf(number)).toSorted();
}

describe('matching in threads', () => {
  it.each([1, 3])('finds what the scan finds, with %i threads, while rules come, go and move', async (count) => {
    await withThreads(count, async (threads, stages) => {
      const counts = { rounds: 0, matched: 0, left: 0, asked: 0, rules: 0 };
      const check = (index: number) => (outcome: ThreadOutcome, at: number) => {
        const one = stages[index]!;
        const line = one.lines[at]!;
        counts[typeof outcome === 'string' ? outcome : 'matched']++;
        // The scan takes long: each line is looked at in one of the rounds at least.
        if (at % ROUNDS !== counts.rounds) return;
        const found = idsFrom(one, line, outcome);
        expect(found).toEqual(one.scan.match(one.view(line)).matches.toSorted());
        counts.rules += found.length;
      };
      for (const one of stages) for (let rule = 0; rule < 60; rule++) one.put(`rule ${rule}`);
      for (let round = 0; round < ROUNDS; round++) {
        const jobs = stages.flatMap((one, index) => [
          threads.match(index, one.lines, check(index)),
          threads.match(index, one.lines, check(index)),
        ]);
        for (let change = 0; change < 40; change++) {
          const one = stages[change % 2]!;
          const id = `rule ${Math.floor(one.random() * 80)}`;
          if (one.random() < 0.3) one.drop(id);
          else one.put(id);
          if (change % 8 === 0) one.engine.reanchor(200);
          // The threads get their next lines in between.
          if (change % 4 === 0) await new Promise((turn) => setImmediate(turn));
        }
        await Promise.all(jobs);
        counts.rounds++;
      }
      expect(counts.matched + counts.left + counts.asked).toBe(ROUNDS * 4 * LINES);
      expect(counts.matched).toBeGreaterThan(600);
      expect(counts.asked).toBeGreaterThan(0);
      expect(counts.left).toBeGreaterThan(0);
      expect(counts.rules).toBeGreaterThan(1_000);
    });
  });

  it('hands out every line once and in order, however many wait and whatever changes meanwhile', async () => {
    await withThreads(2, async (threads, [posts]) => {
      posts.put('rule');
      const seen: number[][] = [];
      const jobs = [...Array(8).keys()].map((job) => {
        seen.push([]);
        return threads.match(0, posts.lines, (_, index) => void seen[job]!.push(index));
      });
      for (let change = 0; change < 20; change++) {
        posts.put(`rule ${change}`);
        await new Promise((turn) => setImmediate(turn));
      }
      await Promise.all(jobs);
      expect(seen).toEqual(Array(8).fill(posts.lines.map((_, index) => index)));
    });
  });

  it.each(['throw', 'exit'])(
    'matches the lines of a thread that ends (%s) once more, and starts another',
    async (how) => {
      const entry = new URL(`../../../test/stages/failing-matcher.ts?how=${how}`, import.meta.url);
      const run = async (threads: MatchThreads, [{ engine }]: readonly [Stage, Stage], lost: LostThread[]) => {
        const put = (text: string) => engine.put(text, language.x.queryOf(text)!);
        for (const text of ['tesla ford followers_count:10', 'ford recall', 'recall -tesla', 'recall']) put(text);
        const line = (text: string) => JSON.stringify({ data: { id: '1', text } });
        const outcomesOf = async (lines: readonly string[]) => {
          const outcomes: (string | string[])[] = [];
          await threads.match(0, lines, (outcome) => {
            if (typeof outcome === 'string') outcomes.push(outcome);
            else outcomes.push(Array.from(outcome.numbers, (number) => engine.idOf(number)).toSorted());
          });
          return outcomes;
        };
        const recall = ['recall', 'recall -tesla'];
        expect(await outcomesOf([line('recall')])).toEqual([recall]);
        // The thread's notes of the line when it ended must not be taken for part of the next one.
        for (let time = 1; time <= 4; time++) {
          expect(await outcomesOf([line('recall'), line('tesla ford')])).toEqual(['asked', 'asked']);
          // While the next thread starts, lines are asked back.
          while ((await outcomesOf([line('x')]))[0] === 'asked') await new Promise((turn) => setImmediate(turn));
          expect(await outcomesOf([line('recall'), line('ford recall')])).toEqual([
            recall,
            ['ford recall', 'recall', 'recall -tesla'],
          ]);
          expect(lost).toHaveLength(time);
          expect(lost.at(-1)).toMatchObject({ isReplaced: true });
        }
        expect(threads.size).toBe(1);
      };
      await withThreads(1, run, entry);
    },
  );

  it('gives up threads that never match anything, and asks all lines back', async () => {
    await withThreads(
      1,
      async (threads, [{ lines }], lost) => {
        expect(lost).toMatchObject([{ isReplaced: true }, { isReplaced: true }, { isReplaced: false }]);
        expect(threads.size).toBe(0);
        const outcomes: ThreadOutcome[] = [];
        await threads.match(0, lines, (outcome) => void outcomes.push(outcome));
        expect(outcomes).toEqual(lines.map(() => 'asked'));
      },
      new URL('no-such-file.ts', import.meta.url),
    );
  });

  it('asks back what waits when the threads are ended', async () => {
    await withThreads(1, async (threads, [{ lines }]) => {
      const seen: number[] = [];
      const jobs = [1, 2, 3].map(() => threads.match(0, lines, (_, index) => void seen.push(index)));
      await threads.close();
      await Promise.all(jobs);
      expect(seen.toSorted((one, other) => one - other)).toEqual(lines.flatMap((_, index) => [index, index, index]));
    });
  });
});

it('asks a line back that matches more rules than a thread has room for, and matches those beside it', async () => {
  const engine = createCoreEngine({ now, seed: 7, platform: 'x' });
  const lava = language.x.queryOf('lava')!;
  for (let rule = 0; rule < 16_384 + 5; rule++) engine.put(`rule_${rule}`, lava);
  engine.put('other', language.x.queryOf('node')!);
  const threads = createMatchThreads({ threads: 1, engines: [engine.matchers] });
  try {
    await threads.started;
    const lines = ['node', 'lava', 'node'].map((text, id) => JSON.stringify({ data: { id: String(id), text } }));
    const found: (string | number)[] = [];
    await threads.match(0, lines, (outcome) => void found.push(typeof outcome === 'string' ? outcome : outcome.count));
    expect(found).toEqual([1, 'asked', 1]);
  } finally {
    await threads.close();
  }
});
