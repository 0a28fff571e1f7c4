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

  it('are tried on each event as of its own time', () => {
    const { firehose } = languages({ local: true });
    const queries = [firehose.queryOf('recent:1d')!];
    const page = { id: '1', title: 'a storm', publish_time: '2026-11-15T08:00:00' };
    const [then, later] = ['2026-11-15T09:00:00Z', '2026-11-20T09:00:00Z'].map((time) => Date.parse(time));
    const trial = { ...trialOf([]), platform: 'firehose' as const, queries };
    expect(judgeTexts({ ...trial, now: [then!, later!] }, [page, page])).toEqual([[0], []]);
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
