import { describe, expect, it } from 'vitest';
import { pick, type Random, randomFrom } from '../../../bench/random.ts';
import type { Query } from '../../rules/query.ts';
import { createCoreEngine } from '../core/core-engine.ts';
import { newMatchBudget } from '../core/match-budget.ts';
import { newAnalyzer } from '../events/analyzer.ts';
import { type EventView, isRejection } from '../events/event-view.ts';
import { holdsInParts } from './holds.ts';
import { ViewLookup } from './view-lookup.ts';

const SEED = 20_261_117;

function pageOf(words: readonly string[]): EventView {
  const view = newAnalyzer('firehose')({ id: '7', added: words.join(' ') });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const phraseOf = (terms: readonly (string | null)[], slop: number): Query => ({
  kind: 'phrase',
  field: 'added',
  terms,
  slop,
});

/** The core finds every phrase at once, where it has no limit. */
function coreFinds(query: Query, view: EventView): boolean {
  const core = createCoreEngine({ now: () => 0 });
  core.put('one', query);
  return core.match(view).matches.length > 0;
}

/** Whether the rule matches, with what each part of the work took. */
function matchInParts(query: Query, view: EventView): { isMatch: boolean; parts: number[] } {
  const lookup = new ViewLookup(view, 0);
  for (const _ of lookup.readWords());
  const parts: number[] = [];
  const work = holdsInParts(query, lookup);
  for (;;) {
    const step = work.next();
    if (step.done === true) return { isMatch: step.value, parts };
    parts.push(step.value);
  }
}

/** Words of a text with some of them changed or left out, so that they are nearly a phrase of it. */
function nearlyIn(random: Random, text: readonly string[], words: readonly string[], length: number) {
  const from = Math.floor(random() * (text.length - length));
  const changes = random() < 0.5 ? 0 : 0.03;
  return text.slice(from, from + length).map((word, at) => {
    if (at > 0 && at < length - 1 && random() < 0.1) return null;
    return random() < changes ? pick(random, words) : word;
  });
}

describe('a phrase whose search may take long', () => {
  it.each([
    ['few words', 3],
    ['more words than are marked in bits', 40],
  ])('is found in parts where the core finds it, made of %s', (_, distinct) => {
    const random = randomFrom(SEED + distinct);
    const words = Array.from({ length: distinct }, (__, index) => `w${index}`);
    const found = { true: 0, false: 0 };
    for (let run = 0; run < 150; run++) {
      const text = Array.from({ length: 3_000 }, () => words[Math.floor(random() ** 3 * distinct)]!);
      const query = phraseOf(nearlyIn(random, text, words, 60), pick(random, [0, 0, 1, 4]));
      const view = pageOf(text);
      const isMatch = coreFinds(query, view);
      expect({ run, ...matchInParts(query, view) }).toMatchObject({ run, isMatch });
      found[`${isMatch}`]++;
    }
    expect(Math.min(found.true, found.false)).toBeGreaterThan(10);
  });

  const holed = (length: number, every: number) =>
    Array.from({ length }, (_, at) => (at % every === every - 1 ? 'c' : 'b'));
  const withGap = phraseOf([...Array.from({ length: 500 }, () => 'b'), null, 'b'], 0);
  const withLeeway = phraseOf(
    Array.from({ length: 500 }, () => 'b'),
    3,
  );

  it.each([
    ['a gap', withGap, 450],
    ['leeway', withLeeway, 90],
  ])('with %s is decided in small parts', (_, query, every) => {
    const { isMatch, parts } = matchInParts(query, pageOf(holed(20_000, every)));
    expect(isMatch).toBe(false);
    expect(parts.length).toBeGreaterThan(5);
    expect(Math.max(...parts)).toBeLessThan(5_000);
  });

  it.each([
    ['a gap', withGap, 450],
    ['leeway', withLeeway, 90],
  ])('with %s is left by the core', (_, query, every) => {
    const core = createCoreEngine({ platform: 'firehose', now: () => 0 });
    core.put('one', query);
    const budget = newMatchBudget();
    expect(core.match(pageOf(holed(20_000, every)), budget).matches).toEqual([]);
    expect(budget.late).toEqual(['one']);
  });
});
