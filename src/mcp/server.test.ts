import { expect, it } from 'vitest';
import { openService } from '../../test/stages/service.ts';
import { callTool } from './server.ts';
import { toolNamed } from './tools.ts';

const CALLS = 20;

it('answers many calls of one request in as many turns of the event loop', async () => {
  await using test = await openService();
  const caller = await test.caller('alice');
  const never = new AbortController().signal;
  let [turn, left] = [0, CALLS];
  const count = (): void => {
    turn++;
    if (left > 0) setImmediate(count);
  };
  setImmediate(count);
  const answered = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const { isError } = await callTool(test.service.context, toolNamed('status'), caller, {}, never);
      left--;
      return { turn, isError };
    }),
  );
  expect(answered.filter(({ isError }) => isError)).toEqual([]);
  expect(new Set(answered.map((one) => one.turn)).size).toBe(CALLS);
});
