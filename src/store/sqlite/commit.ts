/**
 * The one transaction of the hot path: events that matched, their matches, what is counted of them, the recent events
 * and the stream's cursor. It runs to its end or leaves no trace.
 */
import type { SQLInputValue } from 'node:sqlite';
import type { Platform } from '../../domain/platform.ts';
import { changeStored } from '../nouns/account-use.ts';
import { type Committed, moveCursor } from '../nouns/commits.ts';
import { noteCarriers } from '../nouns/erasure/carriers.ts';
import { refusalsAmong } from '../nouns/erasure/tombstones.ts';
import { latestOf } from '../nouns/matches.ts';
import type { RecentLimits } from '../nouns/recent.ts';
import { commitUpstream } from '../nouns/upstreams.ts';
import { countAgreement, countUsage } from '../nouns/usage.ts';
import { matchId, nextPosition, type Position } from '../order.ts';
import { MATCH_TAIL } from '../rows/match-rows.ts';
import { namesIn, type PackedCommit, withoutRefused } from '../rows/packed-commit.ts';
import { type ToldEvent, toldEvents } from '../rows/packed-events.ts';
import type { SqliteDb } from './db.ts';
import { EVENTS_OF_POST, namesOf } from './event-names.ts';
import { type LiveRules, liveRules } from './live-rules.ts';
import { distinctIn, type NewMatch, newMatches } from './new-matches.ts';
import { keepRecent } from './recent.ts';
import { oweNew } from './retention.ts';
import { leaveUnsettled } from './settle.ts';
import { rowInserter, type Sql } from './sql.ts';
import { noteGrown, type StoryWrites, storyWrites } from './story-writes.ts';

export function commitWrites(db: SqliteDb, limits: RecentLimits, settleAfter?: number) {
  const rules = liveRules(db.sql);
  const stories = storyWrites(db.sql);
  return {
    commit(batch: PackedCommit): Promise<Committed> {
      rules.watch();
      return db.transaction(() => commit(db, { rules, stories, limits, settleAfter }, batch));
    },
  };
}

interface Parts {
  readonly rules: LiveRules;
  readonly stories: StoryWrites;
  readonly limits: RecentLimits;
  readonly settleAfter: number | undefined;
}

async function commit(
  db: SqliteDb,
  { rules, stories, limits, settleAfter }: Parts,
  batch: PackedCommit,
): Promise<Committed> {
  const { platform, at, ring, cursor, upstream } = batch;
  const events = toldEvents(batch);
  rules.begin();
  if (upstream !== undefined) await commitUpstream(db, platform, at, upstream);
  const refusals = await refusalsAmong(db, platform, namesIn(ring, events));
  const before = await latestOf(db);
  const from = nextPosition(before, at.getTime());
  const results = newMatches(db.sql, rules, { events, platform }, refusals, from);
  const byEvent = results.map(({ found }) => found);
  const matches = byEvent.flat();
  const latest = store(db.sql, stories, platform, matches, before);
  await noteCarriers(db, platform, at.getTime(), [...distinctIn(matches, ({ event }) => event)]);
  await leaveUnsettled(db, matches.length, latest, settleAfter);
  const byAccount = Map.groupBy(matches, ({ rule }) => rule.account);
  const stored = [...byAccount].map(([account, own]) => ({ account, matches: own.length, bytes: bytesOf(own) }));
  await changeStored(db, stored, at);
  if (upstream !== undefined) {
    await countUsage(db, platform, at, byEvent);
    // A repeat was counted when it came first.
    const fresh = events.filter((_, index) => byEvent[index]!.length > 0);
    await countAgreement(db, platform, matches, engineOnlyOf(fresh, rules));
  }
  keepRecent(db.sql, platform, at.getTime(), withoutRefused(ring, refusals), limits);
  if (cursor !== undefined) await moveCursor(db, cursor, at);
  return {
    added: matches.length,
    addedByEvent: byEvent.map((found) => found.length),
    repeats: results.filter(({ isRepeat }) => isRepeat).length,
    latest,
    accountIds: [...byAccount.values()].map(([first]) => first!.rule.accountId),
    addedByAccount: [...byAccount.values()].map((own) => own.length),
  };
}

