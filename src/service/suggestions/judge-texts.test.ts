import { describe, expect, it } from 'vitest';
import { languages } from '../../rules/languages.ts';
import { judgeTexts } from './judge-texts.ts';

const { x } = languages({ local: true });
const post = (text: string) => ({ data: { id: '1', text } });
const trialOf = (values: readonly string[], signal = new AbortController().signal) => ({
  platform: 'x' as const,
  queries: values.map((value) => x.parse(value).query!),
  now: 0,
  signal,
});

/** Whether anything else had a turn while this ran. */
async function lets(work: () => Promise<unknown>): Promise<boolean> {
  let hasRun = false;
  setImmediate(() => (hasRun = true));
  await work();
  return hasRun;
}

describe('texts on trial', () => {
  it('are numbered in their order, for each event, and what is no event has no answer', async () => {
    const judged = await judgeTexts(trialOf(['storm', 'rain', 'storm OR rain']), [
      post('a storm'),
      { data: {} },
      post('rain and storm'),
      post('calm'),
    ]);
    expect(judged.map((numbers) => numbers?.toSorted())).toEqual([[0, 2], undefined, [0, 1, 2], []]);
  });

  it('end with the request', async () => {
    const ending = new AbortController();
    ending.abort(new Error('The caller is gone.'));
    await expect(judgeTexts(trialOf(['storm'], ending.signal), [post('a storm')])).rejects.toThrow(
      'The caller is gone.',
    );
  });

  it('let everything else run after eight thousand words', async () => {
    const posts = (count: number) => Array.from({ length: count }, () => post('calm '.repeat(1_000)));
    expect(await lets(() => judgeTexts(trialOf(['storm']), posts(7)))).toBe(false);
    expect(await lets(() => judgeTexts(trialOf(['storm']), posts(8)))).toBe(true);
  });
});
