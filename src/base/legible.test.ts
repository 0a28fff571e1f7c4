import { describe, expect, it } from 'vitest';
import { hiddenIn, legible } from './legible.ts';

describe('a name', () => {
  it.each([
    ['a\r\nb', 2, 'U+000D', 'a<U+000D><U+000A>b'],
    ['\u001b[31mred', 1, 'U+001B', '<U+001B>[31mred'],
    ['🌋 gpj.\u202eexe', 7, 'U+202E', '🌋 gpj.<U+202E>exe'],
    ['Storm\u200b', 6, 'U+200B', 'Storm<U+200B>'],
    ['a\u200db', 2, 'U+200D', 'a<U+200D>b'],
    ['a\u2066b', 2, 'U+2066', 'a<U+2066>b'],
    ['a\u2028b', 2, 'U+2028', 'a<U+2028>b'],
    ['\ufeffa', 1, 'U+FEFF', '<U+FEFF>a'],
    ['a\u3164', 2, 'U+3164', 'a<U+3164>'],
    ['a\u{e0041}', 2, 'U+E0041', 'a<U+E0041>'],
  ])('%j has a character that cannot be seen', (text, place, code, shown) => {
    expect([hiddenIn(text), legible(text)]).toEqual([{ place, code }, shown]);
  });

  it.each([
    'Volcano news',
    'É\u0301 ñ 火山 한국 שלום',
    'می\u200cخواهم',
    'क\u094d\u200dष',
    '👩🏽\u200d💻 ❤\ufe0f 1\ufe0f\u20e3',
    '葛\u{e0100}城',
    '',
  ])('%j has none', (text) => {
    expect([hiddenIn(text), legible(text)]).toEqual([undefined, text]);
  });
});
