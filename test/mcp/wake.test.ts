/** An agent that is woken by a contract: what woke it, and what was held, as a digest in few tokens. */
import { expect, it } from 'vitest';
import { WEEKDAYS } from '../../src/domain/wake.ts';
import { openService } from '../stages/service.ts';
import { agentOf, tokensOf } from './in-process.ts';

interface Woken {
  readonly matches: readonly { readonly untrusted_content: { readonly passage: string } }[];
  readonly digest?: {
    readonly matches: number;
    readonly stories: number;
    readonly untrusted_content: { readonly stories: readonly { readonly title: string }[] };
  };
  readonly cursor: string;
  readonly more: boolean;
}

/** Hours in which nothing wakes, today and tomorrow. */
function quietNow(): string {
  const today = new Date().getUTCDay();
  return `00:00-24:00@UTC,${WEEKDAYS[today]},${WEEKDAYS[(today + 1) % 7]}`;
}

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice');
  const agent = agentOf(test, alice);
  await agent('create_rule', { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } });
  const { latest_cursor } = (await agent('list_matches')).value;
  const wait = async (input: object) => {
    const answer = await agent('wait_for_matches', { cursor: latest_cursor, wait_seconds: 0, ...input });
    expect(answer.isError, answer.text).toBe(false);
    return { ...(answer.value as unknown as Woken), text: answer.text };
  };
  return Object.assign(test, { alice, wait });
}

it('has what wakes as matches, and the rest in a digest, each once', async () => {
  await using test = await stage();
  await test.post(test.alice, 'storm over Brindle', 'storm ends in Coldharbour', 'a storm of applause for the choir');
  const { matches, digest, cursor } = await test.wait({ wake: { at_most: '1/day' } });
  expect(matches.map(({ untrusted_content }) => untrusted_content.passage)).toEqual(['«storm» over Brindle']);
  expect(digest).toMatchObject({ matches: 2 });
  // How the two are told apart as stories is not for this test to say.
  const [{ title }] = digest!.untrusted_content.stories as [{ title: string }];
  expect(['a storm of applause for the choir', 'storm ends in Coldharbour']).toContain(title);
  const next = await test.wait({ wake: { at_most: '1/day' }, cursor });
  expect(next.matches).toEqual([]);
  expect(next.digest).toBeUndefined();
});

it.each([300, 600])('keeps to %i tokens, whatever is held, and leaves nothing out on the way', async (max_tokens) => {
  await using test = await stage();
  const long = 'with words of every kind '.repeat(20);
  await test.post(test.alice, ...Array.from({ length: 60 }, (_, at) => `storm ${at} ${at * 7919} ${long}`));
  let [cursor, woke, held] = [undefined as string | undefined, 0, 0];
  for (let isMore = true; isMore; ) {
    const asked = { wake: { at_most: '20/day' }, max_tokens, limit: 50, ...(cursor && { cursor }) };
    const answer = await test.wait(asked);
    expect(tokensOf(answer.text)).toBeLessThanOrEqual(max_tokens);
    woke += answer.matches.length;
    held += answer.digest?.matches ?? 0;
    isMore = answer.more || answer.matches.length > 0 || answer.digest !== undefined;
    cursor = answer.cursor;
  }
  expect({ woke, held }).toEqual({ woke: 20, held: 40 });
});

it('acknowledges the wake that began its turn with the wait that follows', async () => {
  await using test = await stage();
  await test.call(test.alice, 'createWebhook', { url: 'wake:ada', format: 'wake' });
  await test.post(test.alice, 'storm over Brindle');
  const { wake } = await test.call(test.alice, 'nextWake', { agent: 'ada' });
  await test.wait({ acknowledge_wake: wake!.id });
  expect((await test.call(test.alice, 'listWakes')).wakes).toMatchObject([{ id: wake!.id, state: 'acknowledged' }]);
});

it('takes quiet hours in a few words, and refuses what it cannot read', async () => {
  await using test = await stage();
  await test.post(test.alice, 'storm over Brindle');
  const { matches, digest } = await test.wait({ wake: { quiet: quietNow() } });
  expect([matches, digest?.matches]).toEqual([[], 1]);
  const agent = agentOf(test, test.alice);
  const refused = await agent('wait_for_matches', { wait_seconds: 0, wake: { quiet: 'nights' } });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('22:00-07:00@Europe/Berlin')]);
});

it('has a digest again, as it has matches, until the caller comes back with the cursor', async () => {
  await using test = await stage();
  const agent = agentOf(test, test.alice);
  const ask = async (input: object) => {
    const asked = { rule_id: 'Storms', wait_seconds: 0, wake: { quiet: quietNow() }, ...input };
    const { value } = await agent('wait_for_matches', asked);
    const { matches, digest, began, cursor } = value as unknown as Woken & { readonly began?: string };
    return { told: [began, matches.length, digest?.matches], cursor };
  };
  await test.post(test.alice, 'storm over Brindle');
  expect((await ask({})).told).toEqual(['last_told', 0, 1]);
  const { told, cursor } = await ask({});
  expect(told).toEqual(['told_again', 0, 1]);
  expect((await ask({ cursor })).told).toEqual([undefined, 0, undefined]);
  expect((await ask({})).told).toEqual(['last_told', 0, undefined]);
});
