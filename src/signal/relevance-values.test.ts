/** Users keep what is above a relevance: the same text and the same ratings give the same number from one release to the next. */
import { describe, expect, it } from 'vitest';
import { readText, tracesOf, wordDigest } from './features.ts';
import { intentWords, NO_USUAL_WORDS, usualWordsOf } from './prior.ts';
import { fitLogistic, type RatedTraces, type RelevanceModel, relevanceModel } from './relevance.ts';

const TEXTS = [
  'Northline: outage in 3 regions, 40,000 customers offline since 9:15 https://status.example/1',
  "lol i'm so bored, love my cat :)",
  'RT @northline: we are SORRY!! Is it back for you? #outage #north http://a.example/x https://b.example/y',
  'Storm',
  'Сильное землетрясение в городе Самара',
  '東京で大きな地震が発生 Tokyo',
];

/** A collection of matches, in which most words come again. */
const usual = usualWordsOf(
  Array.from({ length: 30 }, (_, at) =>
    tracesOf(
      `Northline outage in region ${at % 7}: crews on the way ${at % 3 === 0 ? 'https://status.example/1' : 'now'}`,
    ),
  ),
);
const rule = { usual, intent: intentWords('outage of Northline', usual) };
const plain = { usual: NO_USUAL_WORDS, intent: new Map<number, number>() };

const rated: RatedTraces[] = TEXTS.slice(0, 4).flatMap((text, at) =>
  Array.from({ length: 4 }, (_, number) => ({ traces: tracesOf(`${text} ${number}`), relevant: at % 2 === 0 })),
);

const scores = (model: RelevanceModel): string[] => TEXTS.map((text) => model.score(tracesOf(text)).toFixed(4));
const reasons = (model: RelevanceModel): string[] => TEXTS.map((text) => model.judge(tracesOf(text)).reason);

/** In thousandths. */
describe('how a text is written', () => {
  const UNUSED = {
    links: 0,
    hashtags: 0,
    mentions: 0,
    repost: 0,
    numbers: 0,
    personalWords: 0,
    personalShare: 0,
    exclamations: 0,
    questions: 0,
    names: 0,
    capitals: 0,
    emoticon: 0,
    colon: 0,
  };
  const unknown = NaN;
  it.each([
    [0, { links: 1_000, numbers: 1_792, names: 693, logSize: 2_485, size: 600, colon: 1_000 }],
    [1, { personalWords: 1_792, personalShare: 714, emoticon: 1_000, logSize: 1_946, size: 350, colon: 1_000 }],
    [
      2,
      {
        links: 2_000,
        hashtags: 1_099,
        mentions: 693,
        repost: 1_000,
        personalWords: 1_099,
        personalShare: 167,
        exclamations: 1_099,
        questions: 693,
        names: 693,
        capitals: 693,
        logSize: 2_485,
        size: 600,
        colon: 1_000,
      },
    ],
    [3, { names: 693, logSize: 0, size: 50 }],
    [4, { names: 1_099, logSize: 1_609, size: 250 }],
    [
      5,
      {
        personalWords: unknown,
        personalShare: unknown,
        names: unknown,
        capitals: unknown,
        logSize: unknown,
        size: unknown,
      },
    ],
  ])('is told by its traits: text %i', (at, traits) => {
    const { traits: found } = readText(TEXTS[at]!);
    const rounded = Object.entries(found).map(([name, value]) => [name, Math.round(value * 1_000)]);
    expect(Object.fromEntries(rounded)).toEqual({ ...UNUSED, ...traits });
  });
});

describe('the digest of a word', () => {
  it('is the same as the one in ratings that are kept', () => {
    expect(['storm', 'fire', ''].map(wordDigest)).toEqual([3_219_632_022, 2_393_577_177, 2_166_136_261]);
  });
});

