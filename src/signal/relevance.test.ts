import { describe, expect, it } from 'vitest';
import { readTraces, tracesOf, writeTraces } from './features.ts';
import { intentWords, NO_USUAL_WORDS } from './prior.ts';
import { relevanceModel } from './relevance.ts';

const nothing = { usual: NO_USUAL_WORDS, intent: new Map<number, number>() };
const news = 'Northline: outage in 3 regions, 40,000 customers offline since 9:15 https://status.example/1';
const chatter = "lol i'm so bored, love my cat :)";

describe('relevance', () => {
  it('scores a report above chatter before anything is rated', () => {
    const model = relevanceModel([], nothing);
    expect(model.score(tracesOf(news))).toBeGreaterThan(model.score(tracesOf(chatter)));
  });

  it('learns from ratings which words count, and names them', () => {
    const rated = Array.from({ length: 20 }, (_, index) => ({
      traces: tracesOf(
        index % 2 === 0 ? `Northline hiring ${index} engineers in the north` : `Northline outage in region ${index}`,
      ),
      relevant: index % 2 === 1,
    }));
    const model = relevanceModel(rated, nothing);
    const job = 'Northline hiring 7 engineers in the south';
    expect(model.score(tracesOf(job))).toBeLessThan(model.score(tracesOf('Northline outage in region south')));
    expect(model.words(job).map(({ word }) => word)).toContain('hiring');
  });

  it('scores a text with words of the intent above the same text without them', () => {
    const model = relevanceModel([], { ...nothing, intent: intentWords('outages of Northline', NO_USUAL_WORDS) });
    const [about, not] = ['Northline has outages in 3 regions', 'Southline has parties in 3 regions'];
    expect(model.score(tracesOf(about))).toBeGreaterThan(model.score(tracesOf(not)));
    const without = relevanceModel([], nothing);
    expect(without.score(tracesOf(about))).toBe(without.score(tracesOf(not)));
  });

  it('moves towards the share that was rated relevant', () => {
    const rated = (relevant: boolean) => Array.from({ length: 30 }, () => ({ traces: tracesOf(news), relevant }));
    expect(relevanceModel(rated(true), nothing).score(tracesOf(news))).toBeGreaterThan(0.8);
    expect(relevanceModel(rated(false), nothing).score(tracesOf(news))).toBeLessThan(0.2);
  });

  it('says what it rests on and why, in words of its own', () => {
    const text = 'Northline outage in region south https://status.example/1';
    const intent = { ...nothing, intent: intentWords('outages of Northline', NO_USUAL_WORDS) };
    expect(relevanceModel([], intent).judge(tracesOf(text))).toMatchObject({
      basis: 'a first guess',
      reason: expect.stringMatching(/^for it: [a-z ]+, [a-z ]+; against it: [a-z ]+$/),
    });
    const rated = (count: number) => Array.from({ length: count }, () => ({ traces: tracesOf(text), relevant: true }));
    expect(relevanceModel(rated(1), nothing).judge(tracesOf(text)).basis).toBe('by 1 rating');
    const many = relevanceModel([...rated(10), { traces: tracesOf(chatter), relevant: false }], nothing);
    expect(many.judge(tracesOf(text))).toMatchObject({
      basis: 'by 11 ratings',
      reason: expect.stringContaining('like 10 rated relevant'),
    });
    expect(many.judge(tracesOf(text)).score).toBe(many.score(tracesOf(text)));
    expect(many.judge(tracesOf(chatter)).reason).toContain('against it: ');
    const noise = Array.from({ length: 12 }, () => ({ traces: tracesOf(chatter), relevant: false }));
    const mostly = relevanceModel([...rated(3), ...noise], nothing);
    expect(mostly.judge(tracesOf(chatter)).reason).toContain('like 12 rated not relevant');
    expect(mostly.judge(tracesOf(text)).reason).toContain('like 3 rated relevant');
  });

  it('is less sure of a word after few ratings than after many', () => {
    const [good, bad] = ['zebra one two three', 'yak one two three'];
    const score = (count: number) => {
      const both = [true, false].map((relevant) => ({ traces: tracesOf(relevant ? good : bad), relevant }));
      return relevanceModel(
        Array.from({ length: count }, (_, at) => both[at % 2]!),
        nothing,
      ).score(tracesOf(good));
    };
    expect([2, 10, 40].map(score)).toEqual([2, 10, 40].map(score).toSorted((one, other) => one - other));
    expect(score(10)).toBeLessThan(0.85);
  });

  it.each([
    ['Arabic', 'زلزال قوي يضرب المدينة', 'zilzal qawi yadrib almadina'],
    ['Hindi', 'शहर में तेज भूकंप आया', 'shahar men tej bhukamp aya'],
    ['Japanese', '東京で大きな地震が発生', 'tokyo de ookina jishin ga hassei'],
    ['Thai', 'เกิดแผ่นดินไหวใหญ่ที่เชียงใหม่', 'koet phaendinwai yai thi chiangmai'],
    ['Russian', 'Сильное землетрясение в городе Самара', 'Silnoe zemletryasenie v gorode Samara'],
  ])('does not score %s below the same text in Latin letters', (_, text, latin) => {
    const model = relevanceModel([], nothing);
    expect(model.score(tracesOf(text))).toBeGreaterThanOrEqual(model.score(tracesOf(latin)));
  });

  it('keeps what cannot be told as unknown when it is stored', () => {
    const traces = tracesOf('東京で大きな地震が発生');
    const model = relevanceModel([], nothing);
    expect(model.score(readTraces(writeTraces(traces))!)).toBeCloseTo(model.score(traces), 2);
  });

  it('is a number between 0 and 1 for any text', () => {
    const model = relevanceModel([{ traces: tracesOf(''), relevant: true }], nothing);
    for (const text of ['', ' ', '\ud800', '🙂', '#', 'a'.repeat(100_000)]) {
      const score = model.score(tracesOf(text));
      expect(score >= 0 && score <= 1, JSON.stringify(text.slice(0, 9))).toBe(true);
    }
  });
});
