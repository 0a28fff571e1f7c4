/** Which terms an event holds and where, whatever was there before it. */
import { describe, expect, it } from 'vitest';
import { textEvent } from '../../../test/generated/hard-matching.ts';
import { scanWords } from '../../rules/x/words.ts';
import type { EventView } from '../events/event-view.ts';
import { addText, newViewBuilder, shownAt } from '../events/view-builder.ts';
import { ALWAYS, Dictionary, FIRST_TERM, pairOf } from './dictionary.ts';
import { Fields } from './field.ts';
import { Frequency } from './frequency.ts';
import { Presence } from './presence.ts';

/** Texts of fields, a gap of positions behind each. */
function viewOf(...texts: [field: string, text: string][]): EventView {
  const builder = newViewBuilder();
  for (const [field, text] of texts) addText(builder, { scan: scanWords, gap: 10 }, field, text, shownAt('', text));
  return { ...textEvent(''), pieces: builder.pieces, words: builder.words };
}

/** A presence that knows these words of the field `text`; each has its number as its postings. */
function stand(words: readonly string[]) {
  const fields = new Fields(7);
  const dictionary = new Dictionary();
  const frequency = new Frequency();
  const field = fields.use('text');
  const terms = new Map(words.map((word) => [word, dictionary.use(field, word)]));
  for (const term of terms.values()) dictionary.setPostings(term, term * 2);
  const presence = new Presence(fields, dictionary, frequency);
  const termsHeld = () => [...presence.terms.subarray(0, presence.count)];
  const headsHeld = () => [...presence.heads.subarray(0, presence.count)];
  /** All that is marked, word or pair. */
  const marked = () =>
    Array.from({ length: presence.bits.length * 32 }, (_, term) => term).filter((term) => presence.has(term));
  return { fields, dictionary, frequency, presence, terms, termsHeld, headsHeld, marked };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index}`);

describe('an event that is read', () => {
  it('holds each known word of its field once, with its postings, and the term of every event', () => {
    const { presence, terms, termsHeld, headsHeld, marked } = stand(['a', 'b', 'c']);
    presence.read(viewOf(['text', 'b a b z'], ['title', 'c']));
    const [a, b] = [terms.get('a')!, terms.get('b')!];
    expect([termsHeld(), headsHeld()]).toEqual([
      [b, a],
      [2 * b, 2 * a],
    ]);
    expect([...presence.wordTerms.subarray(0, 5)]).toEqual([b, a, b, -1, -1]);
    expect(marked()).toEqual([ALWAYS, a, b]);
    presence.clear();
    expect([presence.count, marked()]).toEqual([0, [ALWAYS]]);
    presence.read(viewOf(['text', 'c']));
    expect(termsHeld()).toEqual([terms.get('c')]);
  });

  it('may hold more words than there was room for, and rules may name more', () => {
    const words = numbered(1_200);
    const { presence, terms, termsHeld, headsHeld, marked } = stand(words);
    presence.read(textEvent(words.slice(0, 1_100).join(' ')));
    const expected = words.slice(0, 1_100).map((word) => terms.get(word)!);
    expect(termsHeld()).toEqual(expected);
    expect(headsHeld()).toEqual(expected.map((term) => term * 2));
    expect(marked()).toEqual([ALWAYS, ...expected]);
    presence.clear();
    presence.read(textEvent('w1199'));
    expect(marked()).toEqual([ALWAYS, terms.get('w1199')]);
  });

  it('has room for the terms of rules that came after the event before', () => {
    const { presence, dictionary, fields, marked } = stand(['a']);
    presence.read(textEvent('a'));
    presence.clear();
    const field = fields.use('text');
    let last = 0;
    for (let word = 0; word < 9_000; word++) last = dictionary.use(field, `n${word}`);
    presence.read(textEvent('n8999 a'));
    expect(marked()).toEqual([ALWAYS, FIRST_TERM, last]);
  });

  it('may have more pieces than fields are remembered for, in any order of fields', () => {
    const { presence, terms } = stand(['a', 'b']);
    const pieces = Array.from({ length: 70 }, (_, index): [string, string] => [
      index % 3 === 0 ? 'text' : 'title',
      'a',
    ]);
    for (const one of [pieces, pieces.toReversed(), pieces]) {
      presence.read(viewOf(...one));
      const expected = one.map(([field]) => (field === 'text' ? terms.get('a')! : -1));
      expect([...presence.wordTerms.subarray(0, 70)]).toEqual(expected);
      presence.clear();
    }
  });

  it('has its words counted, the first 4,096 of them', () => {
    const { presence, dictionary, frequency, terms } = stand(['w0', 'w4095', 'w4096']);
    presence.read(textEvent(numbered(4_200).join(' ')));
    const seen = ['w0', 'w4095', 'w4096'].map((word) => frequency.share(dictionary.hash(terms.get(word)!), 0) > 0);
    expect(seen).toEqual([true, true, false]);
  });

  it('has words that surely stood in the same field before, where that is wanted', () => {
    const { presence } = stand(['a']);
    const repeats = (...texts: [string, string][]) => {
      presence.clear();
      presence.read(viewOf(...texts));
      return [...presence.repeats.subarray(0, presence.event.words.count)];
    };
    expect(repeats(['text', 'a a'])).toEqual([0, 0]);
    presence.tracksRepeats = true;
    expect(repeats(['text', 'a b a a'], ['title', 'a b b'])).toEqual([0, 0, 1, 1, 0, 0, 1]);
    expect(repeats(['text', 'a '.repeat(600)])).toEqual([0, ...Array<number>(599).fill(1)]);
    // Not sure of words that are hashed, nor of those of the event before.
    expect(repeats(['text', 'größer größer a'])).toEqual([0, 0, 0]);
    expect(repeats(['text', 'a'])).toEqual([0]);
  });
});

describe('an event whose words were looked up before', () => {
  it('is read as if they had not been, but that no word is known for a repeat', () => {
    const words = numbered(600);
    const { presence, terms, termsHeld, headsHeld } = stand(words);
    const event = viewOf(['text', 'w1 w2 w1 x'], ['title', 'w3'], ['text', words.join(' ')]);
    presence.tracksRepeats = true;
    presence.read(event);
    const [held, heads] = [termsHeld(), headsHeld()];
    const wordTerms = [...presence.wordTerms.subarray(0, event.words.count)];
    presence.clear();
    const looked = new Int32Array(event.words.count);
    for (let from = 0; from < looked.length; from += 100) {
      presence.lookUp(event, looked, from, from + 100);
      presence.read(textEvent('w5 w5'));
      presence.clear();
    }
    expect([...looked]).toEqual(wordTerms);
    presence.readLookedUp(event, looked);
    expect([termsHeld(), headsHeld()]).toEqual([held, heads]);
    expect([...presence.wordTerms.subarray(0, event.words.count)]).toEqual(wordTerms);
    expect(presence.repeats.subarray(0, event.words.count).every((repeat) => repeat === 0)).toBe(true);
    expect(terms.size).toBe(600);
  });

  it('may be the first and a long one, and is then the event at hand', () => {
    const words = numbered(700);
    const { presence, terms, termsHeld } = stand(words);
    const event = textEvent(words.join(' '));
    const looked = new Int32Array(700);
    presence.lookUp(event, looked, 0, 700);
    presence.readLookedUp(event, looked);
    expect([presence.event, presence.has(ALWAYS), termsHeld()]).toEqual([event, true, [...terms.values()]]);
    expect(presence.firstWord(terms.get('w699')!)).toBe(699);
    presence.readPairs();
    expect(presence.has(pairOf(terms.get('w698')!, terms.get('w699')!))).toBe(true);
  });

  it('is looked up no further than its words go, whatever stood behind them before', () => {
    const { presence, terms } = stand(['a']);
    const event = textEvent('a a');
    event.words.pieces[2] = 99;
    const looked = new Int32Array(2);
    presence.lookUp(event, looked, 0, 10);
    expect([...looked]).toEqual([terms.get('a'), terms.get('a')]);
  });

  it('is looked up in the part that was asked for alone', () => {
    const { presence, terms } = stand(['a', 'b']);
    const looked = new Int32Array(4).fill(-7);
    presence.lookUp(textEvent('a b a b'), looked, 1, 3);
    expect([...looked]).toEqual([-7, terms.get('b'), terms.get('a'), -7]);
  });
});

describe('pairs of words', () => {
  it('are those of neighbours that rules know, and gone with the event', () => {
    const { presence, terms, marked } = stand(['a', 'b', 'c']);
    const [a, b, c] = [terms.get('a')!, terms.get('b')!, terms.get('c')!];
    presence.read(viewOf(['text', 'a b x c a'], ['text', 'b c']));
    presence.readPairs();
    const pairs = new Set([ALWAYS, pairOf(a, b), pairOf(c, a), pairOf(b, c), a, b, c]);
    expect(marked()).toEqual([...pairs].toSorted((one, two) => one - two));
    presence.clear();
    expect(marked()).toEqual([ALWAYS]);
    presence.read(textEvent('a c'));
    presence.readPairs();
    expect(presence.has(pairOf(a, b))).toBe(pairOf(a, b) === ALWAYS);
  });
});

it('a pattern that fits is marked once, with its postings', () => {
  const { presence, terms, termsHeld, headsHeld } = stand(['a', 'p']);
  presence.read(textEvent('a'));
  const pattern = terms.get('p')!;
  presence.mark(pattern);
  presence.mark(pattern);
  expect([termsHeld(), headsHeld()]).toEqual([
    [terms.get('a'), pattern],
    [2 * terms.get('a')!, 2 * pattern],
  ]);
});

describe('the words with a term', () => {
  // The terms of words that lie 1,024 apart share a chain; an event of 64 words has none.
  it.each([63, 64, 65, 3_000])('are found one by one, in order, in an event of %i words', (count) => {
    const words = numbered(2_100);
    const { presence, terms } = stand(words);
    const text = Array.from({ length: count }, (_, at) => (at % 7 === 0 ? 'x' : words[(at * 1_024) % 2_050]!));
    for (const shift of [0, 1]) {
      const shifted = shift === 0 ? text : [...text.slice(1), 'w1'];
      presence.read(textEvent(shifted.join(' ')));
      for (const word of ['w0', 'w1', 'w1024', 'w2048', 'w2099']) {
        const places: number[] = [];
        for (let at = presence.firstWord(terms.get(word)!); at >= 0; at = presence.nextWord(at)) places.push(at);
        expect(places).toEqual(shifted.flatMap((one, at) => (one === word ? [at] : [])));
      }
      presence.clear();
    }
  });
});
