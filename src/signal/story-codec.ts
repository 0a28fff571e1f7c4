/** A book of stories, and what was put into one, as bytes. Numbers keep every bit: what is read back decides the same. */
import { createStoryBook, type OpenStory, type StoryBook, type StoryEvent } from './stories.ts';

/** An event that was put into a story. */
export interface StoryEntry extends StoryEvent {
  readonly number: number;
  readonly now: number;
}

/** Bytes of another form are not read: the book begins anew. */
const FORM = 1;

export function writeBook(book: StoryBook): Uint8Array {
  const out = new Bytes();
  out.float(FORM);
  for (const story of book.open()) {
    for (const field of FIELDS) out.float(story[field]);
    out.list([...story.words], ([word, count]) => {
      out.integer(word);
      out.integer(count);
    });
    out.list([...story.marks], (mark) => out.float(mark));
  }
  return out.taken();
}

const FIELDS = ['number', 'size', 'lastAt', 'joinedAt', 'joinedBy', 'length', 'measuredAt'] as const;

export function readBook(bytes: Uint8Array): StoryBook {
  const from = new Reader(bytes);
  return createStoryBook(from.float() === FORM ? storiesIn(from) : []);
}

function* storiesIn(from: Reader): Iterable<OpenStory> {
  while (!from.isDone) {
    const [number, size, lastAt, joinedAt, joinedBy, length, measuredAt] = FIELDS.map(() => from.float());
    yield {
      number: number!,
      size: size!,
      lastAt: lastAt!,
      joinedAt: joinedAt!,
      joinedBy: joinedBy!,
      length: length!,
      measuredAt: measuredAt!,
      words: from.list(() => [from.integer(), from.integer()] as const),
      marks: from.list(() => from.float()),
    };
  }
}

export function writeStoryLog(entries: readonly StoryEntry[]): Uint8Array {
  const out = new Bytes();
  for (const { number, now, at, words, marks } of entries) {
    for (const value of [number, now, at]) out.float(value);
    out.list(words, (word) => out.integer(word));
    out.list(marks, (mark) => out.float(mark));
  }
  return out.taken();
}

export function* readStoryLog(bytes: Uint8Array): Iterable<StoryEntry> {
  const from = new Reader(bytes);
  while (!from.isDone) {
    const [number, now, at] = [from.float(), from.float(), from.float()];
    yield { number, now, at, words: from.list(() => from.integer()), marks: from.list(() => from.float()) };
  }
}

class Bytes {
  #view = new DataView(new ArrayBuffer(1_024));
  #length = 0;

  float(value: number): void {
    this.#room(8).setFloat64(this.#length, value);
    this.#length += 8;
  }

  integer(value: number): void {
    this.#room(4).setInt32(this.#length, value);
    this.#length += 4;
  }

  list<T>(values: readonly T[], write: (value: T) => void): void {
    this.integer(values.length);
    for (const value of values) write(value);
  }

  taken(): Uint8Array {
    return new Uint8Array(this.#view.buffer, 0, this.#length);
  }

  #room(bytes: number): DataView {
    if (this.#length + bytes > this.#view.byteLength) {
      const larger = new Uint8Array(2 * this.#view.byteLength);
      larger.set(new Uint8Array(this.#view.buffer));
      this.#view = new DataView(larger.buffer);
    }
    return this.#view;
  }
}

class Reader {
  readonly #view: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  get isDone(): boolean {
    return this.#at >= this.#view.byteLength;
  }

  float(): number {
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8);
  }

  integer(): number {
    this.#at += 4;
    return this.#view.getInt32(this.#at - 4);
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.integer() }, read);
  }
}
