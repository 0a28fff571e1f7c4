/** Rehearsals of the shared corpus against the oracle: every count must be that of the plain scan. */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { readCorpus } from '../../bench/corpus.ts';
import type { Platform } from '../../src/domain/platform.ts';
import { newAnalyzer } from '../../src/engine/events/analyzer.ts';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { holds } from '../../src/engine/scan.ts';
import { languages } from '../../src/rules/languages.ts';
import { flagsQueryOf } from '../../src/rules/rule-text.ts';
import { historyFiles } from '../../src/sources/history/files.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { until } from '../stages/receiver.ts';
import { openService, type TestService } from '../stages/service.ts';
import { sharedLines } from '../stages/shared-data.ts';
import { ARCHIVE_BEGAN, archiveOfCorpus } from './archive-corpus.ts';

const RULES: readonly { readonly platform: Platform; readonly value: string }[] = [
  { platform: 'x', value: 'the lang:en -is:retweet' },
  { platform: 'x', value: '(flood OR storm OR fire) -has:links lang:en' },
  { platform: 'x', value: '"climate change" OR #jobs' },
  { platform: 'x', value: 'from:nobody never' },
  { platform: 'firehose', value: 'added:the AND NOT title:news' },
  { platform: 'firehose', value: 'language:"en" AND (added:storm* OR added:/fl[ou]+d/)' },
];

/** For fewer events the posts that take longest to read are left out. */
const FEW = 10_000;

/** All posts and pages of the corpus, and again with other ids until there are enough. */
function* corpus(count: number): Iterable<{ platform: Platform; payload: Record<string, unknown> }> {
  const real = [...sharedLines('posts/x-v2-posts.ndjson.gz'), ...sharedLines('posts/x-v1-posts-in-v2-shape.ndjson.gz')];
  const texts = count < FEW ? real : readCorpus('x').payloads;
  const pages = readCorpus('firehose').payloads as Record<string, unknown>[];
  for (let at = 0; at < count; at++) {
    const round = Math.floor(at / 20);
    if (at % 20 === 0) {
      yield { platform: 'firehose', payload: { ...pages[round % pages.length]!, id: `page-${at}` } };
      continue;
    }
    const posts = (at % 20 < 4 ? real : texts) as { data: object }[];
    const post = posts[(at % 20 < 4 ? 3 * round + (at % 20) : 16 * round + (at % 20)) % posts.length]!;
    yield { platform: 'x', payload: { ...post, data: { ...post.data, id: `post-${at}` } } };
  }
}

interface Oracle {
  readonly tallies: {
    matched: number;
    languages: Map<string, number>;
    missed: number[];
    minutes: Map<number, number>;
  }[];
  /** `arrived`: when it is judged; by its own time where that is not known. */
  take(platform: Platform, payload: Record<string, unknown>, arrived?: number): void;
}

function createOracle(): Oracle {
  const known = languages({ local: true });
  const analyzers = { x: newAnalyzer('x'), firehose: newAnalyzer('firehose') };
  const rules = RULES.map(({ platform, value }) => ({
    platform,
    clauses: known[platform].clauses(value).map(({ query }) => query),
    whole: known[platform].queryOf(value)!,
    also: flagsQueryOf({}),
  }));
  const tallies = rules.map(({ clauses }) => ({
    matched: 0,
    languages: new Map<string, number>(),
    missed: clauses.map(() => 0),
    minutes: new Map<number, number>(),
  }));
  return {
    tallies,
    take(platform, payload, arrived) {
      const view = analyzers[platform](payload);
      if (isRejection(view)) return;
      const at = arrived ?? view.publishedAt;
      for (const [index, rule] of rules.entries()) {
        if (rule.platform !== platform) continue;
        const tally = tallies[index]!;
        if (platform === 'firehose' && !holds(rule.also, view, at ?? 0)) continue;
        const failed = rule.clauses.flatMap((clause, number) => (holds(clause, view, at ?? 0) ? [] : [number]));
        if (failed.length === 1) tally.missed[failed[0]!]!++;
        if (!holds(rule.whole, view, at ?? 0)) continue;
        tally.matched++;
        const { data, language } = payload as { data?: { lang?: string }; language?: string };
        const spoken = (platform === 'x' ? data?.lang : language) || 'und';
        tally.languages.set(spoken, (tally.languages.get(spoken) ?? 0) + 1);
        if (at !== undefined) tally.minutes.set(at, (tally.minutes.get(at) ?? 0) + 1);
      }
    },
  };
}