describe('the relevance of a text', () => {
  it('is this before anything is known', () => {
    const model = relevanceModel([], plain);
    expect(scores(model)).toEqual(['0.9236', '0.0430', '0.1999', '0.3441', '0.3736', '0.4501']);
    expect(reasons(model)).toEqual([
      'for it: with figures, written like a report; against it: with few names',
      'against it: written like chat',
      'for it: with a link, with words in capitals; against it: written like chat',
      'for it: written like a report; against it: short',
      'for it: written like a report; against it: short',
      'against it: without a link',
    ]);
  });

  it('is this once the matches of the rule and its intent are known', () => {
    const model = relevanceModel([], rule);
    expect(scores(model)).toEqual(['0.8706', '0.0187', '0.0958', '0.1820', '0.2018', '0.2576']);
    expect(reasons(model)[3]).toBe('for it: written like a report; against it: unlike most matches of this rule');
    expect(model.score(tracesOf('Northline outage in region 3 now')).toFixed(4)).toBe('0.4039');
  });

  it('is this after one rating, and after sixteen', () => {
    const one = relevanceModel(rated.slice(0, 1), rule);
    expect(scores(one)).toEqual(['0.8963', '0.0195', '0.0966', '0.1895', '0.2095', '0.2642']);
    const model = relevanceModel(rated, rule);
    expect(scores(model)).toEqual(['0.9905', '0.0029', '0.9319', '0.0537', '0.1008', '0.1963']);
    expect(reasons(model)).toEqual([
      'for it: like 4 rated relevant, with figures; against it: unlike most matches of this rule',
      'against it: like 4 rated not relevant',
      'for it: like 4 rated relevant, with a link; against it: written like chat',
      'for it: written like a report; against it: short',
      'for it: written like a report; against it: short',
      'against it: without a link',
    ]);
    expect([one.size, model.size]).toEqual([13, 35]);
    const words = [one, model].map((each) =>
      each.words(TEXTS[0]!).map(({ word, weight }) => [word, weight.toFixed(4)]),
    );
    expect(words[0]!.slice(0, 2)).toEqual([
      ['northline', '0.5596'],
      ['outage', '0.5596'],
    ]);
    expect(words[1]).toEqual(['northline', 'outage', 'in', 'regions', '40'].map((word) => [word, '1.6094']));
  });

  it('goes by the newest two hundred ratings', () => {
    const newest = Array.from({ length: 200 }, (_, at) => rated[at % 16]!);
    const more = Array.from({ length: 50 }, () => ({ traces: tracesOf(''), relevant: true }));
    const score = (ratings: readonly RatedTraces[]) => relevanceModel(ratings, plain).score(tracesOf(''));
    expect(score([...newest, ...more])).toBe(score(newest));
    expect(score([...newest.slice(1), ...more])).not.toBe(score(newest));
  });
});

describe('the words of a rule', () => {
  it('say most of a text where neither all nor few matches have them', () => {
    const weights = ['northline', 'now', 'region', '0', '3'].map((word) => usual.weights.get(tracesOf(word).words[0]!));
    expect(weights.map((weight) => weight?.toFixed(4))).toEqual(['0.0000', '0.2596', '0.0000', '0.2737', '0.2433']);
    expect(usualWordsOf([tracesOf('storm'), tracesOf('storm'), tracesOf('rain')]).weights.size).toBe(0);
  });

  it('make the intent, the rare ones most, and each as much as long as little is known', () => {
    const shares = (known: typeof usual) =>
      [...intentWords('outages of Northline in the north', known).values()].map((share) => share.toFixed(4));
    expect(shares(usual)).toEqual(['0.4977', '0.0046', '0.4977']);
    expect(shares(NO_USUAL_WORDS)).toEqual(['0.3333', '0.3333', '0.3333']);
    expect(intentWords('', usual).size).toBe(0);
  });
});

describe('fitted weights', () => {
  const samples = Array.from({ length: 40 }, (_, at) => ({
    row: [Math.sin(at), Math.cos(3 * at), 1],
    holds: Math.sin(at) + 0.5 * Math.cos(7 * at) > 0.2,
  }));
  const known = [0.3, -0.2, 0.1];
  const inertia = [2, 3, 1];

  it('are those from which no change fits the ratings better', () => {
    const weights = fitLogistic(samples, known, inertia);
    const slope = weights.map((weight, at) => {
      const errors = samples.map(({ row, holds }) => {
        const sum = row.reduce((all, value, index) => all + value * weights[index]!, 0);
        return (1 / (1 + Math.exp(-sum)) - (holds ? 1 : 0)) * row[at]!;
      });
      return errors.reduce((all, error) => all + error, inertia[at]! * (weight - known[at]!));
    });
    for (const each of slope) expect(Math.abs(each)).toBeLessThan(1e-6);
    expect(weights[0]).toBeGreaterThan(1);
  });

  it('are what is known where nothing was rated', () => {
    expect(fitLogistic([], known, inertia)).toEqual(known);
  });
});
