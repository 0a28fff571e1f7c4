import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { createStoryBook, MAX_STORY_ENTRIES, type StoryBook } from './stories.ts';
import { cutAtNumbers, readBook, readStoryLog, StoryLogWriter, writeBook } from './story-codec.ts';
import { comparedEvent, originOf, storyEventOf } from './story-text.ts';

const HOUR = 3_600_000;

interface Told {
  readonly text: string;
  readonly at: number;
  readonly links?: readonly string[];
  readonly posts?: readonly string[];
  readonly origin?: number;
}

let stories = 0;

/** The number of each one's story; a new story has the next number. */
function tell(book: StoryBook, texts: readonly (string | Told)[]): number[] {
  return texts.map((one, index) => {
    const whole: Told = typeof one === 'string' ? { text: one, at: index * 60_000 } : one;
    const { text, at, links = [], posts = [], origin } = whole;
    const event = storyEventOf(comparedEvent('x', { text, links, posts, at }), at, 0, origin);
    const number = book.choose(event, at).number ?? ++stories;
    book.put(number, event, at);
    return number;
  });
}

/** Tells them as above, and names stories by the index of their first text. */
function told(book: StoryBook, texts: readonly (string | Told)[]): number[] {
  const numbers = tell(book, texts);
  return numbers.map((number) => numbers.indexOf(number));
}

const harbour = [
  'Fire at Northline harbour warehouse, two hurt',
  'Northline harbour: warehouse fire injures two',
  'RT @port: Fire at Northline harbour warehouse, two hurt https://t.example/abc',
];