/** An event that several rules of an account matched is stored once, and counts once for each of them. */
const bytesOf = (matches: readonly NewMatch[]): number =>
  matches.reduce((sum, { event }) => sum + event.payload.length, 0);

const engineOnlyOf = (events: readonly ToldEvent[], rules: LiveRules): number[] =>
  events.flatMap(({ engineOnly }) => engineOnly ?? []).flatMap((id) => rules.get(id)?.number ?? []);

/** The matches with all that is known of them by position. Answers the newest position of all. */
function store(
  sql: Sql,
  stories: StoryWrites,
  platform: Platform,
  matches: readonly NewMatch[],
  before: Position,
): Position {
  const last = matches.at(-1);
  if (last === undefined) return before;
  const told = stories.tell(platform, matches, before);
  noteGrown(sql, matches, told);
  place(sql, matches, platform, told);
  oweNew(sql, platform, matches);
  return last.position;
}

const COLUMNS = [
  'position',
  'account',
  'platform',
  'rule',
  'version',
  'event',
  'story',
  'tail',
  'highlights',
  'edit_of',
];
/** The platform stands in the text of the statement: handing a text over costs more than storing it. */
const insertersFor = (platform: Platform) => {
  const given = { platform: `'${platform}'`, tail: `''` };
  return {
    full: rowInserter('matches', COLUMNS, given),
    /** Most matches have no more than this. */
    plain: rowInserter('matches', COLUMNS, { ...given, highlights: `''`, edit_of: 'NULL' }),
  };
};
const INSERTERS = { x: insertersFor('x'), firehose: insertersFor('firehose') };

function place(sql: Sql, matches: readonly NewMatch[], platform: Platform, stories: readonly Position[]): void {
  const insert = INSERTERS[platform];
  const [plain, full]: [SQLInputValue[], SQLInputValue[]] = [[], []];
  const edited: { readonly match: NewMatch; readonly story: Position }[] = [];
  for (const [rank, match] of matches.entries()) {
    const story = stories[rank]!;
    if (match.event.earlier !== undefined) edited.push({ match, story });
    else if (match.highlights === '') addPlain(plain, match, story);
    else addFull(full, match, story, null);
  }
  insert.plain(sql, plain);
  insert.full(sql, full);
  // Versions of one post may come together: each finds those before it.
  for (const { match, story } of edited.toSorted((a, b) => versionOf(a.match) - versionOf(b.match))) {
    const values: SQLInputValue[] = [];
    addFull(values, match, story, earlierOf(sql, platform, match) ?? null);
    insert.full(sql, values);
  }
}

const versionOf = ({ event }: NewMatch): number => event.earlier?.length ?? 0;

function addPlain(values: SQLInputValue[], { position, account, rule, number }: NewMatch, story: Position): void {
  values.push(position, account, rule.number, rule.version, number, story);
}

function addFull(values: SQLInputValue[], match: NewMatch, story: Position, editOf: string | null): void {
  addPlain(values, match, story);
  values.push(match.highlights, editOf);
}

/** Finds the match of the same rule and the newest earlier version. */
function earlierOf(sql: Sql, platform: Platform, { rule, event }: NewMatch): string | undefined {
  for (const postId of event.earlier?.toReversed() ?? []) {
    const row = sql.row<{ position: number; tail: string }>(
      `SELECT m.position, ${MATCH_TAIL.sqlite} AS tail FROM (${EVENTS_OF_POST}) p CROSS JOIN matches m ON m.event = p.event
       CROSS JOIN rules r ON r.number = m.rule WHERE m.rule = :rule LIMIT 1`,
      { ...namesOf(platform, postId), rule: rule.number },
    );
    if (row !== undefined) return matchId(row.position, row.tail);
  }
  return undefined;
}
