import { expect, it } from 'vitest';
import { openService } from '../../test/stages/service.ts';
import { turnsDuring } from '../../test/stages/turns.ts';
import { callTool } from './server.ts';
import { toolNamed } from './tools.ts';

const CALLS = 20;

it('answers many calls of one request over as many turns of the event loop', async () => {
  await using test = await openService();
  const caller = await test.caller('alice');
  const never = new AbortController().signal;
  const calls = Array.from({ length: CALLS }, () =>
    callTool(test.service.context, toolNamed('status'), caller, {}, never),
  );
  const answers = Promise.all(calls);
  expect(await turnsDuring(answers)).toBeGreaterThanOrEqual(CALLS);
  expect((await answers).filter(({ isError }) => isError)).toEqual([]);
});
