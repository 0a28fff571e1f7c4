import { describe, expect, it } from 'vitest';
import { createStoryBook } from '../../signal/stories.ts';
import { readBook, readStoryLog, writeBook } from '../../signal/story-codec.ts';
import { wordPlaces } from '../../signal/story-text.ts';
import { positionAt } from '../order.ts';
import { textEvents } from './commit.ts';
import { createStoryBooks, type Forced, type ToldMatch } from './story-books.ts';

const START = Date.UTC(2026, 10, 15);
const none: Forced = () => undefined;

/** Matches of one account, each of an event of its own, about these texts. */
function told(texts: readonly string[], from = 0, account = 7): ToldMatch[] {
  const events = texts.map((text, index) => ({
    event: { platform: 'x' as const, postId: `${from + index}`, accountId: undefined, payload: { data: { text } } },
    matches: [{ ruleId: 'rule_1', version: 1, highlights: [] }],
  }));
  return [...textEvents({ platform: 'x', at: new Date(START), events })].map((event, index) => ({
    event,
    account,
    asked: 0,
    ruleNumber: 1,
    source: null,
    position: positionAt(START) + from + index,
  }));
}

const FIRE = ['Fire at Northline harbour warehouse, two hurt', 'Northline harbour: warehouse fire injures two'];
const apart = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `alpha${from + index} beta${from + index}`);

function fresh(account = 7) {
  const books = createStoryBooks();
  books.renew(account, undefined, []);
  return books;
}

