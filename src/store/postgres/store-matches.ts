/** The rows of a commit that have positions. All that they need is read before; then they are written in one statement. */
import type { Platform } from '../../domain/platform.ts';
import { matchId, positionAt, timeOf } from '../order.ts';
import type { TextEvent } from '../rows/commit.ts';
import { type Wanting, wantsOf } from '../rows/owed.ts';
import { encodeText } from '../rows/texts.ts';
import type { Position } from '../store.ts';
import type { Candidate, Placed } from './candidates.ts';
import type { Db } from './connection.ts';
import { CHANNEL, noticeOf } from './nodes.ts';
import { startOfDay } from './partitions.ts';

/** A match of an earlier version of a post. */
interface EarlierMatch {
  readonly post_id: string;
  readonly rule: number;
  readonly position: Position;
  readonly tail: string;
}

export interface Preparation {
  /** Numbers by account id; 0 for events that all accounts see. */
  readonly accounts: ReadonlyMap<string | undefined, number>;
  /** Where the day begins whose events were looked through. */
  readonly day: Position;
  /** Events that are stored already on that day. */
  readonly known: ReadonlyMap<string, number>;
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
): Promise<Map<string, number>> {
  const rows = await db.rows<{ number: number; account: number; post_id: string }>(
    'SELECT number, account, post_id FROM events WHERE number >= $1 AND platform = $2 AND post_id = ANY($3)',
    [day, platform, events.map(({ postId }) => encodeText(postId))],
  );
  return new Map(rows.map(({ number, account, post_id }) => [`${account} ${post_id}`, number]));
}

async function earlierMatches(db: Db, platform: Platform, fresh: readonly Candidate[]): Promise<EarlierMatch[]> {
  const edited = fresh.filter(({ event }) => (event.earlier?.length ?? 0) > 0);
  if (edited.length === 0) return [];
  const posts = [...new Set(edited.flatMap(({ event }) => event.earlier ?? []))];
  return db.rows<EarlierMatch>(
    `SELECT e.post_id, m.rule, m.position, m.tail FROM events e JOIN matches m ON m.event = e.number
     WHERE e.platform = $1 AND e.post_id = ANY($2) AND m.rule = ANY($3)`,
    [platform, posts.map(encodeText), [...new Set(edited.map(({ rule }) => rule.number))]],
  );
}

/** Locked against removal, which must not miss what this commit owes them. */
const wantingWebhooks = (db: Db, fresh: readonly Candidate[]): Promise<Preparation['webhooks']> =>
  db.rows<Preparation['webhooks'][number]>(
    `SELECT number, account, rule_ids, platforms, events FROM webhooks
     WHERE account = ANY($1) AND status IN ('active', 'paused') ORDER BY number FOR KEY SHARE`,
    [[...new Set(fresh.map(({ rule }) => rule.account))]],
  );

const STORE = `
  WITH new_events AS (
    INSERT INTO events (number, platform, account, post_id, payload, source)
    SELECT number, $1, account, post_id, payload, source
    FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $21::text[]) AS e (number, account, post_id, payload, source)
  ), new_matches AS (
    INSERT INTO matches (position, account, platform, rule, version, event, tail, highlights, edit_of)
    SELECT position, account, $1, rule, version, event, tail, highlights, edit_of
    FROM unnest($6::bigint[], $7::bigint[], $8::bigint[], $9::integer[], $10::bigint[], $11::text[], $12::text[], $13::text[])
      AS m (position, account, rule, version, event, tail, highlights, edit_of)
  ), new_owed AS (
    INSERT INTO owed (position, webhook) SELECT * FROM unnest($14::bigint[], $15::bigint[]) ON CONFLICT DO NOTHING
  ), new_times AS (
    UPDATE tallies SET last_at = greatest(last_at, $17) WHERE rule = ANY($16::bigint[]) AND platform = $1
  )
  UPDATE state SET value = $18 WHERE name = 'latest' RETURNING pg_notify($19, $20)`;

/** Under the lock. `late` are rules whose newest match is younger than their tally says. */
export async function storeMatches(
  db: Db,
  platform: Platform,
  placed: readonly Placed[],
  prepared: Preparation,
  late: readonly number[],
): Promise<void> {
  const { added, numbers } = numbered(placed, prepared);
  const editOf = earlierOf(placed, prepared.earlier);
  const owed = owedOf(placed, platform, prepared.webhooks);
  const latest = placed.at(-1)!.position;
  await db.run(STORE, [
    platform,
    added.map((event) => numbers.get(event)),
    added.map(({ accountId }) => prepared.accounts.get(accountId)),
    added.map(({ postId }) => encodeText(postId)),
    added.map(({ payload }) => payload),
    placed.map(({ position }) => position),
    placed.map(({ rule }) => rule.account),
    placed.map(({ rule }) => rule.number),
    placed.map(({ rule }) => rule.version),
    placed.map(({ event }) => numbers.get(event)),
    placed.map(({ tail }) => tail),
    placed.map(({ highlights }) => highlights),
    placed.map(({ event, rule }) => editOf(event, rule.number) ?? null),
    owed.map(({ position }) => position),
    owed.map(({ webhook }) => webhook),
    late,
    timeOf(latest),
    latest,
    CHANNEL,
    noticeOf(new Set(placed.map(({ rule }) => rule.account_id))),
    added.map(({ source }) => source ?? null),
  ]);
}

/** The number of each event, and the events that are new: an event has the number of its first match. */
function numbered(
  placed: readonly Placed[],
  { accounts, known, day }: Preparation,
): { added: TextEvent[]; numbers: Map<TextEvent, number> } {
  // Midnight has passed since the events were looked for.
  const byKey = new Map(startOfDay(placed[0]!.position) === day ? known : []);
  const numbers = new Map<TextEvent, number>();
  const added: TextEvent[] = [];
  for (const [event, [first]] of Map.groupBy(placed, (one) => one.event)) {
    const key = `${accounts.get(event.accountId)} ${encodeText(event.postId)}`;
    if (!byKey.has(key)) {
      byKey.set(key, first!.position);
      added.push(event);
    }
    numbers.set(event, byKey.get(key)!);
  }
  return { added, numbers };
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
): { position: Position; webhook: number }[] {
  const byAccount = Map.groupBy(placed, ({ rule }) => rule.account);
  return webhooks.flatMap((webhook) => {
    const wants = wantsOf(webhook, platform);
    return (byAccount.get(webhook.account) ?? [])
      .filter(({ rule }) => wants(rule.id))
      .map(({ position }) => ({ position, webhook: webhook.number }));
  });
}
