import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { notifier } from './notify.ts';

const AT = new Date('2026-11-15T08:30:00.000Z');

describe('a notice', () => {
  const notice = { type: 'budget_spent', at: AT, message: 'Spent.', subject: { platform: 'x' } } as const;
  const hook = (id: string, events: readonly string[]) => ({
    id,
    url: 'https://a.test/',
    events,
    format: 'json',
    status: 'active',
  });

  it('goes to the webhooks that want operational events', async () => {
    const stored: { webhookId: string }[] = [];
    const changed: string[] = [];
    const store = {
      webhooks: async () => [
        hook('one', ['match']),
        hook('two', ['operational']),
        hook('three', ['match', 'operational']),
      ],
      addNotices: async (list: never[]) => void stored.push(...list),
    } as never;
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    await notifier({ store, clock: fakeClock(), log }, { changed: (id) => void changed.push(id) })('a', notice);
    expect([stored.map(({ webhookId }) => webhookId), changed]).toEqual([
      ['two', 'three'],
      ['two', 'three'],
    ]);
  });

  it('that no one wants is not stored, and one that cannot be is logged', async () => {
    let added = 0;
    const warned: string[] = [];
    const log = { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} };
    const tell = (webhooks: () => Promise<unknown[]>) =>
      notifier(
        { store: { webhooks, addNotices: async () => void added++ } as never, clock: fakeClock(), log },
        { changed: () => {} },
      )('a', notice);
    await tell(async () => [hook('one', ['match'])]);
    expect([added, warned]).toEqual([0, []]);
    await tell(() => Promise.reject(new Error('away')));
    expect(warned).toHaveLength(1);
  });
});
