import { describe, expect, it } from 'vitest';
import { createAnswers } from './answers.ts';

function setUp(maxBytes?: number) {
  const store = { version: 'a', made: 0 };
  const answers = createAnswers(async () => store.version, maxBytes);
  const ask = async (name: string) => (await answers.of(name, async () => `${name}${++store.made}`)).toString();
  return { store, answers, ask };
}

describe('kept answers', () => {
  it('are made once while nothing changes, each under its name', async () => {
    const { ask } = setUp();
    expect([await ask('x'), await ask('x'), await ask('y'), await ask('x')]).toEqual(['x1', 'x1', 'y2', 'x1']);
  });

  it('are made anew after a change, also one that came while they were made', async () => {
    const { store, answers, ask } = setUp();
    await ask('x');
    store.version = 'b';
    expect(await ask('x')).toBe('x2');
    await answers.of('z', async () => {
      store.version = 'c';
      return 'seen during the change';
    });
    expect(await ask('z')).toBe('z3');
  });

  it('take no more room than they may, and a failure is not kept', async () => {
    const { answers, ask } = setUp(5);
    expect([await ask('xx'), await ask('yy'), await ask('xx'), await ask('yy')]).toEqual(['xx1', 'yy2', 'xx1', 'yy3']);
    await expect(answers.of('f', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await ask('f')).toBe('f4');
  });
});
