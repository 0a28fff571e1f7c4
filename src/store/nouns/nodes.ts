/** Several nodes on one store: changes of rules in order, who is there, and a bell for news. Not scoped by account. */
import { countRows, type Db } from '../db.ts';
import { StoreError } from '../error.ts';
import type { Position } from '../order.ts';
import { storeTime, timeGiven } from '../rows/locks.ts';
import { parseColumn } from '../rows/texts.ts';
import { NEEDED, newerSchema, type SchemaNumbers } from '../schema-needs.ts';
import { POSTGRES_SCHEMA, SQLITE_SCHEMA } from '../steps.ts';

export interface NodeStore {
  /** Whether several processes may serve from it at a time. */
  readonly isShared: boolean;
  /**
   * Hears that something was written, on any node; with matches, whose they are and where they stand. A ring may be lost: a caller
   * that must miss nothing asks for `news` too. Answers how to stop.
   */
  bell(hear: (news: MatchNews | undefined) => void): Promise<() => Promise<void>>;
  /** Throws `newer` when another node has made tables that this program cannot serve. */
  news(): Promise<News>;
  /** The changes of rules after a change, oldest first. One that is still to come never goes before them. */
  ruleChanges(after: number, limit: number): Promise<RuleChanged[]>;
  /** Puts a mark into that log in the place of a rule's id, and answers its number. */
  markRuleChanges(mark: string): Promise<number>;
  /** A node says that it is there for some milliseconds, and up to which change it knows the rules. Answers the store's own time. */
  reportNode(node: NodeReport, now: Date, milliseconds: number): Promise<Date>;
  /** It is no longer there. */
  removeNode(id: string): Promise<void>;
  /** The nodes that are there. */
  nodes(now: Date): Promise<NodeReport[]>;
  schema(): Promise<SchemaNumbers>;
}

/** The newest match and the newest change of a rule, of all accounts. */
export interface News {
  readonly latest: Position;
  readonly ruleChange: number;
}

/** Matches that were added: whose they are, and which positions they have. */
export interface MatchNews {
  readonly accountIds: readonly string[];
  readonly spans: readonly MatchSpan[];
}

/** Every position after the first and up to the last. */
export interface MatchSpan {
  readonly before: Position;
  readonly latest: Position;
}

/** A rule became active or failed, was changed, or deleted. */
export interface RuleChanged {
  readonly number: number;
  readonly accountId: string;
  readonly ruleId: string;
}

export interface NodeReport {
  readonly id: string;
  readonly roles: readonly string[];
  readonly applied: number;
}

export const CHANNEL = 'sluice';
/** The server takes no longer notice; the bell then rings and says nothing. */
const MAX_NOTICE = 7_000;
/** No node is further behind. */
const CHANGES_KEPT = 1_000_000;

interface NodeRow {
  readonly id: string;
  readonly roles: string;
  readonly applied: number;
}

/** PostgreSQL gives numbers out under a lock, so that they become visible in their order. */
const LAST_CHANGE = {
  sqlite: 'coalesce((SELECT max(number) FROM rule_changes), 0)',
  postgres: `(SELECT value FROM state WHERE name = 'rule_change')`,
};

const KNOWN = { sqlite: SQLITE_SCHEMA, postgres: POSTGRES_SCHEMA };
const NEEDED_NOW = `(SELECT value FROM state WHERE name = '${NEEDED}')`;

export const nodeReads = (db: Db): Pick<NodeStore, 'news' | 'ruleChanges' | 'nodes' | 'schema'> => ({
  async news() {
    const row = (await db.row<News & { needed: number }>(
      `SELECT (SELECT value FROM state WHERE name = 'latest') AS latest, ${LAST_CHANGE[db.dialect]} AS "ruleChange",
         ${NEEDED_NOW} AS needed`,
    ))!;
    const { needed, ...news } = row;
    const known = KNOWN[db.dialect];
    if (needed > known) throw new StoreError('newer', newerSchema({ known, needed }));
    return news;
  },
  async schema() {
    const row = await db.row<{ needed: number }>(`SELECT ${NEEDED_NOW} AS needed`);
    return { known: KNOWN[db.dialect], needed: row!.needed };
  },
  ruleChanges: (after, limit) =>
    db.rows<RuleChanged>(
      `SELECT number, account AS "accountId", rule AS "ruleId" FROM rule_changes
       WHERE number > $1 ORDER BY number LIMIT $2`,
      [after, limit],
    ),
  async nodes(now) {
    const rows = await db.rows<NodeRow>(
      `SELECT id, roles, applied FROM nodes WHERE until > ${storeTime(db, '$1')} ORDER BY id`,
      [timeGiven(db, now)],
    );
    return rows.map(({ id, roles, applied }) => ({ id, roles: parseColumn<string[]>(roles), applied }));
  },
});

