/** The rows of a commit that have positions. All that they need is read before; then they are written in one statement. */
import type { Platform } from '../../domain/platform.ts';
import type { Db, Value } from '../db.ts';
import { CHANNEL, noticeOf } from '../nouns/nodes.ts';
import { type Wanting, wantsOf } from '../nouns/owed.ts';
import { eventKey, matchId, type Position, positionAt, timeOf } from '../order.ts';
import type { TextEvent } from '../rows/commit.ts';
import type { Forced, ToldMatch } from '../rows/story-books.ts';
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

export interface Preparation {
  /** Numbers by account id; 0 for events that all accounts see. */
  readonly accounts: ReadonlyMap<string | undefined, number>;
  /** Where the day begins whose events were looked through. */
  readonly day: Position;
  /** Events that are stored already on that day. */
  readonly known: ReadonlyMap<string, KnownEvent>;
  readonly earlier: readonly EarlierMatch[];
  readonly webhooks: readonly (Wanting & { readonly account: number })[];
}

export async function prepareMatches(
  db: Db,
  platform: Platform,
  at: Date,
  fresh: readonly Candidate[],
): Promise<Preparation> {
  const events = [...new Set(fresh.map(({ event }) => event))];
  const day = startOfDay(positionAt(at.getTime()));
  return {
    accounts: await accountNumbers(db, events),
    day,
    known: await knownEvents(db, platform, day, events),
    earlier: await earlierMatches(db, platform, fresh),
    webhooks: await wantingWebhooks(db, fresh),
  };
}

