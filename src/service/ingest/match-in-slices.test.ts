import { describe, expect, it } from 'vitest';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { createEngine } from '../../engine/index/engine.ts';
import { MANY_WORDS, newPatternBudget } from '../../engine/index/pattern-budget.ts';
import { languages } from '../../rules/languages.ts';
import { matchInSlices, matchSoon } from './match-in-slices.ts';

const { x, firehose } = languages({ local: true });

function engineWith(...values: string[]) {
  const engine = createEngine({ now: () => 0 });
  for (const value of values) engine.put(value, x.parse(value).query!);
  return engine;
}
const viewOf = (text: string) => newAnalyzer('x')({ data: { id: '1', text } }) as EventView;

describe('an event', () => {
  it('of a usual length is answered without a promise', () => {
    const engine = engineWith('storm', 'rain');
    expect(matchSoon(engine, viewOf('a storm'), newPatternBudget())).toMatchObject({ matches: ['storm'] });
    const long = viewOf(`storm ${'calm '.repeat(MANY_WORDS / 4)}`);
    expect(matchSoon(engine, long, newPatternBudget())).not.toBeInstanceOf(Promise);
  });

  it('of very many words is matched in slices, with the same report', async () => {
    const engine = engineWith('storm', '"calm storm"', 'rain');
    const long = viewOf(`${'calm '.repeat(MANY_WORDS)}storm`);
    const matching = matchSoon(engine, long, newPatternBudget());
    expect(matching).toBeInstanceOf(Promise);
    const soon = await matching;
    expect(soon.matches.toSorted()).toEqual(['"calm storm"', 'storm']);
    expect((await matchInSlices(engine, long)).matches.toSorted()).toEqual(soon.matches.toSorted());
  });

  it('of a usual length is answered with a promise when the patterns of the ones before took many steps', async () => {
    const engine = createEngine({ now: () => 0 });
    for (let at = 0; at < 17; at++) engine.put(`${at}`, { kind: 'fuzzy', field: 'text', term: `storm${at}`, edits: 1 });
    const view = viewOf(Array.from({ length: 100 }, (_, at) => `calm${at}`).join(' '));
    const answers = Array.from({ length: 20 }, () => matchSoon(engine, view, newPatternBudget()));
    // Each takes a little more than 10,000 steps, and 20,000 are taken at once.
    expect(answers.filter((one) => one instanceof Promise)).toHaveLength(10);
    for (const answer of answers) expect(await answer).toEqual({ matches: [], evaluated: 17, failures: [] });
    const usual = engineWith('storm');
    for (let times = 0; times < 50; times++)
      expect(matchSoon(usual, view, newPatternBudget())).not.toBeInstanceOf(Promise);
  });

  it('of one very long word is matched in slices, too', async () => {
    const engine = engineWith('storm');
    const word = `${'storm'.repeat(30_000)}a`;
    engine.put('pattern', { kind: 'wildcard', field: 'text', pattern: '*orma' });
    const usual = matchSoon(engine, viewOf(word.slice(-100_000)), newPatternBudget());
    const long = matchSoon(engine, viewOf(word), newPatternBudget());
    expect([usual, long].map((one) => one instanceof Promise)).toEqual([false, true]);
    expect([(await usual).matches, (await long).matches]).toEqual([['pattern'], ['pattern']]);
  });

  it('on which patterns take many steps is matched to its end, each rule once', async () => {
    const engine = createEngine({ now: () => 0 });
    const patterns = Array.from({ length: 20 }, (_, at) => `title:/(lava)+${String.fromCharCode(97 + at)}?/`);
    for (const value of [...patterns, 'title:calm']) engine.put(value, firehose.parse(value).query!);
    const title = `calm ${Array.from({ length: 200 }, (_, at) => `lava${'lava'.repeat(at % 5)}`).join(' ')}`;
    const view = newAnalyzer('firehose')({ id: '1', title }) as EventView;
    const { matches } = engine.match(view, newPatternBudget(Number.MAX_SAFE_INTEGER));
    expect(matches).toHaveLength(21);
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    const report = await matchSoon(engine, view, newPatternBudget(1));
    expect([report.matches.toSorted(), hasRun]).toEqual([matches.toSorted(), true]);
    // What was left open is looked at again, and that is work.
    expect(report.evaluated).toBeGreaterThanOrEqual(matches.length);
  });
});
