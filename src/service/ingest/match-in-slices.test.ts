import { describe, expect, it } from 'vitest';
import { createCoreEngine } from '../../engine/core/core-engine.ts';
import { MANY_WORDS, newMatchBudget } from '../../engine/core/match-budget.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import { matchInSlices } from './long-events.ts';

const { x, firehose } = languages({ local: true });

function engineWith(...values: string[]) {
  const engine = createCoreEngine({ now: () => 0 });
  for (const value of values) engine.put(value, x.queryOf(value)!);
  return engine;
}
const viewOf = (text: string) => newAnalyzer('x')({ data: { id: '1', text } }) as EventView;

describe('an event', () => {
  it('of very many words is matched with the same report as at once', async () => {
    const engine = engineWith('storm', '"calm storm"', 'rain');
    const long = viewOf(`${'calm '.repeat(MANY_WORDS)}storm`);
    const { matches } = await matchInSlices(engine, long, newMatchBudget());
    expect(matches.toSorted()).toEqual(['"calm storm"', 'storm']);
    expect(matches.toSorted()).toEqual(engine.match(long).matches.toSorted());
  });

  it('of one very long word is matched to its end, too', async () => {
    const engine = engineWith('storm');
    engine.put('pattern', { kind: 'wildcard', field: 'text', pattern: '*orma' });
    const long = viewOf(`${'storm'.repeat(30_000)}a`);
    expect((await matchInSlices(engine, long, newMatchBudget())).matches).toEqual(['pattern']);
  });

  it('on which patterns take many steps is matched to its end, each rule once, and others run meanwhile', async () => {
    const engine = createCoreEngine({ now: () => 0 });
    const patterns = Array.from({ length: 20 }, (_, at) => `title:/(lava)+${String.fromCharCode(97 + at)}?/`);
    for (const value of [...patterns, 'title:calm']) engine.put(value, firehose.queryOf(value)!);
    const title = `calm ${Array.from({ length: 200 }, (_, at) => `lava${'lava'.repeat(at % 5)}`).join(' ')}`;
    const view = newAnalyzer('firehose')({ id: '1', title }) as EventView;
    const { matches } = engine.match(view, newMatchBudget(Number.MAX_SAFE_INTEGER));
    expect(matches).toHaveLength(21);
    let hasRun = false;
    setImmediate(() => (hasRun = true));
    const report = await matchInSlices(engine, view, newMatchBudget(1));
    expect([report.matches.toSorted(), hasRun]).toEqual([matches.toSorted(), true]);
    // A rule that was left open is looked at again, and that is work.
    expect(report.evaluated).toBeGreaterThanOrEqual(matches.length);
  });
});