describe('the books of stories', () => {
  it('give what tells the same the same story, in one commit and in the next', () => {
    const books = fresh();
    const [one, two] = told(FIRE);
    const first = books.decide([one!], none);
    expect(first.stories).toEqual([one!.position]);
    expect(books.known(7)).toBe(one!.position);
    expect(books.decide([two!], none).stories).toEqual([one!.position]);
    const both = fresh().decide(told(FIRE), none);
    expect(both.stories).toEqual([one!.position, one!.position]);
  });

  it('take the story of an earlier version before any other', () => {
    const books = fresh();
    expect(books.decide(told(FIRE), () => 99).stories).toEqual([99, 99]);
  });

  it('write nothing down of a decision that failed half-way', () => {
    const books = fresh();
    const [one, two] = told(FIRE);
    const failing: Forced = ({ event }) => {
      if (event === two!.event) throw new Error('the store is away');
      return undefined;
    };
    expect(() => books.decide([one!, two!], failing)).toThrow('the store is away');
    books.forget([7]);
    books.renew(7, undefined, []);
    const { logs } = books.decide([two!], none);
    expect([...readStoryLog(logs[0]!.entries)].map(({ number }) => number)).toEqual([two!.position]);
  });

  it('keep accounts apart', () => {
    const books = fresh();
    books.renew(8, undefined, []);
    const [one] = told(FIRE);
    const [, other] = told(FIRE, 0, 8);
    const { stories, logs } = books.decide([one!, other!], none);
    expect(stories).toEqual([one!.position, other!.position]);
    expect(logs.map(({ account, position }) => [account, position])).toEqual([
      [7, one!.position],
      [8, other!.position],
    ]);
  });

  it('decide once for an event and an account, without the words that any of its rules asked for', () => {
    const books = fresh();
    books.renew(8, undefined, []);
    const [{ event }, { event: next }] = [told(FIRE)[0]!, told(FIRE)[1]!];
    const [fire, northline, harbour] = event.told!.words;
    const matches = [
      { event, account: 7, words: [fire!] },
      { event, account: 8, words: [] },
      { event, account: 7, words: [harbour!, fire!] },
      { event: next, account: 8, words: event.told!.words },
      { event: next, account: 7, words: [] },
    ].map(({ words, ...match }, rank) => ({
      ...match,
      asked: wordPlaces(words, match.event.told!.words),
      ruleNumber: 1,
      source: null,
      position: positionAt(START) + rank,
    }));
    const at = (rank: number) => matches[rank]!.position;
    const { stories, logs } = books.decide(matches, none);
    expect(stories).toEqual([at(0), at(1), at(0), at(3), at(0)]);
    const entries = logs.map((log) => [...readStoryLog(log.entries)].map(({ words }) => words));
    expect(entries.map((own) => own.length)).toEqual([2, 2]);
    expect(entries[0]![0]).toEqual(event.told!.words.filter((word) => word !== fire && word !== harbour));
    expect(entries[0]![0]).toContain(northline);
    expect(entries[1]![0]).toEqual(event.told!.words);
  });

  it('are known up to the last match that was decided on, and are unknown when forgotten', () => {
    const books = createStoryBooks();
    expect(books.known(7)).toBeUndefined();
    books.renew(7, undefined, []);
    expect(books.known(7)).toBe(0);
    const { position } = told(FIRE)[0]!;
    books.decide(told(FIRE).slice(0, 1), none);
    expect(books.known(7)).toBe(position);
    books.forget([7]);
    expect(books.known(7)).toBeUndefined();
    expect(() => books.decide(told(FIRE), none)).toThrow(TypeError);
  });

  it('go on from the stored book and the log after it, whatever of the log they know already', () => {
    const writer = fresh();
    const { logs } = writer.decide(told(FIRE.slice(0, 1)), none);
    const log = { ...logs[0]! };
    const reader = createStoryBooks();
    reader.renew(7, undefined, [log]);
    expect(reader.decide(told(FIRE.slice(1), 1), none).stories).toEqual([log.position]);
    const again = createStoryBooks();
    again.renew(7, { account: 7, position: log.position, state: writeBook(createStoryBook()) }, [log]);
    const [late] = told(FIRE.slice(1), 1);
    expect(again.decide([late!], none).stories).toEqual([late!.position]);
  });

  it('are stored after five hundred events in the log, and count anew from there', () => {
    const books = fresh();
    const decide = (count: number, from: number) => {
      books.known(7);
      const { logs, books: stored } = books.decide(told(apart(count, from), from), none);
      return { logged: logs.flatMap(({ entries }) => [...readStoryLog(entries)]).length, stored: stored.length };
    };
    expect(decide(499, 0)).toEqual({ logged: 499, stored: 0 });
    expect(decide(1, 499)).toEqual({ logged: 1, stored: 0 });
    expect(decide(499, 500)).toEqual({ logged: 499, stored: 1 });
    expect(decide(1, 999)).toEqual({ logged: 1, stored: 0 });
    books.known(7);
    const { books: whole } = books.decide(told(apart(1, 1000), 1000), none);
    // As it was before: what this decision added is in the log.
    expect(whole).toMatchObject([{ account: 7, position: positionAt(START) + 999 }]);
    expect([...readBook(whole[0]!.state).open()].map(({ number }) => number)).not.toContain(positionAt(START) + 1000);
  });

  it('give the stories that began the numbers which their matches came to have', () => {
    const books = fresh();
    const matches = told([FIRE[0]!, 'Council votes on new bicycle lanes tonight', FIRE[1]!]);
    books.shift(matches, books.decide(matches, none), 4096);
    const first = matches[0]!.position + 4096;
    expect(books.known(7)).toBe(matches[2]!.position + 4096);
    const later = told(
      ['Two hurt as fire burns Northline warehouse at the harbour', 'Bicycle lanes: council votes tonight'],
      9_000,
    );
    expect(books.decide(later, none).stories).toEqual([first, first + 1]);
  });

  it('count what a log brought to them', () => {
    const { logs } = fresh().decide(told(apart(500)), none);
    const books = createStoryBooks();
    books.renew(7, undefined, logs);
    const { books: stored } = books.decide(told(apart(1, 500), 500), none);
    expect(stored).toHaveLength(1);
  });
});
