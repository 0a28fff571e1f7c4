import { describe, expect, it } from 'vitest';
import { relevanceModel } from './relevance.ts';

const nothing = { texts: 0, counts: new Map<string, number>() };
const news = 'Northline: outage in 3 regions, 40,000 customers offline since 9:15 https://status.example/1';
const chatter = "lol i'm so bored, love my cat :)";

describe('relevance', () => {
  it('scores a report above chatter before anything is rated', () => {
    const model = relevanceModel([], nothing);
    expect(model(news).score).toBeGreaterThan(model(chatter).score);
  });

  it('learns from ratings which words count, and names them', () => {
    const rated = Array.from({ length: 20 }, (_, index) => ({
      text:
        index % 2 === 0 ? `Northline hiring ${index} engineers in the north` : `Northline outage in region ${index}`,
      relevant: index % 2 === 1,
    }));
    const model = relevanceModel(rated, nothing);
    const job = model('Northline hiring 7 engineers in the south');
    expect(job.score).toBeLessThan(model('Northline outage in region south').score);
    expect(job.words.map(({ word }) => word)).toContain('hiring');
  });

  it('moves towards the share that was rated relevant', () => {
    const rated = (relevant: boolean) => Array.from({ length: 30 }, () => ({ text: news, relevant }));
    expect(relevanceModel(rated(true), nothing)(news).score).toBeGreaterThan(0.8);
    expect(relevanceModel(rated(false), nothing)(news).score).toBeLessThan(0.2);
  });

  it('is a number between 0 and 1 for any text', () => {
    const model = relevanceModel([{ text: '', relevant: true }], nothing);
    for (const text of ['', ' ', '\ud800', '🙂', '#', 'a'.repeat(100_000)]) {
      const { score } = model(text);
      expect(score >= 0 && score <= 1, JSON.stringify(text.slice(0, 9))).toBe(true);
    }
  });
});
