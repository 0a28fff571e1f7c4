/** Very many phrases of words that stand everywhere in a long event: no turn takes long, and no match is lost. */
import { describe, expect, it } from 'vitest';
import { createCoreEngine } from '../../engine/core/core-engine.ts';
import { newMatchBudget } from '../../engine/core/match-budget.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import type { EventView } from '../../engine/events/event-view.ts';
import { holds as scanHolds } from '../../engine/scan.ts';
import { languages } from '../../rules/languages.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import { matchLate } from './long-events.ts';
import { createPlatformRules } from './platform-rules.ts';

const { x } = languages({ level: 'enterprise', local: true });
const parse = ({ value }: Pick<RuleText, 'value'>) => x.queryOf(value);

/** Phrases of nine words, each of them one of two; and some rules that are more than a phrase. */
const TEXTS = Array.from({ length: 512 }, (_, number) => {
  const words = Array.from({ length: 9 }, (__, bit) => ((number >> bit) & 1 ? 'ash' : 'lava')).join(' ');
  return number % 5 === 0 ? `-"${words}" ash` : number % 7 === 0 ? `"${words}" OR ends` : `"${words}"`;
});
const text = `${'ash lava '.repeat(2_500)} lava lava ash ash lava ash lava ash ash ends`;
const view = newAnalyzer('x')({ data: { id: '1', text } }) as EventView;
const scanned = TEXTS.filter((value) => scanHolds(parse({ value })!, view, 0));

function stage() {
  const newEngine = () => createCoreEngine({ platform: 'x', now: () => 0 });
  const rechecks = { seed: 1, onOutcome: () => {} };
  const rules = createPlatformRules({ newEngine, hasUpstream: false, parse, now: () => 0, rechecks });
  for (const value of TEXTS)
    rules.live.put({ ruleId: value, accountId: 'a', version: 1, text: { value, flags: {} } }, parse({ value })!);
  return rules;
}

describe('phrases that take more steps than one turn has', () => {
  it('are left, and then matched by themselves: the same rules are found as without a limit', async () => {
    const rules = stage();
    expect(scanned.length).toBeGreaterThan(100);
    expect(scanned.length).toBeLessThan(400);
    expect(rules.live.engine.match(view).matches.toSorted()).toEqual(scanned.toSorted());
    const budget = newMatchBudget();
    const { matches } = rules.live.engine.match(view, budget);
    expect(budget.late.length).toBeGreaterThan(100);
    expect(new Set([...matches, ...budget.late]).size).toBe(matches.length + budget.late.length);
    expect(rules.match(view, undefined)).toBeUndefined();
    expect(rules.matchLine(JSON.stringify({ data: { id: '1', text } }), undefined, () => view)).toBe('slow');
    const { found } = await rules.matchInSlices(view, undefined);
    expect(found.map(({ ruleId }) => ruleId).toSorted()).toEqual(scanned.toSorted());
    expect(rules.match(newAnalyzer('x')({ data: { id: '2', text: 'ash' } }) as EventView, undefined)).toMatchObject({
      found: expect.arrayContaining([expect.objectContaining({ ruleId: TEXTS[0] })]),
    });
  });

  it('are those of rules that are still there', async () => {
    const queryOf = (ruleId: string) => (ruleId === TEXTS[1] ? undefined : parse({ value: ruleId }));
    const { matches } = await matchLate(view, TEXTS, queryOf, () => 0);
    expect(matches.toSorted()).toEqual(scanned.filter((value) => value !== TEXTS[1]).toSorted());
  });
});