const MARK = {
  sqlite: `INSERT INTO rule_changes (rule, account) VALUES ($1, '') RETURNING number`,
  postgres: `WITH next AS (UPDATE state SET value = value + 1 WHERE name = 'rule_change' RETURNING value)
    INSERT INTO rule_changes (number, rule, account) SELECT value, $1, '' FROM next RETURNING number`,
};

export const nodeWrites = (db: Db): Pick<NodeStore, 'markRuleChanges' | 'reportNode' | 'removeNode'> => ({
  markRuleChanges: (mark) =>
    db.transaction(async (tx) => {
      const row = await tx.row<{ number: number }>(MARK[tx.dialect], [mark]);
      await ring(tx, []);
      return row!.number;
    }),
  async reportNode({ id, roles, applied }, now, milliseconds) {
    const row = await db.row<{ until: number }>(
      `INSERT INTO nodes (id, roles, applied, until, schema) VALUES ($1, $2, $3, ${storeTime(db, '$4')} + $5, $6)
       ON CONFLICT (id) DO UPDATE SET roles = excluded.roles, applied = excluded.applied, until = excluded.until,
         schema = excluded.schema
       RETURNING until`,
      [id, JSON.stringify(roles), applied, timeGiven(db, now), milliseconds, KNOWN[db.dialect]],
    );
    return new Date(row!.until - milliseconds);
  },
  async removeNode(id) {
    await db.run('DELETE FROM nodes WHERE id = $1', [id]);
  },
});

/** The notification of new matches. A node of the last release takes a span for an account that it does not have. */
export function noticeOf({ accountIds, spans }: MatchNews): string {
  const notice = [...accountIds, ...spans.map(({ before, latest }) => `${before}-${latest}`)].join(' ');
  return notice.length > MAX_NOTICE ? '' : notice;
}

/** The other way round; undefined where it is not about matches, or says nothing. */
export function readNotice(notice: string): MatchNews | undefined {
  if (notice === '') return undefined;
  const words = notice.split(' ');
  const accountIds = words.filter((word) => spanIn(word) === undefined);
  return { accountIds, spans: words.flatMap((word) => spanIn(word) ?? []) };
}

/** The id of an account is no two numbers. */
function spanIn(word: string): MatchSpan | undefined {
  const [before, latest] = word.split('-').map(Number);
  return Number.isSafeInteger(before) && Number.isSafeInteger(latest)
    ? { before: before!, latest: latest! }
    : undefined;
}

/** Rings when the transaction is committed. One process serves from a SQLite file, and knows what it writes. */
export const ring = (db: Db, accountIds: readonly string[]): Promise<void> =>
  tellOfMatches(db, { accountIds, spans: [] });

export async function tellOfMatches(db: Db, news: MatchNews): Promise<void> {
  if (db.dialect === 'postgres') await db.run('SELECT pg_notify($1, $2)', [CHANNEL, noticeOf(news)]);
}

/**
 * The last step of every transaction that changes what a rule matches: the lock is held until its end. A number without a
 * change would make every node wait for one, so a rule that has gone takes none.
 */
export async function noteRuleChange(db: Db, ruleId: string): Promise<void> {
  await db.run(RULE_CHANGE[db.dialect], [ruleId]);
  await ring(db, []);
}

const RULE_CHANGE = {
  sqlite: `INSERT INTO rule_changes (rule, account)
    SELECT r.id, a.id FROM rules r JOIN accounts a ON a.number = r.account WHERE r.id = $1`,
  postgres: `WITH changed AS (SELECT r.id AS rule, a.id AS account FROM rules r JOIN accounts a ON a.number = r.account WHERE r.id = $1),
      next AS (UPDATE state SET value = value + 1 WHERE name = 'rule_change' AND EXISTS (SELECT FROM changed) RETURNING value)
    INSERT INTO rule_changes (number, rule, account)
    SELECT next.value, changed.rule, changed.account FROM next, changed`,
};

/** Every node forgets what it keeps of these accounts' matches for streams. */
export const noteErasure = (db: Db, accountIds: readonly string[]): Promise<void> =>
  noteForNodes(
    db,
    accountIds.map((accountId) => ({ name: `erased ${accountId}`, accountId })),
  );

/** Something that every other node hears of in the log of rule changes. No rule has such an id. */
export async function noteForNodes(
  db: Db,
  news: readonly { readonly name: string; readonly accountId: string }[],
): Promise<void> {
  if (db.dialect === 'sqlite' || news.length === 0) return;
  await db.run(
    `WITH next AS (UPDATE state SET value = value + $3 WHERE name = 'rule_change' RETURNING value - $3 AS before)
     INSERT INTO rule_changes (number, rule, account)
     SELECT next.before + n.place, n.name, n.account FROM next,
       unnest($1::text[], $2::text[]) WITH ORDINALITY AS n (name, account, place)`,
    [news.map(({ name }) => name), news.map(({ accountId }) => accountId), news.length],
  );
  await ring(db, []);
}

