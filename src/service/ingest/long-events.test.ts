import { describe, expect, it } from 'vitest';
import { turnsDuring } from '../../../test/stages/turns.ts';
import { createStreamAnalysis, isLong, mayBeLong } from './long-events.ts';

const text = (length: number) => 'x'.repeat(length);
const LONGEST = 32 * 1024;

describe('a long event', () => {
  it('has more than 32,768 characters in all its texts, in objects and in lists', () => {
    expect([isLong({ data: { text: text(LONGEST) } }), isLong({ data: { text: text(LONGEST + 1) } })]).toEqual([
      false,
      true,
    ]);
    expect(isLong({ added: [text(LONGEST), 'y'], title: 7, url: null })).toBe(true);
    expect(isLong({ diff: { chunks: [{ text: text(LONGEST + 1) }] } })).toBe(true);
  });

  it('is not told by what stands deeper than texts do', () => {
    expect(isLong({ a: { b: { c: { d: text(LONGEST + 1) } } } })).toBe(true);
    expect(isLong({ a: { b: { c: { d: { e: text(LONGEST + 1) } } } } })).toBe(false);
    expect(isLong([[[[text(LONGEST + 1)]]]])).toBe(true);
    expect(isLong([[[[[text(LONGEST + 1)]]]]])).toBe(false);
  });

  it('is not in JSON of as many characters', () => {
    expect([mayBeLong(text(LONGEST)), mayBeLong(text(LONGEST + 1))]).toEqual([false, true]);
  });
});

it('the short events of a stream let everything else run after every sixteen', async () => {
  const analyze = createStreamAnalysis('x');
  const stream = async () => {
    for (let number = 0; number < 64; number++) await analyze({ data: { id: String(number), text: 'a storm' } });
  };
  expect(await turnsDuring(stream())).toBeGreaterThanOrEqual(4);
});
