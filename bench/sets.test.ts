import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '../src/domain/platform.ts';
import { createCoreEngine } from '../src/engine/core/core-engine.ts';
import { isRejection } from '../src/engine/events/event-view.ts';
import { languages } from '../src/rules/languages.ts';
import { analyzerFor, readCorpus } from './corpus.ts';
import { type MatchRate, rulesOf, vocabularyOf } from './rule-sets.ts';

const RULES = 3_000;
const EVENTS = 400;

describe.each(PLATFORMS)('the benchmark sets on %s', (platform) => {
  const analyze = analyzerFor(platform);
  const payloads = readCorpus(platform).payloads.slice(0, 3_000);
  const vocabulary = vocabularyOf(platform, payloads, analyze);
  const language = languages({ level: 'enterprise' })[platform];

  const loaded = (set: 'A' | 'B', rate: MatchRate = 'many') => {
    const engine = createCoreEngine();
    for (const payload of payloads) {
      const view = analyze(payload);
      if (!isRejection(view)) engine.observe(view);
    }
    const texts = rulesOf(set, platform, vocabulary, rate);
    while (engine.size < RULES) {
      const query = language.queryOf(texts.next().value);
      if (query !== undefined) engine.put(`rule_${engine.size}`, query);
    }
    return engine;
  };

  const reportsOf = (engine: ReturnType<typeof loaded>) => {
    const sums = { evaluated: 0, matches: 0 };
    for (const payload of payloads.slice(0, EVENTS)) {
      const view = analyze(payload);
      if (isRejection(view)) continue;
      const report = engine.match(view);
      sums.evaluated += report.evaluated;
      sums.matches += report.matches.length;
    }
    return sums;
  };

  it.each(['A', 'B'] as const)(
    'evaluate at most five rules of set %s per match, and five per event; with few matches, less than half match',
    (set) => {
      const engine = loaded(set);
      const { evaluated, matches } = reportsOf(engine);
      expect(matches).toBeGreaterThan(0);
      expect(evaluated).toBeLessThanOrEqual(5 * matches + 5 * EVENTS);
      expect(engine.stats().slow).toBe(0);
      expect(reportsOf(loaded(set, 'few')).matches * 2).toBeLessThan(matches);
    },
  );
});