/** A slice of the oldest; false when there was none. */
export const removeRuleChanges = async (db: Db): Promise<boolean> =>
  (await db.run(
    `DELETE FROM rule_changes WHERE number <= ${LAST_CHANGE[db.dialect]} - ${CHANGES_KEPT}
       AND number < (SELECT min(number) FROM rule_changes) + 1000`,
  )) > 0;

/** Settings that every node must share, each by the name of its variable. Secrets are there as check values alone. */
export interface AgreedSettingStore {
  agreedSettings(): Promise<Readonly<Record<string, string>>>;
  /** Keeps the values that have none yet, replaces those that are named, and answers with all that hold now. */
  agreeOn(
    values: Readonly<Record<string, string>>,
    replaced: readonly string[],
  ): Promise<Readonly<Record<string, string>>>;
  /** The secret of the newest webhook as it is sealed; undefined where there is no webhook. */
  sealedSecret(): Promise<string | undefined>;
}

async function agreedOn(db: Db): Promise<Record<string, string>> {
  const rows = await db.rows<{ name: string; value: string }>('SELECT name, value FROM agreed_settings');
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

export const agreedSettingReads = (db: Db): Omit<AgreedSettingStore, 'agreeOn'> => ({
  agreedSettings: () => agreedOn(db),
  sealedSecret: async () =>
    (await db.row<{ secret: string }>('SELECT secret FROM webhooks WHERE number = (SELECT max(number) FROM webhooks)'))
      ?.secret,
});

export const agreedSettingWrites = (db: Db): Pick<AgreedSettingStore, 'agreeOn'> => ({
  agreeOn: (values, replaced) =>
    db.transaction(async (tx) => {
      for (const [name, value] of Object.entries(values))
        await tx.run(
          `INSERT INTO agreed_settings (name, value) VALUES ($1, $2)
           ON CONFLICT (name) DO ${replaced.includes(name) ? 'UPDATE SET value = excluded.value' : 'NOTHING'}`,
          [name, value],
        );
      return agreedOn(tx);
    }),
});

/** The snapshot of the live rules that nodes give each other, in pieces. What is in it, those who make and read it know. */
export interface RuleSnapshotStore {
  /** The one that was kept last. */
  ruleSnapshot(): Promise<KeptSnapshot | undefined>;
  /** Returns undefined when another snapshot was kept meanwhile. */
  ruleSnapshotPiece(token: string, number: number): Promise<Uint8Array | undefined>;
  addRuleSnapshotPiece(token: string, number: number, bytes: Uint8Array): Promise<void>;
  /** Keeps one of which all pieces are there, in the place of all others. Answers whether they are. */
  keepRuleSnapshot(kept: KeptSnapshot): Promise<boolean>;
}

export interface KeptSnapshot {
  readonly token: string;
  readonly pieces: number;
}

export const ruleSnapshotReads = (db: Db): Pick<RuleSnapshotStore, 'ruleSnapshot' | 'ruleSnapshotPiece'> => ({
  ruleSnapshot: () => db.row<KeptSnapshot>('SELECT token, pieces FROM rule_snapshots WHERE number = 1'),
  async ruleSnapshotPiece(token, number) {
    const row = await db.row<{ bytes: Uint8Array }>(
      'SELECT bytes FROM rule_snapshot_pieces WHERE token = $1 AND number = $2',
      [token, number],
    );
    return row?.bytes;
  },
});

export const ruleSnapshotWrites = (db: Db): Pick<RuleSnapshotStore, 'addRuleSnapshotPiece' | 'keepRuleSnapshot'> => ({
  async addRuleSnapshotPiece(token, number, bytes) {
    await db.run('INSERT INTO rule_snapshot_pieces (token, number, bytes) VALUES ($1, $2, $3)', [token, number, bytes]);
  },
  keepRuleSnapshot: ({ token, pieces }) =>
    db.transaction(async (tx) => {
      // Another node that kept its own has taken away what was there of this one.
      if ((await countRows(tx, 'rule_snapshot_pieces', 'token = $1', [token])) !== pieces) return false;
      await tx.run(
        `INSERT INTO rule_snapshots (number, token, pieces) VALUES (1, $1, $2)
         ON CONFLICT (number) DO UPDATE SET token = excluded.token, pieces = excluded.pieces`,
        [token, pieces],
      );
      await tx.run('DELETE FROM rule_snapshot_pieces WHERE token < $1 OR token > $1', [token]);
      return true;
    }),
});
