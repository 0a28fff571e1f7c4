import { describe, expect, it } from 'vitest';
import { createToldMatches } from './told-matches.ts';

const span = (before: number, latest: number) => ({ spans: [{ before, latest }] });

describe('what readers were told', () => {
  it('is complete when notices join each other, in whatever order they come', () => {
    const told = createToldMatches(10);
    for (const news of [span(20, 30), span(30, 45), span(10, 20)]) told.heard(news);
    expect([told.isBehind(45), told.isBehind(45), told.isBehind(45)]).toEqual([false, false, false]);
  });

  it('is behind when a notice has not come until the look after next, once', () => {
    const told = createToldMatches(10);
    expect(told.isBehind(20)).toBe(false);
    expect(told.isBehind(20)).toBe(true);
    expect(told.isBehind(20)).toBe(false);
  });

  it('is not behind when the notice comes late', () => {
    const told = createToldMatches(10);
    expect(told.isBehind(20)).toBe(false);
    told.heard(span(10, 20));
    expect(told.isBehind(20)).toBe(false);
  });

  it('is behind when a notice is missing between two that came', () => {
    const told = createToldMatches(10);
    told.heard(span(10, 20));
    told.heard(span(30, 40));
    expect([told.isBehind(40), told.isBehind(50), told.isBehind(50)]).toEqual([false, true, true]);
    told.heard(span(50, 60));
    expect([told.isBehind(60), told.isBehind(60)]).toEqual([false, false]);
  });
});