describe('stories', () => {
  it('joins what tells the same in other words, reposts and links included', () => {
    expect(told(createStoryBook(), harbour)).toEqual([0, 0, 0]);
  });

  it('parts what shares a common word alone', () => {
    expect(told(createStoryBook(), [harbour[0]!, 'Council votes on two new bicycle lanes', harbour[1]!])).toEqual([
      0, 1, 0,
    ]);
  });

  it('joins at once what has the same address, whatever its form and whatever is said of it', () => {
    const links = (link: string) => ({ at: 0, links: [link] });
    const texts = [
      { text: harbour[0]!, ...links('https://www.paper.example/2026/harbour-fire?utm_source=a') },
      { text: 'Qué horror', ...links('http://m.paper.example/2026/harbour-fire/amp') },
      { text: 'Another thing altogether', ...links('https://www.paper.example/') },
      { text: 'Elections in the south', ...links('https://paper.example/') },
    ];
    expect(told(createStoryBook(), texts)).toEqual([0, 0, 2, 3]);
  });

  it('joins a repost and an edit with the post that they name', () => {
    const texts = [
      { text: harbour[0]!, at: 0, posts: ['1'] },
      { text: 'look', at: 1, posts: ['2', '1'] },
      { text: 'see', at: 2, posts: ['3'], links: ['https://x.com/port/status/1/photo/1'] },
    ];
    expect(told(createStoryBook(), texts)).toEqual([0, 0, 0]);
  });

  it('begins a new story with the same words once nothing joined the old one for a day', () => {
    const texts = [
      { text: harbour[0]!, at: 0 },
      { text: harbour[1]!, at: 23 * HOUR },
      { text: harbour[1]!, at: 48 * HOUR },
    ];
    expect(told(createStoryBook(), texts)).toEqual([0, 0, 2]);
  });

  it('keeps the words of a story rare, however often it is repeated', () => {
    const repeated = Array.from({ length: 200 }, (_, index) => ({ text: harbour[index % 3]!, at: index * 1_000 }));
    const texts = [...repeated, { text: 'Northline harbour fire under control', at: 201_000 }];
    expect(new Set(told(createStoryBook(), texts)).size).toBe(1);
  });

  it('compares texts that are written without spaces', () => {
    const texts = ['東京で大規模な停電が発生', '停電が東京で発生、大規模', '大阪の桜が満開になりました'];
    expect(told(createStoryBook(), texts)).toEqual([0, 0, 2]);
  });

  it('joins several languages of one event by its names and numbers, with and without accents', () => {
    const languages = [
      'Magnitude 7.4 earthquake hits Guatemala near Champerico',
      'Un terremoto de magnitud 7.4 sacude Guatemala cerca de Champerico',
      'グアテマラのChampericoでM7.4の地震',
      'Erdbeben der Stärke 7.4 erschüttert Guatemala',
    ];
    expect(told(createStoryBook(), languages)).toEqual([0, 0, 0, 0]);
    const accents = ['Explosión en Łódź deja 320 heridos', '320 hurt as blast shakes Lodz', 'Ein Toter in Lindau'];
    expect(told(createStoryBook(), accents)).toEqual([0, 0, 2]);
  });

  it('reads a time in the future as now', () => {
    expect(storyEventOf({ words: [], marks: [], at: 9e15 }, 5).at).toBe(5);
  });

  it('takes a bounded number of steps, however many stories have the words of a text', () => {
    const random = randomFrom(7);
    const book = createStoryBook();
    const steps: number[] = [];
    // 48 words of a few hundred: as many stories as may be have each word of the text.
    for (let index = 0; index < 2_500; index++) {
      const words = Array.from({ length: 48 }, () => Math.floor(random() * 600));
      const event = { words: [...new Set(words)], marks: [index], at: index * HOUR };
      steps.push(book.choose(event, index).steps);
      book.put(index, event, index);
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(48 * 101 + 1);
    expect(Math.max(...steps)).toBeGreaterThan(1_000);
  });

  it('keeps a bounded number of open stories, words and marks', () => {
    const book = createStoryBook();
    tell(
      book,
      Array.from({ length: 2_500 }, (_, index) => ({ text: `alpha${index} beta${index} gamma${index}`, at: index })),
    );
    expect([...book.open()].length).toBe(2_000);
    const long = (index: number) => Array.from({ length: 40 }, (_, word) => `w${index}x${word}`).join(' ');
    tell(
      book,
      Array.from({ length: 2_000 }, (_, index) => ({ text: long(index), at: 3_000 + index })),
    );
    expect(book.entries).toBeLessThanOrEqual(MAX_STORY_ENTRIES + 100);
    const one = createStoryBook();
    for (let index = 0; index < 1_000; index++)
      one.put(1, { words: [index, index + 1, index + 2], marks: [index], at: index }, index);
    expect(one.entries).toBeLessThanOrEqual(2 * 60 + 64 + 3);
  });
});

/** Ten kinds of alarms, each with one text for each thing that happened. */
const ALARMS: Record<string, (at: number) => string> = {
  quakes: (at) => `quakewatch BREAKING: earthquake of magnitude ${4 + at / 2} strikes ${PLACES[at]}, agency says`,
  advisories: (at) => `Advisory CVE-2026-${1_000 + 37 * at}: remote code execution in ${NAMES[at]}, update now`,
  incidents: (at) => `Incident opened: elevated error rates for ${NAMES[at]} in ${PLACES[at]}`,
  flights: (at) =>
    `Flight NL${400 + at} from ${PLACES[at]} to ${PLACES[(at + 3) % 8]} is delayed by ${20 + 5 * at} minutes`,
  prices: (at) => `Price alert: ${NAMES[at]} rises above ${90 + 13 * at} dollars`,
  fires: (at) => `Crews respond to a structure fire at ${10 + 7 * at} ${NAMES[at]} Street`,
  results: (at) => `Quarterly results: ${NAMES[at]} beats expectations, shares up ${11 + at} percent`,
  weather: (at) => `Severe weather warning issued for ${PLACES[at]} County until 1${at}:00`,
  recalls: (at) => `Recall notice: ${NAMES[at]} toasters may overheat, stop using them`,
  releases: (at) => `Version ${at + 1}.4.${10 + at} of ${NAMES[at]} is out with bug fixes`,
};
const PLACES = ['Arica', 'Bandung', 'Cork', 'Dakar', 'Esbjerg', 'Fukui', 'Gdansk', 'Hobart'];
const NAMES = ['Norvia', 'Teldane', 'Okaro', 'Brightway', 'Lumora', 'Zerrano', 'Quxhall', 'Vantel'];

describe('alarms of one kind', () => {
  it.each(Object.keys(ALARMS))('tell of one thing each, and what repeats one joins it: %s', (kind) => {
    const texts = PLACES.map((_, at) => ALARMS[kind]!(at));
    const apart = texts.map((_, at) => at);
    expect(told(createStoryBook(), texts)).toEqual(apart);
    // In any order, and again with a link that differs.
    expect(told(createStoryBook(), texts.toReversed())).toEqual(apart);
    const again = texts.map((text) => `${text} https://t.example/${text.length}`);
    expect(told(createStoryBook(), [...texts, ...again])).toEqual([...apart, ...apart]);
  });

  it('stay apart however many there are, by one name', () => {
    const parts = ['ba', 'ko', 'ri', 'tu', 'ne', 'lo', 'mi', 'sa'];
    const texts = parts.flatMap((one) =>
      parts.map((other) => `Recall notice: ${one}${other}x toasters may overheat, stop using them`),
    );
    expect(new Set(told(createStoryBook(), texts)).size).toBe(64);
  });

  it('are not joined by the address where all of them stand', () => {
    const links = ['https://status.example.com/incidents/current'];
    const texts = [0, 1, 2].map((at) => ({ text: ALARMS['incidents']!(at), at, links }));
    expect(told(createStoryBook(), texts)).toEqual([0, 1, 2]);
  });

  it('are not short texts with one word in common', () => {
    const texts = ['market plum gravel lantern', 'market otter violin cactus', 'market anchor pepper ribbon'];
    expect(told(createStoryBook(), texts)).toEqual([0, 1, 2]);
  });
});

const NEWS = [
  'Harbour fire injures two',
  'Council votes on bicycle lanes in the old town',
  'Orchestra cancels spring tour',
  'Snow closes mountain pass for lorries until Thursday',
  'Bakery wins prize',
  'Tram line seven gets new wagons next autumn',
  'Museum shows lost painting',
  'School roof collapses after heavy rain at night',
];
const framed = (news: string): string =>
  `Northline Evening Messenger live: ${news}. Read more on our website, follow our channel, subscribe to daily updates`;

describe('what a source repeats', () => {
  it('joins nothing, however long the news between is', () => {
    expect(told(createStoryBook(), NEWS.map(framed))).toEqual(NEWS.map((_, at) => at));
  });

  it('weighs nothing to the rule that it was learned for, wherever it stands, also after a restart', () => {
    const last =
      'Subscribe to daily updates, follow our website: whales in the bay, Northline Evening Messenger channel';
    const isNew = (origin: number, restart = false) => {
      const book = createStoryBook();
      const before = tell(
        book,
        NEWS.map((news, at) => ({ text: framed(news), at, origin: originOf('evening', 1) })),
      );
      const [number] = tell(restart ? readBook(writeBook(book)) : book, [{ text: last, at: 60_000, origin }]);
      return !before.includes(number!);
    };
    expect([isNew(originOf('evening', 1)), isNew(originOf('evening', 1), true)]).toEqual([true, true]);
    expect([isNew(originOf('evening', 2)), isNew(originOf('morning', 1)), isNew(0)]).toEqual([false, false, false]);
  });
});

describe('a book as bytes', () => {
  const random = randomFrom(20_261_115);
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
  const texts: Told[] = Array.from({ length: 3_000 }, (_, index) => ({
    text: Array.from({ length: 8 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' '),
    at: index * 200_000,
    posts: [String(index)],
  }));

  it('goes on as if it had never stopped', () => {
    const throughout = createStoryBook();
    tell(throughout, texts.slice(0, 2_000));
    const resumed = readBook(writeBook(throughout));
    expect(writeBook(resumed)).toEqual(writeBook(throughout));
    const before = stories;
    const rest = tell(throughout, texts.slice(2_000));
    stories = before;
    expect(tell(resumed, texts.slice(2_000))).toEqual(rest);
    expect(writeBook(resumed)).toEqual(writeBook(throughout));
  });

  it('leads a mark to the story that had it first, and to no other that was given it since', () => {
    const book = createStoryBook();
    const put = (number: number, marks: readonly number[], now: number, first = 10 * number) =>
      book.put(number, { words: [first, first + 1, first + 2], marks, at: now }, now);
    put(1, [100], 0);
    put(2, [200], 1);
    // An edit of the second story's post links to what the first one told.
    put(2, [201, 100], 2);
    put(1, [101], 3);
    const again = { words: [90, 91, 92], marks: [100], at: 4 };
    expect([book.choose(again, 4).number, readBook(writeBook(book)).choose(again, 4).number]).toEqual([1, 1]);
    expect([...book.open()].map(({ number, marks }) => [number, marks])).toEqual([
      [2, [200, 201]],
      [1, [100, 101]],
    ]);
    // When that story is over, the next one that has the mark keeps it.
    put(2, [], 20 * HOUR);
    put(3, [100], 26 * HOUR);
    expect([book.choose(again, 26 * HOUR).number, readBook(writeBook(book)).choose(again, 26 * HOUR).number]).toEqual([
      3, 3,
    ]);
  });

  it('is the same after what was put into it is put into it again', () => {
    const [decided, repeated] = [createStoryBook(), createStoryBook()];
    const log = new StoryLogWriter();
    for (const { text, at, posts = [] } of texts) {
      const event = storyEventOf(comparedEvent('x', { text, links: [], posts }), at);
      const number = decided.choose(event, at).number ?? at + 1;
      decided.put(number, event, at);
      log.add(number, event, at);
    }
    for (const entry of readStoryLog(log.taken())) repeated.put(entry.number, entry, entry.now);
    expect(writeBook(repeated)).toEqual(writeBook(decided));
  });

  it('is cut where a number from the first new one on stands, and is whole again with it', () => {
    const log = new StoryLogWriter();
    const event = (mark: number) => ({ words: [1, 2, 3], marks: [mark], at: 5, origin: 7 });
    for (const [index, number] of [900, 3, 4, 901].entries()) log.add(number, event(index), 10);
    const bytes = log.taken();
    const pieces = cutAtNumbers(bytes, 900);
    expect(pieces.map(({ number }) => number)).toEqual([900, 901]);
    expect(cutAtNumbers(bytes, 3).map(({ number }) => number)).toEqual([900, 3, 4, 901]);
    expect(cutAtNumbers(bytes, 1_000)).toEqual([{ number: undefined, bytes }]);
    expect(cutAtNumbers(new Uint8Array(0), 1)).toEqual([{ number: undefined, bytes: new Uint8Array(0) }]);
    const parts = cutAtNumbers(bytes, 901).flatMap(({ number, bytes: part }) => {
      const head = new Uint8Array(8);
      if (number !== undefined) new DataView(head.buffer).setFloat64(0, number);
      return number === undefined ? [part] : [head, part];
    });
    expect(Uint8Array.from(parts.flatMap((part) => [...part]))).toEqual(bytes);
  });

  it('begins anew where the bytes have another form', () => {
    expect([...readBook(new Uint8Array(8)).open()]).toEqual([]);
  });
});
