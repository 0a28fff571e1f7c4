/** The rows of a commit that have positions. All that they need is read before; then they are written in one statement. */
import type { Platform } from '../../domain/platform.ts';
import { cutAtNumbers } from '../../signal/story-codec.ts';
import type { Db, Value } from '../db.ts';
import type { TextEvent } from '../nouns/commits.ts';
import { type Wanting, wantsOf } from '../nouns/owed.ts';
import {
  eventKey,
  matchId,
  matchIdSql,
  minuteSql,
  nextPositionSql,
  type Position,
  positionAt,
  timeSql,
} from '../order.ts';
import type { Forced, StoryLog, ToldMatch } from '../rows/story-books.ts';
import { encodeText } from '../rows/texts.ts';
import type { Candidate, Placed } from './candidates.ts';
import { startOfDay } from './partitions.ts';
import type { ToldStories } from './story-writes.ts';

/** A match of an earlier version of a post. */
interface EarlierMatch {
  readonly post_id: string;
  readonly rule: number;
  readonly position: Position;
  readonly tail: string;
  readonly account: number;
  readonly story: Position | null;
}

interface KnownEvent {
  readonly number: number;
  readonly source: string | null;
}

/** The rows that a commit reads before it takes its lock. */
export interface Preparation {
  /** The beginning of the day whose events were looked through. */
  readonly day: Position;
  /** Events that are stored already on that day. */
  readonly known: ReadonlyMap<string, KnownEvent>;
  readonly earlier: readonly EarlierMatch[];
  readonly webhooks: readonly (Wanting & { readonly account: number })[];
}

/** All of it is asked for at once, of the events that have matches. */
export async function prepareMatches(
  db: Db,
  platform: Platform,
  at: Date,
  events: readonly TextEvent[],
  ruleIds: readonly string[],
): Promise<Preparation> {
  const day = startOfDay(positionAt(at.getTime()));
  const [known, earlier, webhooks] = await Promise.all([
    knownEvents(db, platform, day, events),
    earlierMatches(db, platform, events, ruleIds),
    wantingWebhooks(db, ruleIds),
  ]);
  return { day, known, earlier, webhooks };
}

/** Each payload once a day; a later day stores it again, because the earlier day's partition goes first. */
async function knownEvents(
  db: Db,
  platform: Platform,
  day: Position,
  events: readonly TextEvent[],
): Promise<Map<string, KnownEvent>> {
  const rows = await db.rows<KnownEvent & { account: number; post_id: string }>(
    'SELECT number, account, post_id, source FROM events WHERE number >= $1 AND platform = $2 AND post_id = ANY($3)',
    [day, platform, events.map(({ postId }) => encodeText(postId))],
  );
  return new Map(rows.map(({ number, source, account, post_id }) => [`${account} ${post_id}`, { number, source }]));
}

const ACCOUNTS_OF = (rules: string): string => `(SELECT account FROM rules WHERE id = ANY(${rules}))`;

async function earlierMatches(
  db: Db,
  platform: Platform,
  events: readonly TextEvent[],
  ruleIds: readonly string[],
): Promise<EarlierMatch[]> {
  const posts = new Set(events.flatMap(({ earlier }) => earlier ?? []));
  if (posts.size === 0) return [];
  return db.rows<EarlierMatch>(
    `SELECT e.post_id, m.rule, m.position, m.tail, m.account, m.story FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $1 AND e.post_id = ANY($2) AND m.account = ANY(ARRAY${ACCOUNTS_OF('$3')})`,
    [platform, [...posts].map(encodeText), ruleIds],
  );
}

/** Locked against removal, which must not miss what this commit owes them. */
const wantingWebhooks = (db: Db, ruleIds: readonly string[]): Promise<Preparation['webhooks']> =>
  db.rows<Preparation['webhooks'][number]>(
    `SELECT number, account, rule_ids, platforms, sources, events FROM webhooks
     WHERE account = ANY(ARRAY${ACCOUNTS_OF('$1')}) AND status IN ('active', 'paused') ORDER BY number FOR KEY SHARE`,
    [ruleIds],
  );

/** Positions from the first one on that the commit asked for move by as much as it came later than it had thought. */
const moved = (position: string): string => `${position} + CASE WHEN ${position} >= $2::bigint THEN shift ELSE 0 END`;

/** Parts of stories that begin in this commit cannot be there, and are written more cheaply than those that may be. */
const partsOf = (which: string): string =>
  `INSERT INTO story_parts AS p (story, rule, source, account, matches, first, last, platform)
    SELECT ${moved('story')}, rule, source, account, matches, first + shift, last + shift, $1
    FROM place, unnest($22::bigint[], $23::bigint[], $24::text[], $25::bigint[], $26::bigint[], $27::bigint[], $28::bigint[])
      AS n (story, rule, source, account, matches, first, last) WHERE ${which}`;

