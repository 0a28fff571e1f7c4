import { describe, expect, it } from 'vitest';
import { createWriteLane, MOST_PASSED } from './writer.ts';

/** Writes that end when they are told to, and turns likewise. */
function stage() {
  const asked: string[] = [];
  const turns: (() => void)[] = [];
  const lane = createWriteLane(() => new Promise<void>((resolve) => void turns.push(resolve)));
  const settle = async (): Promise<void> => {
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
  };
  return {
    asked,
    settle,
    write(name: string) {
      const { promise, resolve } = Promise.withResolvers<void>();
      void lane.run(name, () => {
        asked.push(name);
        return promise;
      });
      return resolve;
    },
    async turn() {
      turns.shift()!();
      await settle();
    },
  };
}

describe('the lane of the writer', () => {
  it('asks for everything at once while no rule is being written', () => {
    const { write, asked } = stage();
    write('commit');
    write('recordAttempt');
    write('commit');
    expect(asked).toEqual(['commit', 'recordAttempt', 'commit']);
  });

  it('lets a commit wait until a rule is written and its caller has asked for the next write', async () => {
    const { write, asked, settle, turn } = stage();
    const added = write('addRule');
    write('commit');
    write('recordAttempt');
    expect(asked).toEqual(['addRule', 'recordAttempt']);
    added();
    await settle();
    const activated = write('setRuleStatus');
    await turn();
    expect(asked).toEqual(['addRule', 'recordAttempt', 'setRuleStatus']);
    activated();
    await settle();
    await turn();
    expect(asked.at(-1)).toBe('commit');
  });

  it('lets a commit go after few rules, however many follow', async () => {
    const { write, asked, settle } = stage();
    let end = write('addRule');
    write('commit');
    for (let count = 1; count < MOST_PASSED; count++) {
      const next = write('addRule');
      end();
      await settle();
      end = next;
    }
    expect(asked).not.toContain('commit');
    write('addRule');
    end();
    await settle();
    expect(asked).toContain('commit');
  });

  it('goes on after a write that failed', async () => {
    const lane = createWriteLane(async () => {});
    const failed = lane.run('addRule', () => Promise.reject(new Error('full')));
    const stored = lane.run('commit', async () => 'stored');
    await expect(failed).rejects.toThrow('full');
    expect(await stored).toBe('stored');
  });
});