/** Answers what differs; nothing when all counts agree. */
export async function rehearseAgainstOracle(
  records: number,
  say: (line: string) => void = () => {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-rehearse-'));
  await loadLanguages();
  const oracles = { file: createOracle(), archive: createOracle() };
  try {
    const file = createWriteStream(join(folder, 'corpus.ndjson'));
    const posts: { data: unknown }[] = [];
    for (const { platform, payload } of corpus(records)) {
      oracles.file.take(platform, payload);
      if (platform === 'x') posts.push({ data: payload['data'] });
      if (!file.write(`${JSON.stringify(payload)}\n`)) await once(file, 'drain');
    }
    await finished(file.end());
    const { archive, events } = await archiveOfCorpus(posts);
    for await (const some of events()) for (const { payload, at } of some) oracles.archive.take('x', payload, at);
    await using test = await openService({ history: { files: historyFiles(folder), archive } });
    const wrong: string[] = [];
    for (const [kind, oracle] of Object.entries(oracles))
      for (const [index, { platform, value }] of RULES.entries()) {
        if (kind === 'archive' && platform !== 'x') continue;
        const found = await rehearsed(test, platform, value, HISTORIES[kind as keyof typeof oracles]);
        say(`${kind}, ${platform} ${value}: ${found.matched} matches of ${found.events} events`);
        for (const difference of differences(found, oracle.tallies[index]!))
          wrong.push(`${kind}, ${value}: ${difference}`);
      }
    return wrong;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const HISTORIES = {
  file: { kind: 'file', file: 'corpus.ndjson' },
  archive: {
    kind: 'archive',
    from: new Date(ARCHIVE_BEGAN).toISOString(),
    to: new Date(ARCHIVE_BEGAN + 24 * 3_600_000).toISOString(),
  },
} as const;

type Found = Awaited<ReturnType<typeof rehearsed>>;

function differences(found: Found, expected: Oracle['tallies'][number]): string[] {
  const wrong: string[] = [];
  const differs = (what: string, ours: unknown, theirs: unknown) => {
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      wrong.push(`${what} ${JSON.stringify(ours)}, the scan ${JSON.stringify(theirs)}`);
  };
  differs('matched', found.matched, expected.matched);
  const order = (counts: Iterable<readonly [string, number]>) => [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (expected.languages.size <= 20)
    differs(
      'languages',
      order(found.languages.map(({ language, matched }) => [language, matched])),
      order(expected.languages),
    );
  const missed = found.near_misses.map((miss) => miss.missed);
  if (expected.missed.length > 1) differs('misses', missed, expected.missed);
  const step = found.timeline.seconds * 1_000;
  const intervals = new Map<string, number>();
  for (const [at, count] of [...expected.minutes].toSorted(([a], [b]) => a - b)) {
    const start = new Date(Math.floor(at / step) * step).toISOString();
    intervals.set(start, (intervals.get(start) ?? 0) + count);
  }
  const timeline = found.timeline.counts.map(({ at, matched }) => [at, matched]);
  differs('timeline', timeline, [...intervals]);
  return wrong;
}

async function rehearsed(
  test: TestService,
  platform: Platform,
  value: string,
  history: (typeof HISTORIES)[keyof typeof HISTORIES],
) {
  const ada = await test.caller('ada');
  const { id } = await test.call(ada, 'rehearseRule', {
    platforms: [platform],
    overrides: { [platform]: value },
    history,
  });
  const look = () => test.call(ada, 'getRehearsal', { rehearsal_id: id });
  await until(async () => (await look()).ended_at !== null);
  const { result, error } = await look();
  if (error !== undefined) throw new Error(error);
  return result.platforms[platform]!;
}

export async function rehearseCampaign({ records = 100_000 }: { records?: number }): Promise<boolean> {
  const wrong = await rehearseAgainstOracle(records, console.log);
  for (const line of wrong) console.log(`DIFFERENT ${line}`);
  return wrong.length === 0;
}
