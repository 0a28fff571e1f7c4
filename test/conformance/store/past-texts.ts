import { expect, it } from 'vitest';
import type { CommitEvent, Store } from '../../../src/store/store.ts';
import { eventOf, type Open, stage } from './stage.ts';

/** An event whose matches are shown when they are read. */
export function unshownOf(postId: string, rules: readonly { id: string }[], version = 1): CommitEvent {
  const { event } = eventOf(postId, rules);
  return { event, matches: rules.map(({ id }) => ({ ruleId: id, version, asked: [] })) };
}

export const textOf = (value: string) => ({ platforms: { x: { value, flags: {} } } });

async function textsBy(store: Store, accountId: string): Promise<Record<string, string | undefined>> {
  const { matches } = await store.matches({ accountId, limit: 100 });
  return Object.fromEntries(matches.map(({ platformPostId, matchedBy }) => [platformPostId, matchedBy?.value]));
}

export function pastTextCases(open: Open): void {
  it('gives with a match that is stored without highlights the text that matched, whatever the rule says since', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(unshownOf('1', [rule]));
    await store.changeRule(account.id, rule.id, textOf('second "text"'));
    await commit(unshownOf('2', [rule], 2));
    await store.changeRule(account.id, rule.id, textOf('third'));
    await store.changeRule(account.id, rule.id, textOf('fourth'));
    await commit(unshownOf('4', [rule], 4));
    expect(await textsBy(store, account.id)).toEqual({ 1: 'storm', 2: 'second "text"', 4: 'fourth' });
    const found = await store.matchesAfter({ accountId: account.id, after: 0, limit: 10 });
    expect(found.matches[0]).toMatchObject({ matchedBy: { value: 'storm', flags: {} } });
    expect((await store.match(account.id, found.matches[1]!.id))?.matchedBy?.value).toBe('second "text"');
  });

  it('knows the text of a platform that the rule has left, and of another that stays', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    const page = { value: 'page', flags: { nsfw: true } };
    await commit(unshownOf('1', [rule]));
    await store.changeRule(account.id, rule.id, { platforms: { firehose: page } });
    const { event } = eventOf('f', [rule], { platform: 'firehose' });
    await commit({ event, matches: [{ ruleId: rule.id, version: 2, asked: [] }] });
    await store.changeRule(account.id, rule.id, { platforms: { x: null } });
    await store.changeRule(account.id, rule.id, { name: 'another name' });
    expect(await textsBy(store, account.id)).toEqual({ 1: 'storm', f: 'page' });
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match?.matchedBy).toEqual(page);
  });

  it('gives stored highlights alone', async () => {
    await using stand = await stage(open);
    const { store, account, rule, commit } = stand;
    await commit(eventOf('1', [rule]));
    const [match] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
    expect(match?.highlights).toEqual([{ field: 'data.text', start: 0, end: 4 }]);
    expect(match?.matchedBy).toBeUndefined();
  });
}
