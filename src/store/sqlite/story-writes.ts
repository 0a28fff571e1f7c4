/** Stories in the transaction of a commit: decided, written, and kept in step with what leaves the disk. */
import type { Platform } from '../../domain/platform.ts';
import type { StoryPart } from '../nouns/stories.ts';
import type { Position } from '../order.ts';
import {
  createStoryBooks,
  type StoredBook,
  type StoryBooks,
  type StoryLog,
  type ToldMatch,
} from '../rows/story-books.ts';
import { EVENTS_OF_POST, namesOf } from './event-names.ts';
import { distinctIn } from './new-matches.ts';
import type { Sql } from './sql.ts';

export interface StoryWrites {
  /** Answers the story of each match. `latest` is the newest position before them. */
  tell(platform: Platform, matches: readonly ToldMatch[], latest: Position): readonly Position[];
}

export function storyWrites(sql: Sql): StoryWrites {
  let books = createStoryBooks();
  /** The newest position when the books were last right. */
  let known: Position | undefined;
  return {
    tell(platform, matches, latest) {
      // The last transaction was rolled back, or another process has written to the file.
      if (known !== latest) books = createStoryBooks();
      known = undefined;
      for (const account of distinctIn(matches, (match) => match.account)) load(sql, books, account);
      const decisions = books.decide(matches, ({ event, account }) =>
        event.earlier === undefined ? undefined : storyOfEarlier(sql, platform, event.earlier, account),
      );
      for (const book of decisions.books) keepBook(sql, book);
      for (const { account, position, entries } of decisions.logs)
        sql.run('INSERT INTO story_log (account, position, entries) VALUES (?, ?, ?)', [account, position, entries]);
      known = matches.at(-1)!.position;
      return decisions.stories;
    },
  };
}

function load(sql: Sql, books: StoryBooks, account: number): void {
  if (books.known(account) !== undefined) return;
  const stored = sql.row<StoredBook>('SELECT account, position, state FROM story_books WHERE account = ?', [account]);
  const logs = sql.rows<StoryLog>(
    'SELECT account, position, entries FROM story_log WHERE account = ? ORDER BY position',
    [account],
  );
  books.renew(account, stored, logs);
}

function keepBook(sql: Sql, { account, position, state }: StoredBook): void {
  sql.run('INSERT OR REPLACE INTO story_books (account, position, state) VALUES (?, ?, ?)', [account, position, state]);
  sql.run('DELETE FROM story_log WHERE account = ?', [account]);
}

/** The stories that an event has joined which did not begin them: they have parts when they are settled. */
export function noteGrown(sql: Sql, matches: readonly ToldMatch[], stories: readonly Position[]): void {
  const began = new Map<Position, ToldMatch['event']>();
  const grown = new Set<Position>();
  for (const [index, { position, event }] of matches.entries()) {
    const story = stories[index]!;
    if (story === position) began.set(story, event);
    else if (began.get(story) !== event) grown.add(story);
  }
  for (const story of grown) sql.run('INSERT OR IGNORE INTO grown_stories (story) VALUES (?)', [story]);
}

/** The story of the newest earlier version that is stored with one. */
function storyOfEarlier(
  sql: Sql,
  platform: Platform,
  earlier: readonly string[],
  account: number,
): Position | undefined {
  for (const postId of earlier.toReversed()) {
    const row = sql.row<{ story: Position }>(
      `SELECT m.story FROM (${EVENTS_OF_POST}) p CROSS JOIN matches m ON m.event = p.event
       WHERE m.account = :account AND m.story IS NOT NULL LIMIT 1`,
      { ...namesOf(platform, postId), account },
    );
    if (row !== undefined) return row.story;
  }
  return undefined;
}

const OF_PART = 'story = :story AND rule = :rule AND platform = :platform AND source = :source';

/** The matches of a part in a range, along the index of its story. */
const inPart = (what: string, range: string, end: string): string =>
  `SELECT ${what} FROM matches m INDEXED BY matches_of_story CROSS JOIN events e ON e.number = m.event
   WHERE m.story = :story AND m.platform = :platform AND ${range} AND m.rule = :rule AND coalesce(e.source, '') = :source ${end}`;

const NEXT = inPart('m.position', 'm.position > :position', 'ORDER BY m.position LIMIT 1');
const PREVIOUS = inPart('m.position', 'm.position < :position', 'ORDER BY m.position DESC LIMIT 1');
const GONE = inPart('count(*) AS position', 'm.position < :position', '');

const found = (sql: Sql, text: string, part: StoryPart, position: Position): Position | undefined =>
  sql.row<{ position: Position }>(text, { ...part, position })?.position;

/** A match has left the disk. */
export function takeFromStory(sql: Sql, part: StoryPart, position: Position): void {
  sql.run(`UPDATE story_parts SET matches = matches - 1 WHERE ${OF_PART}`, { ...part });
  sql.run(`DELETE FROM story_parts WHERE ${OF_PART} AND matches <= 0`, { ...part });
  const row = sql.row<{ first: Position; last: Position }>(`SELECT first, last FROM story_parts WHERE ${OF_PART}`, {
    ...part,
  });
  if (row === undefined || (row.first !== position && row.last !== position)) return;
  const first = row.first === position ? found(sql, NEXT, part, position) : row.first;
  const last = row.last === position ? found(sql, PREVIOUS, part, position) : row.last;
  sql.run(`UPDATE story_parts SET first = :first, last = :last WHERE ${OF_PART}`, {
    ...part,
    first: first ?? row.first,
    last: last ?? row.last,
  });
}

/** All matches below a position are about to leave, with the parts that have no other. */
export function trimStories(sql: Sql, below: Position): void {
  const parts = sql.rows<StoryPart & { last: Position }>(
    `SELECT DISTINCT p.story, p.rule, p.platform, p.source, p.last
     FROM matches m NOT INDEXED CROSS JOIN events e ON e.number = m.event
     CROSS JOIN story_parts p ON p.story = m.story AND p.rule = m.rule AND p.platform = m.platform AND p.source = coalesce(e.source, '')
     WHERE m.position < ?`,
    [below],
  );
  for (const { last, ...part } of parts) {
    const first = last < below ? undefined : found(sql, NEXT, part, below - 1);
    if (first === undefined) sql.run(`DELETE FROM story_parts WHERE ${OF_PART}`, part);
    else
      sql.run(`UPDATE story_parts SET first = :first, matches = matches - :gone WHERE ${OF_PART}`, {
        ...part,
        first,
        gone: found(sql, GONE, part, below)!,
      });
  }
}

/** A deleted rule has no part in these stories any more. */
export function leaveStories(sql: Sql, rule: number, stories: ReadonlySet<Position>): void {
  for (const story of stories) sql.run('DELETE FROM story_parts WHERE story = ? AND rule = ?', [story, rule]);
}
