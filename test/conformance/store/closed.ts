import { expect, it } from 'vitest';
import { at, type Open, stage } from './stage.ts';

export function closedCases(open: Open): void {
  it('refuses each call, and never says that something was done', async () => {
    const { store, account } = await stage(open);
    await store[Symbol.asyncDispose]();
    const pass = { digest: 'd', accountId: account.id, keyId: 'key_1', endsAt: at(1), usedAt: at(0) };
    const feed = { platform: 'x', kind: 'stream', name: '', state: 'complete', reason: undefined } as const;
    const calls: Record<string, Promise<unknown>> = {
      touchKey: store.touchKey('key_1', at(0)),
      addPass: store.addPass(pass),
      usePass: store.usePass('d', at(0)),
      keepClient: store.keepClient('client_1', at(0)),
      endAccessToken: store.endAccessToken('d'),
      touchGrant: store.touchGrant('grant_1', at(0)),
      remember: store.remember(account.id, 'k', 'd', {}),
      setRuleStatus: store.setRuleStatus('rule_1', 'x', { status: 'active' }),
      changeRegistrations: store.changeRegistrations({ drop: ['tag'] }),
      dropOwed: store.dropOwed('hook_1', [1]),
      releaseWebhooks: store.releaseWebhooks('node'),
      releaseLease: store.releaseLease({ name: 'x', fence: 1 }),
      noteGaps: store.noteGaps([{ platform: 'x', from: at(0), to: undefined, cause: 'c', recovered: false }]),
      noteFeeds: store.noteFeeds([{ ...feed, through: undefined, at: at(0) }]),
      keepSources: store.keepSources('x', []),
      reportNode: store.reportNode({ id: 'n', roles: [], applied: 0 }, at(0), 1),
      removeNode: store.removeNode('n'),
      check: store.check(1),
    };
    for (const [name, call] of Object.entries(calls)) await expect(call, name).rejects.toThrow();
  });
}
