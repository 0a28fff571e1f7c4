import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { judgeTexts } from './rated-matches.ts';

const { x } = languages({ local: true });
const post = (text: string) => ({ data: { id: '1', text } });
const trialOf = (values: readonly string[], checkpoint = () => {}) => ({
  platform: 'x' as const,
  queries: values.map((value) => x.queryOf(value)!),
  now: 0,
  checkpoint,
});

describe('texts on trial', () => {
  it('are numbered in their order, for each event, and what is no event has no answer', () => {
    const judged = judgeTexts(trialOf(['storm', 'rain', 'storm OR rain']), [
      post('a storm'),
      { data: {} },
      post('rain and storm'),
      post('calm'),
    ]);
    expect(judged.map((numbers) => numbers?.toSorted())).toEqual([[0, 2], undefined, [0, 1, 2], []]);
  });

  it('end when nobody wants them any more', () => {
    let left = 2;
    const checkpoint = () => {
      if (--left === 0) throw new Error('The caller is gone.');
    };
    expect(() => judgeTexts(trialOf(['storm'], checkpoint), [post('a storm'), post('rain')])).toThrow(
      'The caller is gone.',
    );
  });
});
