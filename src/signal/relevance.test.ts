import { describe, expect, it } from 'vitest';
import { tracesOf } from './features.ts';
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

  it('is a number between 0 and 1 for any text', () => {
    const model = relevanceModel([{ traces: tracesOf(''), relevant: true }], nothing);
    for (const text of ['', ' ', '\ud800', '🙂', '#', 'a'.repeat(100_000)]) {
      const score = model.score(tracesOf(text));
      expect(score >= 0 && score <= 1, JSON.stringify(text.slice(0, 9))).toBe(true);
    }
  });
});
