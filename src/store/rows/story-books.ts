/**
 * The books of stories in memory, one for each account, and the decisions that are taken with them. What the database
 * holds is the truth: a book there, and the log of what was decided since. A book in memory is those two put together, so
 * that it decides the same in every process.
 */
import { createLru } from '../../base/lru.ts';
import { createStoryBook, type StoryBook } from '../../signal/stories.ts';
import { readBook, readStoryLog, StoryLogWriter, writeBook } from '../../signal/story-codec.ts';
import { originOf, storyEventOf, withPlaces } from '../../signal/story-text.ts';
import type { TextEvent } from '../nouns/commits.ts';
import { type Position, timeOf } from '../order.ts';

/** A new match in the order of positions. Those of an event follow each other. */
export interface ToldMatch {
  readonly position: Position;
  readonly account: number;
  readonly event: Pick<TextEvent, 'told' | 'earlier'>;
  /** The places of the words that the rule asked for among those of the event. */
  readonly asked: number;
  readonly ruleNumber: number;
  /** The source that brought the stored event; another one may have brought it again. */
  readonly source: string | null;
}

export interface StoredBook {
  readonly account: number;
  readonly position: Position;
  readonly state: Uint8Array;
}

/** The decisions of one commit for an account. Its position is that of the account's last match in it. */
export interface StoryLog {
  readonly account: number;
  readonly position: Position;
  readonly entries: Uint8Array;
}

export interface StoryDecisions {
  /** The story of each match, in the order given. */
  readonly stories: readonly Position[];
  readonly logs: readonly StoryLog[];
  /** Books that are due to be stored, as they were before these decisions. The log up to them may go. */
  readonly books: readonly StoredBook[];
}

/** The story of an earlier version of a match's post. */
export type Forced = (match: Pick<ToldMatch, 'account' | 'event'>) => Position | undefined;

export interface StoryBooks {
  /** Up to where the book of an account is known; undefined if it must be read. */
  known(account: number): Position | undefined;
  /** Brings a book up to date. A stored one replaces what is known. */
  renew(account: number, stored: StoredBook | undefined, logs: readonly StoryLog[]): void;
  /** The book of every account must be known, and nobody else may have decided since. */
  decide(matches: readonly ToldMatch[], forced: Forced): StoryDecisions;
  /** The matches that were decided on last came to stand later than they were given, all by as much. */
  shift(matches: readonly ToldMatch[], decisions: StoryDecisions, by: number): void;
  forget(accounts: Iterable<number>): void;
}

interface Held {
  readonly book: StoryBook;
  readonly position: Position;
  /** Events in the log. */
  readonly logged: number;
  readonly weight: number;
}

/** Words and marks in memory, of all books: about a hundred bytes each. */
const MAX_HELD = 500_000;
/** The weight of an empty book. */
const BOOK_WEIGHT = 500;
/** A book is stored after this many events, or when a share of what it holds is logged: a full one takes a while to write. */
const MAX_LOGGED = 500;
const ENTRIES_AN_EVENT = 16;

export const createStoryBooks = (): StoryBooks => new Books();

class Books implements StoryBooks {
  readonly #held = createLru<number, Held>({ limit: MAX_HELD, weightOf: ({ weight }) => weight });
  /** The books of the commit under way, which must not drop out before it is decided. */
  readonly #working = new Map<number, Held>();

  known(account: number): Position | undefined {
    const one = this.#held.get(account);
    if (one !== undefined) this.#working.set(account, one);
    return one?.position;
  }

  renew(account: number, stored: StoredBook | undefined, logs: readonly StoryLog[]): void {
    const one = stored === undefined ? this.#held.get(account) : undefined;
    const book = one?.book ?? (stored === undefined ? createStoryBook() : readBook(stored.state));
    let { position, logged } = one ?? { position: stored?.position ?? 0, logged: 0 };
    for (const log of logs.filter((each) => each.position > position)) {
      for (const entry of readStoryLog(log.entries)) {
        book.put(entry.number, entry, entry.now);
        logged++;
      }
      ({ position } = log);
    }
    this.#keep(account, { book, position, logged });
  }

  decide(matches: readonly ToldMatch[], forced: Forced): StoryDecisions {
    const stories: Position[] = matches.map(() => 0);
    const [logs, books]: [StoryLog[], StoredBook[]] = [[], []];
    // The log is of this call alone: one that fails half-way leaves nothing for the next.
    const log = new StoryLogWriter();
    for (const [account, ranks] of ranksByAccount(matches)) {
      const { book, logged: before, position: known } = this.#working.get(account)!;
      const isDue = before >= Math.max(MAX_LOGGED, book.entries / ENTRIES_AN_EVENT);
      if (isDue) books.push({ account, position: known, state: writeBook(book) });
      const logged = (isDue ? 0 : before) + tell({ book, log }, matches, ranks, forced, stories);
      const { position } = matches[ranks.at(-1)!]!;
      logs.push({ account, position, entries: log.taken() });
      this.#keep(account, { book, position, logged });
    }
    this.#working.clear();
    return { stories, logs, books };
  }

  shift(matches: readonly ToldMatch[], { stories, logs }: StoryDecisions, by: number): void {
    // From behind: no story takes a number that another one still has.
    for (const [index, { account, position }] of [...matches.entries()].toReversed())
      if (stories[index] === position) this.#held.get(account)?.book.renumber(position, position + by);
    for (const { account, position } of logs) {
      const one = this.#held.get(account);
      if (one !== undefined) this.#held.set(account, { ...one, position: position + by });
    }
  }

  forget(accounts: Iterable<number>): void {
    for (const account of accounts) {
      this.#held.delete(account);
      this.#working.delete(account);
    }
  }

  #keep(account: number, { book, position, logged }: Pick<Held, 'book' | 'position' | 'logged'>): void {
    const one = { book, position, logged, weight: BOOK_WEIGHT + book.entries };
    this.#held.set(account, one);
    this.#working.set(account, one);
  }
}

/** One decision for each event: all its matches share the story. Answers how many there were. */
function tell(
  { book, log }: { readonly book: StoryBook; readonly log: StoryLogWriter },
  matches: readonly ToldMatch[],
  ranks: readonly number[],
  forced: Forced,
  stories: Position[],
): number {
  let events = 0;
  for (let from = 0, to = 0; from < ranks.length; from = to) {
    const first = matches[ranks[from]!]!;
    let asked = 0;
    for (to = from; to < ranks.length && matches[ranks[to]!]!.event === first.event; to++)
      asked = withPlaces(asked, matches[ranks[to]!]!.asked);
    const now = timeOf(first.position);
    const event = storyEventOf(first.event.told!, now, asked, originOf(first.source ?? '', first.ruleNumber));
    const number = forced(first) ?? book.choose(event, now).number ?? first.position;
    book.put(number, event, now);
    log.add(number, event, now);
    for (let rank = from; rank < to; rank++) stories[ranks[rank]!] = number;
    events++;
  }
  return events;
}

/** Which of the matches are an account's. */
function ranksByAccount(matches: readonly ToldMatch[]): Map<number, number[]> {
  const byAccount = new Map<number, number[]>();
  for (const [rank, { account }] of matches.entries()) {
    const ranks = byAccount.get(account);
    if (ranks === undefined) byAccount.set(account, [rank]);
    else ranks.push(rank);
  }
  return byAccount;
}
