/** Long lists are read page by page: nothing is on two pages, nothing is left out, and the last one says that it is the last. */
import { describe, expect, it } from 'vitest';
import { openService } from '../stages/service.ts';
import { agentOf, tokensOf } from './in-process.ts';

interface RulePage {
  readonly rules: readonly { readonly id: string; readonly name: string }[];
  readonly next_after?: string;
}

interface MatchPage {
  readonly matches: readonly { readonly post_id: string }[];
  readonly cursor: string;
  readonly next_cursor?: string;
  readonly began?: string;
  readonly more?: boolean;
}

async function stage() {
  const test = await openService();
  const alice = await test.caller('alice', { xRules: 200 });
  const agent = agentOf(test, alice);
  const answer = async <T = Readonly<Record<string, unknown>>>(name: string, input: object): Promise<T> => {
    const { isError, text, value } = await agent(name, input);
    expect(isError, text).toBe(false);
    return value as T;
  };
  const rule = (name: string, x: string, intent = '') =>
    answer<{ rule_id: string }>('create_rule', { name, intent, platforms: ['x'], overrides: { x } });
  return Object.assign(test, { alice, agent, answer, rule });
}

const namesOf = ({ rules }: RulePage): string[] => rules.map(({ name }) => name);
const postsOf = ({ matches }: MatchPage): string[] => matches.map(({ post_id }) => post_id);

describe('list_rules', () => {
  it('goes on after the last rule of the page before', async () => {
    await using on = await stage();
    const all = ['a', 'b', 'c', 'd', 'e'];
    for (const name of all) await on.rule(name, `storm ${name}`);
    const read = (input: object) => on.answer<RulePage>('list_rules', input);
    const first = await read({ limit: 2 });
    expect([namesOf(first), first.next_after]).toEqual([['a', 'b'], first.rules[1]!.id]);
    const second = await read({ limit: 2, after: first.next_after });
    expect(namesOf(second)).toEqual(['c', 'd']);
    for (const last of [await read({ limit: 2, after: second.next_after }), await read({ after: second.next_after })]) {
      expect(namesOf(last)).toEqual(['e']);
      expect(last).not.toHaveProperty('next_after');
    }
    const exact = await read({ limit: 5 });
    expect([namesOf(exact), exact.next_after]).toEqual([all, undefined]);
    expect(namesOf(await read({ rule_id: first.rules[1]!.id, limit: 1 }))).toEqual(['b']);
    const { isError, text } = await on.agent('list_rules', { after: 'rule_0' });
    expect([isError, text]).toEqual([true, expect.stringContaining('There is no such rule any more; leave it out.')]);
  });

  it('has fewer rules on a page where they are long, and passes over those before it without counting them', async () => {
    await using on = await stage();
    for (let at = 10; at < 34; at++) await on.rule(`${at}`, 'storm', 'long '.repeat(400));
    const pages: RulePage[] = [];
    do pages.push(await on.answer<RulePage>('list_rules', { limit: 100, after: pages.at(-1)?.next_after }));
    while (pages.at(-1)!.next_after !== undefined);
    expect(pages.map((page) => page.rules.length)).toEqual([13, 11]);
    expect(pages.flatMap(namesOf)).toEqual(Array.from({ length: 24 }, (_, at) => `${at + 10}`));
    expect(JSON.stringify(pages[0]).length).toBeLessThan(31_000);
  });

  it('shows what the account wrote and how the rule does, and nothing that is for programs', async () => {
    await using on = await stage();
    const { rule_id } = await on.rule('Storms', 'storm', 'Bad weather');
    const overrides = { firehose: 'storm AND NOT storm' };
    const page = {
      name: 'Pages',
      intent: '',
      platforms: ['firehose'],
      overrides,
      options: { firehose: { nsfw: true } },
    };
    await on.answer('create_rule', page);
    await on.post(on.alice, 'a storm');
    const { rules } = await on.answer<RulePage>('list_rules', {});
    const at = expect.any(String) as string;
    expect(rules).toEqual([
      {
        id: rule_id,
        name: 'Storms',
        intent: 'Bad weather',
        version: 1,
        paused: false,
        created_at: at,
        platforms: { x: { text: 'storm', status: 'active', match_count: 1, last_match_at: at } },
      },
      {
        id: expect.any(String) as string,
        name: 'Pages',
        intent: '',
        version: 1,
        paused: false,
        created_at: at,
        platforms: {
          firehose: {
            text: 'storm AND NOT storm',
            options: { nsfw: true },
            status: 'active',
            match_count: 0,
            last_match_at: null,
            can_match: false,
            reason: expect.stringContaining('required and excluded') as string,
          },
        },
      },
    ]);
  });
});

