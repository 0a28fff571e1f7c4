/** Combining marks of every class, as Node's own Unicode has them, and texts made of them: short, long, mixed, in and out of order. */
import fc from 'fast-check';
import { pick, type Random } from '../../bench/random.ts';

const PLANES = 2;

/** Every mark of the first two planes; the later ones have none that is put into order. */
export const MARKS: readonly string[] = Array.from({ length: PLANES * 0x10000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{M}/u.test(character));

/** Whether normal form makes the two change places. */
const changes = (one: string, other: string): boolean => `${one}${other}`.normalize('NFD') !== one + other;

/** Marks that are put into order: each changes places with one of the lowest class behind it or of the highest before it. */
export const NON_STARTERS: readonly string[] = MARKS.filter(
  (mark) => mark.normalize('NFD') === mark && (changes(mark, '\u0334') || changes('\u0345', mark)),
);

/** One of each class, in the order of normal form. */
export const OF_EACH_CLASS: readonly string[] = ofEachClass();

function ofEachClass(): string[] {
  const classes: string[] = [];
  for (const mark of NON_STARTERS) {
    const after = classes.findIndex((one) => !changes(mark, one));
    const place = after === -1 ? classes.length : after;
    if (after === -1 || changes(classes[after]!, mark)) classes.splice(place, 0, mark);
  }
  return classes;
}

/** The forms of Unicode's own test of normal forms: a mark among marks of several classes, between two letters. */
export const normalForms = (mark: string): string[] => [
  `a\u0315\u0300\u05ae${mark}b`,
  `a${mark}\u0315\u0300\u05aeb`,
  `${mark}\u0334\u0345`,
];

/** What takes more than linear time where runs are not cut: marks by turns, marks that stand for two, vowels that join each other. */
export const HARD_MARKS: readonly string[] = [
  '\u0301\u0323',
  '\u0323\u0301',
  '\u0f73',
  '\u0344\u0334',
  '\u{1611e}',
  '\u{113c2}',
  '\u{16d67}',
  '\u{1611e}\u{1611e}\u1161',
  OF_EACH_CLASS.join(''),
  OF_EACH_CLASS.toReversed().join(''),
  OF_EACH_CLASS.flatMap(normalForms).join(''),
];

const BASES = ['', 'a', 'é', 'ᾂ', '火', '한', '\u1100', '\u1100\u1161', '\u1b05', '\u{16d63}', '🌋', 'ß', '1'];
const JOINED = ['\u1161', '\u11a8', '\u{16d67}', '\u{1611e}', '\u09be', '\u034f', '\u0344', '\u0f73', '\ufe0f'];

const anyMark = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('\u0301', '\u0323', '\u0316') },
  { weight: 3, arbitrary: fc.constantFrom(...OF_EACH_CLASS) },
  { weight: 2, arbitrary: fc.constantFrom(...JOINED) },
  { weight: 1, arbitrary: fc.constantFrom(...MARKS) },
);

/** Letters with few marks or many behind each. */
export const anyMarked = (longest: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...BASES), fc.array(anyMark, { maxLength: longest, size: 'max' })), {
      maxLength: 4,
    })
    .map((parts) => parts.map(([base, marks]) => base + marks.join('')).join(''));

/** A run of marks of a length, for requests that are made from a seed. */
export const markedText = (random: Random, length: number): string => {
  if (random() < 0.5) return `b${pick(random, HARD_MARKS).repeat(length).slice(0, length)}`.toWellFormed();
  const one = random() < 0.5 ? () => pick(random, MARKS) : () => pick(random, normalForms(pick(random, MARKS)));
  return `b${Array.from({ length }, one).join('').slice(0, length)}`.toWellFormed();
};
