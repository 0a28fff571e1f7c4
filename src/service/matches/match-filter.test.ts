import { describe, expect, it } from 'vitest';
import { openService } from '../../../test/stages/service.ts';
import type { MatchQuery } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { queryOfFilter, readerOf } from './match-filter.ts';

const caller = { account: { id: 'a' } } as Caller;
const limited = (...ruleIds: string[]) => ({ ...caller, grant: { scopes: [], ruleIds, tokenDigest: '' } });

describe('a filter of matches', () => {
  const asked = (input: object) => queryOfFilter({} as Context, caller, input);

  it('asks the store for nothing that was not asked', async () => {
    expect(await asked({})).toStrictEqual({ accountId: 'a' });
  });

  it('asks for each field by itself', async () => {
    const since = '2026-11-15T08:30:00.000Z';
    const fields: [object, object][] = [
      [{ platform: 'x' }, { platform: 'x' }],
      [{ story_id: 'st_1' }, { storyId: 'st_1' }],
      [{ event_id: 'event_k' }, { eventKey: 'k' }],
      [{ event_id: 'match_k' }, { eventKey: '' }],
      [{ since }, { since: new Date(since) }],
      [{ until: since }, { until: new Date(since) }],
      [{ text: 't' }, { text: 't' }],
      [{ author: 'ada' }, { author: 'ada' }],
      [{ domain: 'a.example' }, { domain: 'a.example' }],
      [{ language: 'en' }, { language: 'en' }],
      [{ source: 'demo' }, { source: 'demo' }],
      [{ rating: 'relevant' }, { rating: 'relevant' }],
    ];
    for (const [input, query] of fields) expect(await asked(input)).toStrictEqual({ accountId: 'a', ...query });
  });

  it('names a rule that the caller sees, and refuses any other', async () => {
    await using test = await openService();
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const rule = { name: 'R', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
    const { rule_id } = await test.call(alice, 'createRule', rule);
    const { context } = test.service;
    expect(await queryOfFilter(context, alice, { rule_id })).toStrictEqual({
      accountId: alice.account.id,
      ruleId: rule_id,
    });
    await expect(queryOfFilter(context, bob, { rule_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a reader of matches', () => {
  /** Which rules each read was of. */
  const read = async (who: Caller, rule_id?: string, only?: readonly string[]) => {
    const asked: (string | undefined)[] = [];
    const store = {
      latest: async () => 0,
      async matches({ ruleId }: MatchQuery) {
        asked.push(ruleId);
        return { matches: [], next: undefined, latest: 0, walked: { rows: 0, bytes: 0 } };
      },
    };
    await readerOf({ store } as unknown as Context, who, { rule_id }, only)({ accountId: 'a', limit: 1 });
    return asked;
  };

  it('reads everything of an account, unless the caller is limited or rules are named', async () => {
    expect(await read(caller)).toEqual([undefined]);
    expect(await read(limited('r1', 'r2'))).toEqual(['r1', 'r2']);
    expect(await read(limited('r1', 'r2'), 'r1')).toEqual([undefined]);
    expect(await read(caller, undefined, ['r3'])).toEqual(['r3']);
    expect(await read(limited('r1', 'r2'), undefined, ['r2', 'r3'])).toEqual(['r2']);
  });
});