/**
 * Under the lock. The commit was made ready for the positions from $2 on. Others may have taken them since: then its own are the next
 * free ones. It begins again if it would come to stand in another minute than its counts.
 */
const STORE = `
  WITH place AS MATERIALIZED (
    SELECT CASE WHEN ${minuteSql('(first + $3::bigint - $2::bigint)')} = ${minuteSql('$3::bigint')}
      THEN first - $2::bigint ELSE commit_again() END AS shift
    FROM (SELECT ${nextPositionSql('value', '$2::bigint')} AS first FROM state WHERE name = 'latest') f
  ), new_events AS (
    INSERT INTO events (number, platform, account, post_id, payload, source, key)
    SELECT number + shift, $1, account, post_id, payload, source, key
    FROM place, unnest($4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[])
      AS e (number, account, post_id, payload, source, key)
  ), new_matches AS (
    INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of, story)
    SELECT position + shift, account, $1, rule, version, ${moved('event')}, tail, highlights,
      CASE WHEN edit_at IS NULL THEN edit_of ELSE ${matchIdSql('(edit_at + shift)', 'edit_of')} END, ${moved('story')}
    FROM place, unnest($10::bigint[], $11::bigint[], $12::bigint[], $13::integer[], $14::bigint[], $15::text[], $16::text[],
        $17::text[], $18::bigint[], $19::bigint[])
      AS m (position, account, rule, version, event, tail, highlights, edit_of, edit_at, story)
  ), new_owed AS (
    INSERT INTO owed (position, webhook) SELECT position + shift, webhook
    FROM place, unnest($20::bigint[], $21::bigint[]) AS o (position, webhook) ON CONFLICT DO NOTHING
  ), new_times AS (
    UPDATE tallies SET last_at = greatest(last_at, ${timeSql('($3::bigint + shift)')}) FROM place
    WHERE shift > 0 AND rule = ANY($12::bigint[]) AND platform = $1
  ), new_parts AS (
    ${partsOf('story >= $2::bigint')}
  ), more_parts AS (
    ${partsOf('story < $2::bigint')}
    ON CONFLICT (story, rule, platform, source) DO UPDATE SET matches = p.matches + excluded.matches, last = excluded.last
  ), new_log AS (
    INSERT INTO story_log (account, position, entries)
    SELECT account, position + shift, string_agg(CASE WHEN number IS NULL THEN bytes ELSE float8send(number + shift) || bytes END,
      '' ORDER BY rank)
    FROM place, unnest($29::bigint[], $30::bigint[], $31::bigint[], $32::bytea[]) WITH ORDINALITY
      AS l (account, position, number, bytes, rank) GROUP BY account, position, shift
  )
  UPDATE state SET value = $3::bigint + shift FROM place, (SELECT value FROM state WHERE name = 'latest') AS b (before)
  WHERE name = 'latest' RETURNING shift, before`;

/** The place of a commit: later than it had thought by `shift`, and next to `before`. */
export interface CommitPlace {
  readonly shift: number;
  readonly before: Position;
}

export interface Storing {
  readonly placed: readonly Placed[];
  readonly numbers: Numbered;
  readonly told: ToldStories;
}

/** Under the lock. */
export async function storeMatches(
  db: Db,
  platform: Platform,
  { earlier, webhooks }: Preparation,
  { placed, numbers: { added, events }, told }: Storing,
): Promise<CommitPlace> {
  const owed = owedOf(placed, platform, webhooks, events);
  const first = placed[0]!.position;
  const row = await db.row<CommitPlace>(STORE, [
    platform,
    first,
    placed.at(-1)!.position,
    ...eventColumns(platform, added, events),
    ...matchColumns(placed, events, earlierOf(placed, earlier)),
    told.stories,
    owed.map(({ position }) => position),
    owed.map(({ webhook }) => webhook),
    ...partColumns(told.parts),
    ...logColumns(told.logs, first),
  ]);
  return row!;
}

const eventColumns = (
  platform: Platform,
  added: readonly Candidate[],
  events: ReadonlyMap<TextEvent, KnownEvent>,
): Value[] => [
  added.map(({ event }) => events.get(event)!.number),
  added.map(accountOf),
  added.map(({ event }) => encodeText(event.postId)),
  added.map(({ event }) => event.payload),
  added.map(({ event }) => event.source ?? null),
  added.map(({ event }) => eventKey(platform, event.postId)),
];

const matchColumns = (
  placed: readonly Placed[],
  events: ReadonlyMap<TextEvent, KnownEvent>,
  editOf: (event: TextEvent, rule: number) => EarlierVersion | undefined,
): Value[] => {
  const edited = placed.map(({ event, rule }) => editOf(event, rule.number));
  return [
    placed.map(({ position }) => position),
    placed.map(({ rule }) => rule.account),
    placed.map(({ rule }) => rule.number),
    placed.map(({ rule }) => rule.version),
    placed.map(({ event }) => events.get(event)!.number),
    placed.map(({ tail }) => tail),
    placed.map(({ highlights }) => highlights),
    edited.map((earlier) => earlier?.id ?? null),
    edited.map((earlier) => earlier?.at ?? null),
  ];
};

