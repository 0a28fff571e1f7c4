/**
 * Stories in the transaction of a commit. Commits of all nodes decide one after the other, under the lock on `latest`, whose
 * row has a mark that every commit changes. While a node finds its own mark there, its books are current, and it reads
 * nothing. Otherwise it reads what others have logged since.
 */
import { randomBytes } from 'node:crypto';
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

export interface ToldStories {
  readonly stories: readonly Position[];
  readonly parts: readonly NewPart[];
  readonly logs: readonly StoryLog[];
  /** For the row of `latest`. */
  readonly mark: number;
}

export interface StoryTeller {
  /** Under the lock. `mark` is the one found there. */
  tell(db: Db, platform: Platform, matches: readonly ToldMatch[], options: TellOptions): Promise<ToldStories>;
  /** The commit with this mark is stored. Of one that is not, the next commit finds no mark. */
  confirm(mark: number): void;
}

interface TellOptions {
  readonly mark: number;
  readonly forced: Forced;
}

/** What was decided last. Another transaction may get the lock before this process hears that the first is stored. */
interface Decided {
  readonly mark: number;
  readonly accounts: ReadonlySet<number>;
  readonly isStored: boolean;
}

/** Six bytes are an exact number. */
const MARK_BYTES = 6;

export function storyTeller(books: StoryBooks = createStoryBooks()): StoryTeller {
  let last: Decided | undefined;

  /** Should the last decision not be there, its books are read again. Should others have committed, all are behind. */
  function check(mark: number): void {
    if (last?.mark === mark) return;
    if (last?.isStored === false) books.forget(last.accounts);
    books.doubt();
  }

  return {
    async tell(db, platform, matches, { mark: found, forced }) {
      check(found);
      const accounts = new Set(matches.map(({ account }) => account));
      await renew(db, books, accounts);
      const mark = randomBytes(MARK_BYTES).readUIntBE(0, MARK_BYTES) + 1;
      // From here on the books are ahead of the database.
      last = { mark, accounts, isStored: false };
      const decisions = books.decide(matches, forced);
      if (decisions.books.length > 0) await keepBooks(db, decisions.books);
      return { stories: decisions.stories, logs: decisions.logs, parts: newParts(platform, matches, decisions), mark };
    },
    confirm(mark) {
      if (last?.mark === mark) last = { ...last, isStored: true };
    },
  };
}

/** One question for the books that are missing or were stored by others, and one for what was logged since. */
async function renew(db: Db, books: StoryBooks, accounts: ReadonlySet<number>): Promise<void> {
  const behind = [...accounts].flatMap((account) => {
    const known = books.known(account);
    return known === 'current' ? [] : [{ account, after: known ?? -1 }];
  });
  if (behind.length === 0) return;
  const asked = [behind.map(({ account }) => account), behind.map(({ after }) => after)];
  const stored = await db.rows<StoredBook>(
    `SELECT b.account, b.position, b.state FROM unnest($1::bigint[], $2::bigint[]) AS a (account, after)
     JOIN story_books b ON b.account = a.account AND b.position > a.after`,
    asked,
  );
  const logs = await db.rows<StoryLog>(
    `SELECT l.account, l.position, l.entries FROM unnest($1::bigint[], $2::bigint[]) AS a (account, after)
     JOIN story_log l ON l.account = a.account AND l.position > a.after ORDER BY l.account, l.position`,
    asked,
  );
  const bookOf = new Map(stored.map((book) => [book.account, book]));
  const logsOf = Map.groupBy(logs, ({ account }) => account);
  for (const { account } of behind) books.renew(account, bookOf.get(account), logsOf.get(account) ?? []);
}

async function keepBooks(db: Db, books: readonly StoredBook[]): Promise<void> {
  const accounts = books.map(({ account }) => account);
  await db.run(
    `INSERT INTO story_books (account, position, state) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
     ON CONFLICT (account) DO UPDATE SET position = excluded.position, state = excluded.state`,
    [accounts, books.map(({ position }) => position), books.map(({ state }) => Buffer.from(state))],
  );
  await db.run('DELETE FROM story_log WHERE account = ANY($1)', [accounts]);
}
