/** Tombstones: written with an erasure, looked at by every commit and every preview, and carried to a restored database. */
import type { Platform } from '../../domain/platform.ts';
import {
  EVERY_ACCOUNT,
  type Named,
  NO_REFUSALS,
  type Refusals,
  type RefusedText,
  refusalsOf,
  textsOf,
} from '../rows/tombstones.ts';
import type { ErasureStore } from '../store.ts';
import type { Database, Db } from './connection.ts';

/** Tombstones that go in one slice of removal. */
const OLD_SLICE = 1_000;

/** The digest of a text \`p.text\` under the key \`k.key\`; the same that \`digestedText\` gives elsewhere. */
const DIGEST = `encode(sha256(convert_to(k.key || ' ' || p.text, 'UTF8')), 'base64') COLLATE "C"`;

/** An account number of 0 refuses them for all accounts. */
export async function addTombstones(db: Db, account: number, texts: readonly string[], until: number): Promise<void> {
  if (texts.length === 0) return;
  await db.run(
    `INSERT INTO tombstones AS t (digest, account, until)
     SELECT DISTINCT ${DIGEST}, $2::bigint, $3::bigint FROM erasure_key k CROSS JOIN unnest($1::text[]) AS p (text)
     ON CONFLICT (digest, account) DO UPDATE SET until = greatest(t.until, excluded.until)`,
    [texts, account, until],
  );
}

/** What of these events was erased. Without any tombstone it is one short question. */
export async function refusalsAmong(db: Db, platform: Platform, events: readonly Named[]): Promise<Refusals> {
  if (events.length === 0 || (await db.rows('SELECT 1 FROM tombstones LIMIT 1')).length === 0) return NO_REFUSALS;
  const rows = await db.rows<RefusedText>(
    `SELECT p.text, t.account, a.id AS account_id FROM erasure_key k CROSS JOIN unnest($1::text[]) AS p (text)
     CROSS JOIN LATERAL (SELECT account FROM tombstones WHERE digest = ${DIGEST} OFFSET 0) t
     LEFT JOIN accounts a ON a.number = t.account`,
    [[...new Set(events.flatMap((event) => textsOf(platform, event)))]],
  );
  return refusalsOf(platform, rows);
}

/** Which of these events the account no longer sees among recent ones. */
export async function hiddenFrom(
  db: Db,
  accountId: string,
  platform: Platform,
  events: readonly Named[],
): Promise<(event: Named) => boolean> {
  const refusals = await refusalsAmong(db, platform, events);
  if (refusals === NO_REFUSALS) return () => false;
  const [account] = await db.rows<{ number: number }>('SELECT number FROM accounts WHERE id = $1', [accountId]);
  return (event) => refusals.isRefused(event, account?.number ?? EVERY_ACCOUNT);
}

export const dropTombstones = async (db: Db, now: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM tombstones WHERE (digest, account) IN
       (SELECT digest, account FROM tombstones WHERE until < $1 ORDER BY until LIMIT ${OLD_SLICE})`,
    [now],
  )) > 0;

export const tombstoneStore = (database: Database): Pick<ErasureStore, 'tombstones' | 'addTombstones'> => ({
  async tombstones(after, limit) {
    const rows = await database.rows<{ digest: string; account_id: string | null; until: number }>(
      `SELECT t.digest, a.id AS account_id, t.until FROM tombstones t LEFT JOIN accounts a ON a.number = t.account
       WHERE t.digest IN (SELECT DISTINCT digest FROM tombstones WHERE digest > $1 ORDER BY digest LIMIT $2)
       ORDER BY t.digest, t.account`,
      [after, limit],
    );
    return {
      key: await keyOf(database),
      tombstones: rows.map(({ digest, account_id, until }) => ({
        digest,
        accountId: account_id ?? undefined,
        until: new Date(until),
      })),
    };
  },
  addTombstones: ({ key, tombstones }) =>
    database.transaction(async (db) => {
      if (key !== (await keyOf(db))) {
        if ((await db.rows('SELECT 1 FROM tombstones LIMIT 1')).length > 0) return false;
        await db.run('UPDATE erasure_key SET key = $1', [key]);
      }
      await db.run(
        `INSERT INTO tombstones AS t (digest, account, until)
         SELECT i.digest, coalesce(a.number, ${EVERY_ACCOUNT}), i.until
         FROM unnest($1::text[], $2::text[], $3::bigint[]) AS i (digest, account_id, until)
         LEFT JOIN accounts a ON a.id = i.account_id WHERE i.account_id IS NULL OR a.number IS NOT NULL
         ON CONFLICT (digest, account) DO UPDATE SET until = greatest(t.until, excluded.until)`,
        [
          tombstones.map(({ digest }) => digest),
          tombstones.map(({ accountId }) => accountId ?? null),
          tombstones.map(({ until }) => until.getTime()),
        ],
      );
      return true;
    }),
});

const keyOf = async (db: Db): Promise<string> =>
  (await db.rows<{ key: string }>('SELECT key FROM erasure_key'))[0]!.key;
