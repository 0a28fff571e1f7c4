/**
 * Stories in the transaction of a commit. A commit has the turns of its accounts before it reads what others have decided about
 * their stories, and keeps them until it is done. So it decides before it takes the lock on `latest`, with books that are current.
 */
import { createLru } from '../../base/lru.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Db } from '../db.ts';
import { type NewPart, newParts } from '../nouns/stories.ts';
import type { Position } from '../order.ts';
import {
  createStoryBooks,
  type Forced,
  type StoredBook,
  type StoryBooks,
  type StoryLog,
  type ToldMatch,
} from '../rows/story-books.ts';
import type { StoredRule } from './candidates.ts';

export interface ToldStories {
  readonly stories: readonly Position[];
  readonly parts: readonly NewPart[];
  readonly logs: readonly StoryLog[];
  /** The books that are due, as they were before. */
  readonly books: readonly StoredBook[];
  /** The commit is stored, and its matches stand later by so much. */
  stored(shift: number): void;
}

/** The decisions about stories in one process, for one commit at a time. */
export interface StoryTeller {
  /** Asks for what others have decided, with the turns taken. It knows the accounts of the rules that it has seen before. */
  ask(db: Db, ruleIds: readonly string[]): StoryNews;
  /** Decides for matches that have the positions which they will probably have. What is not stored then must be forgotten. */
  tell(platform: Platform, matches: readonly ToldMatch[], forced: Forced): ToldStories;
  forget(accounts: Iterable<number>): void;
}

export interface StoryNews {
  /** The answer that was asked for at once. */
  readonly asked: Promise<readonly NewsRow[]>;
  /** Brings the books of these rules' accounts up to date. It asks again if it had not known all of them. */
  read(rules: Iterable<Pick<StoredRule, 'id' | 'account'>>): Promise<void>;
}

interface NewsRow {
  readonly account: number;
  readonly position: Position;
  readonly bytes: Uint8Array;
  readonly is_book: number;
}

/** Rules whose account is known: some megabytes. */
const MAX_RULES = 50_000;

export function storyTeller(): StoryTeller {
  const books = createStoryBooks();
  const accountOf = createLru<string, number>({ limit: MAX_RULES });
  return {
    ask(db, ruleIds) {
      const expected = new Set(ruleIds.flatMap((id) => accountOf.get(id) ?? []));
      const asked = newsOf(db, books, expected);
      async function read(rules: Iterable<Pick<StoredRule, 'id' | 'account'>>): Promise<void> {
        const accounts = new Set<number>();
        for (const { id, account } of rules) {
          accountOf.set(id, account);
          accounts.add(account);
        }
        const others = new Set([...accounts].filter((account) => !expected.has(account)));
        renew(books, expected, await asked);
        renew(books, others, await newsOf(db, books, others));
      }
      return { asked, read };
    },
    tell(platform, matches, forced) {
      const decisions = books.decide(matches, forced);
      return {
        ...decisions,
        parts: newParts(platform, matches, decisions),
        stored(shift) {
          if (shift > 0) books.shift(matches, decisions, shift);
        },
      };
    },
    forget: (accounts) => books.forget(accounts),
  };
}

/** The books that were stored, and what was logged, after what is known: one statement, so that no book comes between. */
async function newsOf(db: Db, books: StoryBooks, accounts: ReadonlySet<number>): Promise<readonly NewsRow[]> {
  if (accounts.size === 0) return [];
  return db.rows<NewsRow>(
    `SELECT account, position, bytes, is_book FROM (
       SELECT b.account, b.position, b.state AS bytes, 1 AS is_book FROM unnest($1::bigint[], $2::bigint[]) AS a (account, after)
       JOIN story_books b ON b.account = a.account AND b.position > a.after
       UNION ALL SELECT l.account, l.position, l.entries, 0 FROM unnest($1::bigint[], $2::bigint[]) AS a (account, after)
       JOIN story_log l ON l.account = a.account AND l.position > a.after) n
     ORDER BY account, position`,
    [[...accounts], [...accounts].map((account) => books.known(account) ?? -1)],
  );
}

function renew(books: StoryBooks, accounts: Iterable<number>, rows: readonly NewsRow[]): void {
  const rowsOf = Map.groupBy(rows, ({ account }) => account);
  for (const account of accounts) {
    const own = rowsOf.get(account) ?? [];
    if (own.length === 0 && books.known(account) !== undefined) continue;
    const stored = own.find(({ is_book }) => is_book === 1);
    const logs = own.filter(({ is_book }) => is_book === 0);
    books.renew(
      account,
      stored && { ...stored, state: stored.bytes },
      logs.map(({ position, bytes }) => ({ account, position, entries: bytes })),
    );
  }
}

/** Part of a commit, before its lock: the turns of the accounts are taken. All of it is asked for at once. */
export async function keepBooks(db: Db, books: readonly StoredBook[]): Promise<void> {
  if (books.length === 0) return;
  const accounts = books.map(({ account }) => account);
  const positions = books.map(({ position }) => position);
  await Promise.all([
    db.run(
      `INSERT INTO story_books (account, position, state) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
       ON CONFLICT (account) DO UPDATE SET position = excluded.position, state = excluded.state`,
      [accounts, positions, books.map(({ state }) => Buffer.from(state))],
    ),
    db.run(
      `DELETE FROM story_log l USING unnest($1::bigint[], $2::bigint[]) AS b (account, position)
       WHERE l.account = b.account AND l.position <= b.position`,
      [accounts, positions],
    ),
  ]);
}
