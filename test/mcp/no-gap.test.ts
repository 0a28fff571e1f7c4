/** No match lies between two calls of an agent, with the cursor of the answer before or without one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openService } from '../stages/service.ts';
import { agentOf } from './in-process.ts';

/** Orders of calls and pushes that are tried; `INTERLEAVINGS=1000` tries more. */
const RUNS = Number(process.env['INTERLEAVINGS'] ?? 120);

type Agent = ReturnType<typeof agentOf>;
type Step = 'create' | 'update' | 'push' | 'list' | 'status' | 'wait' | 'waitForRule' | 'lostWait';

interface Listed {
  readonly cursor: string;
  readonly next_cursor?: string;
  readonly matches: readonly { readonly post_id: string }[];
}

const steps = fc.array(
  fc.constantFrom<Step>('create', 'update', 'push', 'push', 'list', 'status', 'wait', 'waitForRule', 'lostWait'),
  { minLength: 4, maxLength: 14 },
);

interface World {
  /** The word that the rule of the agent asks for. */
  readonly word: string;
  /** Brings a post with that word. */
  push(id: string): Promise<unknown>;
}

/** Plays one agent, who follows the cursors or leaves them out. */
async function follow(agent: Agent, { word, push }: World, order: readonly Step[], hasCursor: boolean) {
  const [expected, told] = [new Set<string>(), new Set<string>()];
  let [ruleId, cursor, posts]: [string | undefined, string | undefined, number] = [undefined, undefined, 0];
  const hear = ({ matches, cursor: next }: Listed) => {
    for (const { post_id } of matches) told.add(post_id);
    cursor = next;
  };
  const ask = async (input: object): Promise<Listed> => {
    const given = hasCursor && cursor !== undefined ? { cursor } : {};
    const { value } = await agent('wait_for_matches', { wait_seconds: 0, ...given, ...input });
    return value as unknown as Listed;
  };
  const wait = async (input: object): Promise<Listed> => {
    const answer = await ask(input);
    hear(answer);
    return answer;
  };
  for (const step of [...order, 'wait'] as const) {
    if (step === 'push') {
      const id = String(++posts);
      await push(id);
      if (ruleId !== undefined) expected.add(id);
    } else if (step === 'create' && ruleId === undefined) {
      const rule = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: word } };
      const { value } = await agent('create_rule', rule);
      ruleId = value['rule_id'] as string;
      cursor ??= value['cursor'] as string;
    } else if (step === 'update' && ruleId !== undefined) {
      const { value } = await agent('update_rule', { rule_id: ruleId, intent: `${posts}` });
      cursor ??= value['cursor'] as string;
    } else if (step === 'list') {
      const { value } = await agent('list_matches', { limit: 50, max_tokens: 8_000 });
      const listed = value as unknown as Listed;
      // A list that goes on would say nothing of what is behind its page.
      if (listed.next_cursor === undefined) hear(listed);
    } else if (step === 'status') {
      const { value } = await agent('status');
      cursor ??= value['cursor'] as string;
    } else if (step === 'waitForRule' && ruleId !== undefined) await wait({ rule_id: ruleId });
    else if (step === 'wait') await wait({});
    // It is killed before it has kept the answer.
    else if (step === 'lostWait') await ask(ruleId === undefined ? {} : { rule_id: ruleId });
  }
  return { expected, told, last: await wait({ cursor }) };
}

it.each([true, false])('an agent is told of every match, with cursors: %s', { timeout: 600_000 }, async (hasCursor) => {
  await using test = await openService();
  // Another account has matches between those of the agent.
  const lava = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  await test.call(await test.caller('other'), 'createRule', lava);
  let accounts = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const account = `account ${++accounts}`;
      const word = `basalt${accounts}`;
      const agent = agentOf(test, await test.caller(account));
      const { ingest } = test.service.context;
      const push = (id: string) =>
        ingest.add('x', [{ data: { id: `${accounts}${id.padStart(3, '0')}`, text: `lava ${word}` } }], 'push');
      const { expected, told, last } = await follow(agent, { word, push }, order, hasCursor);
      expect(told.size).toBe(expected.size);
      expect(last.matches).toEqual([]);
    }),
    { numRuns: RUNS },
  );
});

it('gives the matches of an answer again until the caller comes back with its cursor, and says so', async () => {
  await using test = await openService();
  const alice = await test.caller('alice');
  const agent = agentOf(test, alice);
  const rule = { name: 'Lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  const rule_id = (await agent('create_rule', rule)).value['rule_id'] as string;
  const wait = async (input: object = {}) => {
    const { value } = await agent('wait_for_matches', { rule_id, wait_seconds: 0, ...input });
    const { matches, cursor, began } = value as unknown as Listed & { began?: string };
    return { count: matches.length, cursor, began };
  };
  await test.post(alice, 'lava one', 'lava two');
  expect(await wait()).toMatchObject({ count: 2, began: 'last_told' });
  await test.post(alice, 'lava three');
  const { cursor, ...again } = await wait();
  expect(again).toEqual({ count: 3, began: 'told_again' });
  expect(await wait({ cursor })).toMatchObject({ count: 0, began: undefined });
  expect(await wait()).toMatchObject({ count: 0, began: 'last_told' });
});
