import { expect, it } from 'vitest';
import { type Open, stage } from './stage.ts';
import { webhookOf } from './webhooks.ts';

const NONE = { previous: undefined, previousUntil: undefined };

export function agreedSettingCases(open: Open): void {
  it('keeps the first value of a setting until it is replaced by name', async () => {
    await using store = await open();
    expect(await store.agreeOn({ A: '1', B: '2' }, [])).toEqual({ A: '1', B: '2' });
    expect(await store.agreeOn({ A: '7', B: '8', C: '9' }, ['B'])).toEqual({ A: '1', B: '8', C: '9' });
    expect(await store.agreedSettings()).toEqual({ A: '1', B: '8', C: '9' });
  });

  it('agrees on one value when several nodes start at once', async () => {
    await using store = await open();
    const answers = await Promise.all(['1', '2', '3', '4'].map((value) => store.agreeOn({ A: value }, [])));
    expect(new Set(answers.map(({ A }) => A))).toEqual(new Set([(await store.agreedSettings())['A']]));
  });

  it('gives the newest sealed secret of a webhook', async () => {
    await using stand = await stage(open);
    expect(await stand.store.sealedSecret()).toBeUndefined();
    for (const id of ['hook_1', 'hook_2'])
      await stand.store.addWebhook(
        { ...webhookOf(stand.account), id, secrets: { ...NONE, current: `sealed ${id}` } },
        10,
      );
    expect(await stand.store.sealedSecret()).toBe('sealed hook_2');
  });
}
