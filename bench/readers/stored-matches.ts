/** A server with matches to read: many rules with an intent, some of them rated, and posts of the corpus that matched them. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Started, startServer } from '../../test/black-box/server.ts';
import { readCorpus } from '../corpus.ts';
import { batchesOf, pushAll } from '../ingest.ts';
import { folderWithRules, rulesMatching } from '../ingest-rules.ts';
import type { BarePage } from './bare-loop.ts';

const RULES = 2_000;
const MATCHES_AN_EVENT = 0.3;
const SAMPLE = 20_000;
/** Matches that are rated: those of the rules that match most. */
const RATED_RULES = 20;
const RATED_MATCHES = 12;
export const PAGE = 100;

export async function serverWithMatches(posts: number): Promise<Started> {
  const { payloads } = readCorpus('x');
  const rules = rulesMatching(payloads.slice(0, SAMPLE), RULES, MATCHES_AN_EVENT);
  const intentOf = (rule: string) => `News and opinions about ${(rule.match(/[\p{L}\p{N}]{3,}/gu) ?? []).join(', ')}`;
  const dataDir = await folderWithRules(rules, intentOf);
  // As users start it: tests give a server more memory for new objects.
  const server = await startServer({ NODE_OPTIONS: '' }, dataDir);
  await pushAll(server.url, batchesOf(payloads.slice(0, posts).map((post) => JSON.stringify(post))));
  await rateSome(server);
  return server;
}

async function rateSome(server: Started): Promise<void> {
  using db = new DatabaseSync(databaseOf(server), { readOnly: true });
  const busiest = db
    .prepare(
      'SELECT r.id FROM matches m JOIN rules r ON r.number = m.rule GROUP BY r.id ORDER BY count(*) DESC LIMIT ?',
    )
    .all(RATED_RULES);
  for (const { id } of busiest) {
    const { body } = await server.call('POST', '/matches', { rule_id: id, limit: RATED_MATCHES });
    for (const [index, match] of (body['matches'] as { id: string }[]).entries()) {
      const rating = index % 3 === 0 ? 'irrelevant' : 'relevant';
      const { status, text } = await server.call('POST', '/api.RateMatch', { match_id: match.id, rating });
      if (status !== 200) throw new Error(`a match was not rated: ${text}`);
    }
  }
}

export const databaseOf = ({ dataDir }: Pick<Started, 'dataDir'>): string => join(dataDir, 'sluice.db');

/** Names of a page: a question that comes again within a second is answered with what was kept. */
const NAMES = 100;

const namesOf = (cursor: unknown): string[] =>
  Array.from({ length: NAMES }, (_, n) =>
    JSON.stringify({ limit: PAGE, cursor, until: new Date(Date.UTC(2100, 0, 1) + n).toISOString() }),
  );

/** Pages of matches, each beginning where the one before ends. */
export async function pagesOf(server: Started, count: number): Promise<BarePage[]> {
  using db = new DatabaseSync(databaseOf(server), { readOnly: true });
  const positions = db.prepare('SELECT position FROM matches ORDER BY position DESC').all();
  const pages: BarePage[] = [];
  for (let cursor: unknown; pages.length < count; ) {
    const bodies = namesOf(cursor);
    const { text, body: answer } = await server.call('POST', '/matches', JSON.parse(bodies[0]!));
    const last = positions[pages.length * PAGE - 1]?.['position'] ?? Number.MAX_SAFE_INTEGER;
    pages.push({ bodies, below: Number(last), answer: text });
    cursor = answer['next_cursor'];
    if (cursor === undefined) throw new Error(`there are ${pages.length} pages of ${count}`);
  }
  return pages;
}
