import { describe, expect, it } from 'vitest';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import { EVERYTHING, type Query } from '../../rules/query.ts';
import { clauseMatcher } from './clause-matcher.ts';

const { x } = languages({ local: true });

function viewOf(text: string): EventView {
  const view = newAnalyzer('x')({ data: { id: '1', text } });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const failing = (rule: string, also: Query, ...texts: string[]) => {
  const failedOf = clauseMatcher({ clauses: x.clauses(rule), also, now: () => 0 });
  return texts.map((text) => failedOf(viewOf(text)));
};

describe('the clause that an event fails', () => {
  it('is told by its number when it is the only one', () => {
    const texts = ['ash over etna today', 'over etna', 'ash etna', 'ash over', 'etna', ''];
    expect(failing('ash over etna', EVERYTHING, ...texts)).toEqual(['none', 0, 1, 2, 'several', 'several']);
    expect(failing('ash', EVERYTHING, 'ash', 'tea')).toEqual(['none', 0]);
  });

  it('is none of them when what must hold beside them does not', () => {
    const german = x.queryOf('heute')!;
    const texts = ['ash over heute', 'ash over', 'ash heute', 'ash'];
    expect(failing('ash over', german, ...texts)).toEqual(['none', 'several', 1, 'several']);
  });

  it('is found among very many clauses', () => {
    const words = Array.from({ length: 130 }, (_, at) => `w${at}`);
    const clauses = words.flatMap((word) => x.clauses(word));
    const failedOf = clauseMatcher({ clauses, also: EVERYTHING, now: () => 0 });
    for (const missing of [0, 63, 64, 129]) {
      expect(failedOf(viewOf(words.filter((_, at) => at !== missing).join(' ')))).toBe(missing);
    }
    expect(failedOf(viewOf(words.join(' ')))).toBe('none');
  });
});
