import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMarked, HARD_MARKS, MARKS, NON_STARTERS, normalForms, OF_EACH_CLASS } from '../../test/generated/marks.ts';
import { JOINING, normalize } from './normalize.ts';

const FORMS = ['NFC', 'NFD'] as const;
/** The planes between these hold nothing. */
const CHARACTERS = Array.from({ length: 0x32000 }, (_, code) => (code < 0x30000 ? code : code + 0xb0000))
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const isNonStarter = new Set(NON_STARTERS);
/** Apart, but in no other order. */
const apart = (text: string): string[] => Array.from(text).flatMap((one) => Array.from(one.normalize('NFD')));

describe('a text without a long run', () => {
  it('gets the normal form: every character, every mark among others', () => {
    const texts = [...CHARACTERS, ...MARKS.flatMap(normalForms), OF_EACH_CLASS.toReversed().slice(0, 30).join('')];
    for (const form of FORMS)
      expect(texts.filter((text) => normalize(text, form) !== text.normalize(form))).toEqual([]);
  });

  it('gets it with runs of up to 30 marks, whatever they are', () => {
    fc.assert(
      fc.property(anyMarked(40), (text) => {
        fc.pre(longestRun(text) <= 30);
        for (const form of FORMS) expect(normalize(text, form)).toBe(text.normalize(form));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gets it with 30 marks behind a letter, and with a starter between two runs of 30', () => {
    const thirty = '\u0301\u0323'.repeat(15);
    for (const text of [`a${thirty}`, `a${thirty}\u034f${thirty}`, `a${thirty}\u1161${thirty}b`]) {
      expect(normalize(text, 'NFC')).toBe(text.normalize('NFC'));
    }
  });

  it('keeps Hangul whole, however many of its parts stand side by side', () => {
    const text = `${'\u1100\u1161\u11a8'.repeat(50)}${'\u1161'.repeat(40)}\u11a8${'\u1100'.repeat(40)}\u1161`;
    expect(normalize(text, 'NFC')).toBe(text.normalize('NFC'));
  });
});

/** Non-starters side by side, or marks of the other kind, once all is taken apart. */
function longestRun(text: string): number {
  let [length, longest, was] = [0, 0, false];
  for (const character of apart(text)) {
    const is = isNonStarter.has(character);
    length = is === was ? length + 1 : 1;
    if (!is && !new RegExp(`[${JOINING}]`, 'u').test(character)) length = 1;
    longest = Math.max(longest, length);
    was = is;
  }
  return longest;
}

describe('a long run', () => {
  /** As many of the marks as have no 31st part among them, together with those of the letter. */
  function inOrder(base: string, marks: readonly string[]): number {
    const parts = (text: string) => apart(text).filter((part) => isNonStarter.has(part)).length;
    const fitting = marks.findIndex((_, at) => parts(base) + parts(marks.slice(0, at + 1).join('')) > 30);
    return fitting === -1 ? marks.length : fitting;
  }

  it('has the normal form up to its 30th mark, and is left as it stands from there', () => {
    const anyRun = fc.tuple(
      fc.constantFrom('a', 'é', 'ᾂ', '한', '🌋', '\u034f'),
      fc.array(fc.constantFrom(...NON_STARTERS, '\u0344', '\u0f73'), { maxLength: 120, size: 'max' }),
    );
    fc.assert(
      fc.property(fc.array(anyRun, { minLength: 1, maxLength: 3 }), (runs) => {
        for (const form of FORMS) {
          const expected = runs.map(([base, marks]) => {
            const cut = inOrder(base, marks);
            return (base + marks.slice(0, cut).join('')).normalize(form) + marks.slice(cut).join('');
          });
          expect(normalize(runs.map(([base, marks]) => base + marks.join('')).join(''), form)).toBe(expected.join(''));
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['32 marks', `b${'\u0301\u0323'.repeat(16)}`, `b${'\u0323'.repeat(15)}${'\u0301'.repeat(15)}\u0301\u0323`],
    ['30 marks and one of the letter itself', `é${'\u0323'.repeat(30)}`, `e${'\u0323'.repeat(29)}\u0301\u0323`],
    ['29 marks and one that stands for two', `b${'\u0345'.repeat(29)}\u0344`, `b${'\u0345'.repeat(29)}\u0344`],
  ])('of %s is cut there', (_, text, expected) => {
    expect(normalize(text, 'NFD')).toBe(expected);
  });

  it('of vowels that join each other is cut behind the 30th character, the letter included', () => {
    const vowels = '\u{1611e}'.repeat(40);
    expect(normalize(`b${vowels}`, 'NFC')).toBe(`b${'\u{16121}'.repeat(14)}${'\u{1611e}'.repeat(12)}`);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyMarked(80), (text) => {
        for (const form of FORMS) {
          const once = normalize(text, form);
          expect(normalize(once, form)).toBe(once);
        }
      }),
      { numRuns: 2_000 },
    );
    for (const marks of HARD_MARKS) {
      const once = normalize(`b${marks.repeat(100)}`, 'NFC');
      expect(normalize(once, 'NFC')).toBe(once);
    }
  });

  it('keeps what it is made of, and how long it is once it is taken apart', () => {
    fc.assert(
      fc.property(anyMarked(80), (text) => {
        const sorted = (one: string) => apart(one).toSorted().join('');
        expect(sorted(normalize(text, 'NFC'))).toBe(sorted(text));
      }),
    );
  });
});

describe('the class of what joins', () => {
  const joins = new RegExp(`^[${JOINING}]`, 'u');
  const joined = new Set(
    CHARACTERS.filter((one) => one.normalize('NFD') !== one && one.normalize('NFC') === one).flatMap((one) =>
      apart(one).slice(1),
    ),
  );
  const mayJoin = (character: string) => joined.has(character) || isNonStarter.has(character);

  it('has every character that Unicode may move, or join to the one before it', () => {
    expect(CHARACTERS.filter((one) => mayJoin(apart(one)[0]!) && !joins.test(one))).toEqual([]);
  });

  it('stands for at most three characters each, and so does what it joins', () => {
    const tail = (character: string) => {
      const parts = apart(character);
      return joins.test(character) ? parts.length : parts.length - parts.findLastIndex((one) => !mayJoin(one));
    };
    expect(CHARACTERS.filter((one) => tail(one) > (joins.test(one) ? 3 : 4))).toEqual([]);
  });
});