/**
 * The entries of a log in pieces: where a story has the number of a match of this commit, the server writes that number, which it
 * alone knows for sure.
 */
function logColumns(logs: readonly StoryLog[], first: Position): Value[] {
  const pieces = logs.flatMap(({ account, position, entries }) =>
    cutAtNumbers(entries, first).map((piece) => ({ account, position, ...piece })),
  );
  return [
    pieces.map(({ account }) => account),
    pieces.map(({ position }) => position),
    pieces.map(({ number }) => number ?? null),
    pieces.map(({ bytes }) => Buffer.from(bytes)),
  ];
}

const partColumns = (parts: ToldStories['parts']): Value[] => [
  parts.map(({ story }) => story),
  parts.map(({ rule }) => rule),
  parts.map(({ source }) => source),
  parts.map(({ account }) => account),
  parts.map(({ matches }) => matches),
  parts.map(({ first }) => first),
  parts.map(({ last }) => last),
];

export const toldMatch = (
  { position, rule, event, asked }: Placed,
  events: ReadonlyMap<TextEvent, KnownEvent>,
): ToldMatch => ({
  position,
  account: rule.account,
  ruleNumber: rule.number,
  event,
  asked,
  source: events.get(event)!.source ?? null,
});

/** The story of the newest earlier version of a post that the account has a match of. */
export function storyOfEarlier({ earlier }: Preparation): Forced {
  const stories = new Map(earlier.map(({ account, post_id, story }) => [`${account} ${post_id}`, story]));
  return ({ event, account }) =>
    event.earlier
      ?.toReversed()
      .map((postId) => stories.get(`${account} ${encodeText(postId)}`) ?? undefined)
      .find((story) => story !== undefined);
}

export interface Numbered {
  /** The first match of each event that is new. */
  readonly added: readonly Candidate[];
  readonly events: ReadonlyMap<TextEvent, KnownEvent>;
}

/** The account that an event belongs to, by its number; 0 for events that all accounts see. Its matches are of that account. */
const accountOf = ({ event, rule }: Candidate): number => (event.accountId === undefined ? 0 : rule.account);

/** The stored form of each event, and those that are new: an event has the number of its first match. */
export function numbered(placed: readonly Placed[], { known, day }: Preparation): Numbered {
  // Midnight has passed since the events were looked for.
  const byKey = new Map(startOfDay(placed[0]!.position) === day ? known : []);
  const events = new Map<TextEvent, KnownEvent>();
  const added: Candidate[] = [];
  for (const [event, [first]] of Map.groupBy(placed, (one) => one.event)) {
    const key = `${accountOf(first!)} ${encodeText(event.postId)}`;
    if (!byKey.has(key)) {
      byKey.set(key, { number: first!.position, source: event.source ?? null });
      added.push(first!);
    }
    events.set(event, byKey.get(key)!);
  }
  return { added, events };
}

/** A match of an earlier version: by its id or, in the same commit, by its tail and where it stands. */
interface EarlierVersion {
  readonly id: string;
  readonly at?: Position;
}

/** Finds the match of the same rule and the newest earlier version of a post. */
function earlierOf(
  placed: readonly Placed[],
  earlier: readonly EarlierMatch[],
): (event: TextEvent, rule: number) => EarlierVersion | undefined {
  if (!placed.some(({ event }) => event.earlier !== undefined)) return () => undefined;
  const found = new Map<string, EarlierVersion>(
    earlier.map((row) => [`${row.rule} ${row.post_id}`, { id: matchId(row.position, row.tail) }]),
  );
  // Versions of one post may come together.
  for (const { event, rule, position, tail } of placed)
    found.set(`${rule.number} ${encodeText(event.postId)}`, { id: tail, at: position });
  return (event, rule) =>
    event.earlier
      ?.toReversed()
      .map((postId) => found.get(`${rule} ${encodeText(postId)}`))
      .find((version) => version !== undefined);
}

function owedOf(
  placed: readonly Placed[],
  platform: Platform,
  webhooks: Preparation['webhooks'],
  events: ReadonlyMap<TextEvent, KnownEvent>,
): { position: Position; webhook: number }[] {
  const byAccount = Map.groupBy(placed, ({ rule }) => rule.account);
  return webhooks.flatMap((webhook) => {
    const wants = wantsOf(webhook, platform);
    return (byAccount.get(webhook.account) ?? [])
      .filter(({ rule, event }) => wants(rule.id, events.get(event)!.source))
      .map(({ position }) => ({ position, webhook: webhook.number }));
  });
}
