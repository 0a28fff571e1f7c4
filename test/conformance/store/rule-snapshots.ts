import { expect, it } from 'vitest';
import { type Open, stage } from './stage.ts';

export function ruleSnapshotCases(open: Open): void {
  const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

  it('keeps one that is whole, in the place of all others', async () => {
    await using stand = await stage(open);
    const { store } = stand;
    expect(await store.ruleSnapshot()).toBeUndefined();
    await store.addRuleSnapshotPiece('b', 0, bytesOf('one'));
    await store.addRuleSnapshotPiece('b', 1, bytesOf('two'));
    // One that a node did not finish, on either side of it.
    for (const token of ['a', 'c']) await store.addRuleSnapshotPiece(token, 0, bytesOf('left'));
    expect(await store.ruleSnapshot()).toBeUndefined();
    expect(await store.keepRuleSnapshot({ token: 'b', pieces: 2 })).toBe(true);
    expect(await store.ruleSnapshot()).toEqual({ token: 'b', pieces: 2 });
    expect(Buffer.from((await store.ruleSnapshotPiece('b', 1))!).toString()).toBe('two');
    for (const token of ['a', 'c']) expect(await store.ruleSnapshotPiece(token, 0)).toBeUndefined();
    expect(await store.keepRuleSnapshot({ token: 'c', pieces: 1 })).toBe(false);
    expect(await store.ruleSnapshot()).toEqual({ token: 'b', pieces: 2 });
    await store.addRuleSnapshotPiece('d', 0, bytesOf('three'));
    expect(await store.keepRuleSnapshot({ token: 'd', pieces: 1 })).toBe(true);
    expect(await store.ruleSnapshot()).toEqual({ token: 'd', pieces: 1 });
    expect(await store.ruleSnapshotPiece('b', 0)).toBeUndefined();
  });
}