describe('list_matches', () => {
  it('leads through all matches, however few fit into an answer', async () => {
    await using on = await stage();
    await on.rule('Storms', 'storm');
    const texts = Array.from({ length: 12 }, (_, at) => `storm ${at} ${'and rain '.repeat(at * 4)}`);
    await on.post(on.alice, ...texts);
    const newest = texts.map((_, at) => String(12 - at));
    for (const asked of [{ limit: 5 }, { max_tokens: 300 }, { max_tokens: 300, detail: 'full' }]) {
      const pages: MatchPage[] = [];
      do {
        const page = await on.answer<MatchPage>('list_matches', { ...asked, cursor: pages.at(-1)?.next_cursor });
        expect(page.matches.length).toBeLessThanOrEqual(5);
        expect(tokensOf(JSON.stringify(page))).toBeLessThanOrEqual(2_000);
        pages.push(page);
      } while (pages.at(-1)!.next_cursor !== undefined);
      expect(pages.flatMap(postsOf)).toEqual(newest);
    }
  });

  it('moves the place from which a wait without a cursor goes on, if it showed all there is', async () => {
    await using on = await stage();
    await on.rule('Storms', 'storm');
    const wait = async () => {
      const page = await on.answer<MatchPage>('wait_for_matches', { rule_id: 'Storms', wait_seconds: 0 });
      return [page.began, ...postsOf(page)];
    };
    const list = (input: object) => on.answer('list_matches', { rule_id: 'Storms', ...input });
    await on.post(on.alice, 'storm', 'storm');
    await list({ limit: 1 });
    await list({ platform: 'x' });
    expect(await wait()).toEqual(['last_told', '1', '2']);
    await list({});
    expect(await wait()).toEqual(['last_told']);
    await on.post(on.alice, 'storm');
    expect(await wait()).toEqual(['last_told', '3']);
  });
});

describe('wait_for_matches', () => {
  it('says that there is more where not all fits, and goes on with the next', async () => {
    await using on = await stage();
    const { cursor } = await on.answer<MatchPage>('list_matches', {});
    await on.rule('Storms', 'storm');
    await on.post(on.alice, ...Array.from({ length: 7 }, (_, at) => `storm ${at} ${'and rain '.repeat(20)}`));
    for (const asked of [{ limit: 3 }, { max_tokens: 300 }]) {
      const seen: string[] = [];
      for (let page: MatchPage = { matches: [], cursor, more: true }; page.more; seen.push(...postsOf(page)))
        page = await on.answer<MatchPage>('wait_for_matches', { ...asked, cursor: page.cursor, wait_seconds: 0 });
      expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    }
  });

  it('of one platform or source tells nothing of the others, and moves no place', async () => {
    await using on = await stage();
    await on.rule('Storms', 'storm');
    await on.post(on.alice, 'storm');
    const wait = async (input: object) => {
      const page = await on.answer<MatchPage>('wait_for_matches', { rule_id: 'Storms', wait_seconds: 0, ...input });
      return [page.began, ...postsOf(page)];
    };
    expect(await wait({ platform: 'firehose' })).toEqual(['last_told']);
    expect(await wait({ source: 'demo' })).toEqual(['last_told']);
    expect(await wait({ platform: 'x' })).toEqual(['last_told', '1']);
    expect(await wait({})).toEqual(['last_told', '1']);
    expect(await wait({})).toEqual(['told_again', '1']);
  });
});