async function accountNumbers(db: Db, events: readonly TextEvent[]): Promise<Map<string | undefined, number>> {
  const ids = [...new Set(events.flatMap(({ accountId }) => accountId ?? []))];
  const numbers = new Map<string | undefined, number>([[undefined, 0]]);
  if (ids.length === 0) return numbers;
  const rows = await db.rows<{ id: string; number: number }>('SELECT id, number FROM accounts WHERE id = ANY($1)', [
    ids,
  ]);
  for (const { id, number } of rows) numbers.set(id, number);
  return numbers;
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

async function earlierMatches(db: Db, platform: Platform, fresh: readonly Candidate[]): Promise<EarlierMatch[]> {
  const edited = fresh.filter(({ event }) => (event.earlier?.length ?? 0) > 0);
  if (edited.length === 0) return [];
  const posts = [...new Set(edited.flatMap(({ event }) => event.earlier ?? []))];
  return db.rows<EarlierMatch>(
    `SELECT e.post_id, m.rule, m.position, m.tail, m.account, m.story FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $1 AND e.post_id = ANY($2) AND m.account = ANY($3)`,
    [platform, posts.map(encodeText), [...new Set(edited.map(({ rule }) => rule.account))]],
  );
}

/** Locked against removal, which must not miss what this commit owes them. */
const wantingWebhooks = (db: Db, fresh: readonly Candidate[]): Promise<Preparation['webhooks']> =>
  db.rows<Preparation['webhooks'][number]>(
    `SELECT number, account, rule_ids, platforms, sources, events FROM webhooks
     WHERE account = ANY($1) AND status IN ('active', 'paused') ORDER BY number FOR KEY SHARE`,
    [[...new Set(fresh.map(({ rule }) => rule.account))]],
  );

const STORE = `
  WITH new_events AS (
    INSERT INTO events (number, platform, account, post_id, payload, source, key)
    SELECT number, $1, account, post_id, payload, source, key
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $21::text[], $34::text[])
      AS e (number, account, post_id, payload, source, key)
  ), new_matches AS (
    INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of, story)
    SELECT position, account, $1, rule, version, event, tail, highlights, edit_of, story
    FROM unnest($6::bigint[], $7::bigint[], $8::bigint[], $9::integer[], $10::bigint[], $11::text[], $12::text[], $13::text[], $22::bigint[])
      AS m (position, account, rule, version, event, tail, highlights, edit_of, story)
  ), new_owed AS (
    INSERT INTO owed (position, webhook) SELECT * FROM unnest($14::bigint[], $15::bigint[]) ON CONFLICT DO NOTHING
  ), new_times AS (
    UPDATE tallies SET last_at = greatest(last_at, $17) WHERE rule = ANY($16::bigint[]) AND platform = $1
  ), new_parts AS (
    INSERT INTO story_parts AS p (story, rule, source, account, matches, first, last, platform)
    SELECT *, $1 FROM unnest($23::bigint[], $24::bigint[], $25::text[], $26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[])
    ON CONFLICT (story, rule, platform, source) DO UPDATE SET matches = p.matches + excluded.matches, last = excluded.last
  ), new_log AS (
    INSERT INTO story_log (account, position, entries) SELECT * FROM unnest($30::bigint[], $31::bigint[], $32::bytea[])
  )
  UPDATE state SET value = $18, mark = $33 WHERE name = 'latest' RETURNING pg_notify($19, $20)`;

/** Under the lock. `late` are rules whose newest match is younger than their tally says. */
export async function storeMatches(
  db: Db,
  platform: Platform,
  placed: readonly Placed[],
  prepared: Preparation,
  late: readonly number[],
  tell: (matches: readonly ToldMatch[]) => Promise<ToldStories>,
): Promise<void> {
  const { added, events } = numbered(placed, prepared);
  const editOf = earlierOf(placed, prepared.earlier);
  const owed = owedOf(placed, platform, prepared.webhooks, events);
  const latest = placed.at(-1)!.position;
  const { stories, parts, logs, mark } = await tell(placed.map((match) => toldMatch(match, events)));
  await db.run(STORE, [
    platform,
    ...eventColumns(added, events, prepared),
    ...matchColumns(placed, events, editOf),
    owed.map(({ position }) => position),
    owed.map(({ webhook }) => webhook),
    late,
    timeOf(latest),
    latest,
    CHANNEL,
    noticeOf(new Set(placed.map(({ rule }) => rule.account_id))),
    added.map(({ source }) => source ?? null),
    stories,
    ...partColumns(parts),
    logs.map(({ account }) => account),
    logs.map(({ position }) => position),
    logs.map(({ entries }) => Buffer.from(entries)),
    mark,
    added.map(({ postId }) => eventKey(platform, postId)),
  ]);
}

const eventColumns = (
  added: readonly TextEvent[],
  events: ReadonlyMap<TextEvent, KnownEvent>,
  { accounts }: Preparation,
): Value[] => [
  added.map((event) => events.get(event)!.number),
  added.map(({ accountId }) => accounts.get(accountId)!),
  added.map(({ postId }) => encodeText(postId)),
  added.map(({ payload }) => payload),
];

const matchColumns = (
  placed: readonly Placed[],
  events: ReadonlyMap<TextEvent, KnownEvent>,
  editOf: (event: TextEvent, rule: number) => string | undefined,
): Value[] => [
  placed.map(({ position }) => position),
  placed.map(({ rule }) => rule.account),
  placed.map(({ rule }) => rule.number),
  placed.map(({ rule }) => rule.version),
  placed.map(({ event }) => events.get(event)!.number),
  placed.map(({ tail }) => tail),
  placed.map(({ highlights }) => highlights),
  placed.map(({ event, rule }) => editOf(event, rule.number) ?? null),
];

const partColumns = (parts: ToldStories['parts']): Value[] => [
  parts.map(({ story }) => story),
  parts.map(({ rule }) => rule),
  parts.map(({ source }) => source),
  parts.map(({ account }) => account),
  parts.map(({ matches }) => matches),
  parts.map(({ first }) => first),
  parts.map(({ last }) => last),
];

const toldMatch = (
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

/** The stored form of each event, and those that are new: an event has the number of its first match. */
function numbered(
  placed: readonly Placed[],
  { accounts, known, day }: Preparation,
): { added: TextEvent[]; events: Map<TextEvent, KnownEvent> } {
  // Midnight has passed since the events were looked for.
  const byKey = new Map(startOfDay(placed[0]!.position) === day ? known : []);
  const events = new Map<TextEvent, KnownEvent>();
  const added: TextEvent[] = [];
  for (const [event, [first]] of Map.groupBy(placed, (one) => one.event)) {
    const key = `${accounts.get(event.accountId)} ${encodeText(event.postId)}`;
    if (!byKey.has(key)) {
      byKey.set(key, { number: first!.position, source: event.source ?? null });
      added.push(event);
    }
    events.set(event, byKey.get(key)!);
  }
  return { added, events };
}

/** The same rule's match of the newest earlier version of a post. */
function earlierOf(
  placed: readonly Placed[],
  earlier: readonly EarlierMatch[],
): (event: TextEvent, rule: number) => string | undefined {
  if (!placed.some(({ event }) => event.earlier !== undefined)) return () => undefined;
  const found = new Map(earlier.map((row) => [`${row.rule} ${row.post_id}`, matchId(row.position, row.tail)]));
  // Versions of one post may come together.
  for (const { event, rule, position, tail } of placed)
    found.set(`${rule.number} ${encodeText(event.postId)}`, matchId(position, tail));
  return (event, rule) =>
    event.earlier
      ?.toReversed()
      .map((postId) => found.get(`${rule} ${encodeText(postId)}`))
      .find((id) => id !== undefined);
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
