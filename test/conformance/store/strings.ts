import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { legible } from '../../../src/base/legible.ts';
import { ANY_CHARACTER } from '../../generated/any-character.ts';
import { accountNamed, at, collect, listed, type Open, ruleOf, stage } from './stage.ts';

const HOSTILE = [
  "'; DROP TABLE rules; --",
  '" OR 1=1',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u{1f9c0}',
  '%_\\',
  '\n\r\t',
  '\ufeff',
  ':name ?1 $x',
  ' ',
];

export function stringCases(open: Open): void {
  it.each(HOSTILE)('keeps %j as it is, wherever it stands', async (text) => {
    await using stand = await stage(open);
    const { store, account } = stand;
    const named = accountNamed(text);
    await store.addAccount(named);
    expect(await store.account(text)).toEqual(named);
    await store.suspendAccount(named.id, { at: at(0), reason: text });
    expect((await store.account(text))?.suspended?.reason).toBe(legible(text));
    const rule = ruleOf(account, { name: text, intent: text, platforms: { firehose: { value: text, flags: {} } } });
    await store.addRule(rule, {});
    await store.setRuleStatus(rule.id, 'firehose', { status: 'failed', error: text });
    expect(await store.rule(account.id, rule.id)).toMatchObject({
      // Signs that cannot be seen in a name are written out.
      name: legible(text),
      intent: text,
      platforms: { firehose: { value: text, error: text } },
    });
    expect(await store.countHolders('firehose', text, {})).toBe(1);
    const payload = { [text]: text, data: { text: [text] } };
    const matches = [{ ruleId: rule.id, version: 1, highlights: [{ field: text, start: 0, end: 1 }] }];
    const event = { platform: 'firehose', postId: text, payload, accountId: account.id } as const;
    expect(
      await store.commit({
        platform: 'firehose',
        at: at(0),
        events: [{ event, matches }],
        cursor: { name: 'firehose', value: 'c' },
      }),
    ).toMatchObject({ added: 1 });
    expect(await store.commit({ platform: 'firehose', at: at(0), events: [{ event, matches }] })).toMatchObject({
      added: 0,
    });
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match).toMatchObject({
      platformPostId: text,
      ruleName: legible(text),
      payload,
      highlights: matches[0]!.highlights,
    });
    expect((await collect(store.recentEvents(account.id, 'firehose', 1)))[0]!.event).toEqual(event);
    for (const id of [text, `${account.id}${text}`]) {
      expect(await store.rule(id, rule.id)).toBeUndefined();
      expect(await store.rule(account.id, id)).toBeUndefined();
      expect(await store.match(account.id, id)).toBeUndefined();
      expect(await listed(store, { accountId: account.id, ruleId: id })).toEqual([]);
    }
    expect(await store.deleteMatches(account.id, 'firehose', text)).toBe(1);
    expect(await collect(store.recentEvents(account.id, 'firehose', 5))).toEqual([]);
  });

  it('gives any JSON back equal', async () => {
    const most = 20;
    await using stand = await stage(open, { recent: { events: most } });
    const { store, account, rule } = stand;
    const matches = [{ ruleId: rule.id, version: 1, highlights: [] }];
    const values = fc.array(fc.jsonValue({ stringUnit: ANY_CHARACTER }), { minLength: 1, maxLength: most });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(values, async (those) => {
        const payloads = those.map((value) => JSON.parse(JSON.stringify({ value })) as Record<string, unknown>);
        const events = payloads.map((payload) => ({
          event: { platform: 'x' as const, postId: `${++number}`, payload, accountId: undefined },
          matches,
        }));
        await store.commit({ platform: 'x', at: at(number), events });
        const newestFirst = payloads.toReversed();
        const page = await store.matches({ accountId: account.id, limit: payloads.length });
        expect(page.matches.map(({ payload }) => payload)).toEqual(newestFirst);
        const recent = await collect(store.recentEvents(account.id, 'x', payloads.length));
        expect(recent.map(({ event }) => event.payload)).toEqual(newestFirst);
      }),
      { numRuns: 20 },
    );
  });
}
