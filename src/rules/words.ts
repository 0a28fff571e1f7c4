/**
 * Word scanners cut a text into words without making a string for each: they fill a reusable list of spans. The rule
 * languages and the engine share them, so that a rule and an event are cut by the same code.
 */
export interface WordSpans {
  starts: Int32Array;
  ends: Int32Array;
  count: number;
}

/**
 * Adds the words of `text` to `into`, in order. A long text can be cut in parts: the scanner begins at `from`, stops at the
 * first place behind `enough` that is inside no word, and answers where it stopped.
 */
export type WordScanner = (text: string, into: WordSpans, from?: number, enough?: number) => number;

export const newWordSpans = (capacity = 512): WordSpans => ({
  starts: new Int32Array(capacity),
  ends: new Int32Array(capacity),
  count: 0,
});

export function pushWord(spans: WordSpans, start: number, end: number): void {
  if (spans.count === spans.starts.length) grow(spans);
  spans.starts[spans.count] = start;
  spans.ends[spans.count++] = end;
}

function grow(spans: WordSpans): void {
  const starts = new Int32Array(spans.starts.length * 2);
  const ends = new Int32Array(spans.ends.length * 2);
  starts.set(spans.starts);
  ends.set(spans.ends);
  spans.starts = starts;
  spans.ends = ends;
}

const scratch = newWordSpans();

/** The words as strings: for rules, where a few small strings do no harm. */
export function cutWords(text: string, scan: WordScanner): string[] {
  scratch.count = 0;
  scan(text, scratch);
  const words: string[] = [];
  for (let index = 0; index < scratch.count; index++) {
    words.push(text.slice(scratch.starts[index], scratch.ends[index]));
  }
  return words;
}
