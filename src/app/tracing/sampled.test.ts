import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { sampled } from '../store-gauges.ts';

describe('a figure that costs a question', () => {
  it('is asked for once in ten seconds, by however many readers', async () => {
    const clock = fakeClock();
    let asked = 0;
    const read = sampled(async () => ++asked, clock);
    expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
    await clock.pass(9_999);
    expect(await read()).toBe(1);
    await clock.pass(1);
    expect(await read()).toBe(2);
  });

  it('is not known when the answer fails, or does not come in two seconds; one question is under way at a time', async () => {
    const clock = fakeClock();
    const questions: PromiseWithResolvers<number>[] = [];
    const read = sampled(() => {
      const question = Promise.withResolvers<number>();
      questions.push(question);
      return question.promise;
    }, clock);
    const late = read();
    await clock.pass(2_000);
    expect(await late).toBeUndefined();
    const again = read();
    questions[0]!.reject(new Error('away'));
    expect([await again, questions.length]).toEqual([undefined, 1]);
    const third = read();
    questions[1]!.resolve(7);
    expect(await third).toBe(7);
  });
});
