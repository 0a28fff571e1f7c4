import { describe, expect, it } from 'vitest';
import { slow } from '../../../test/stages/slow.ts';
import type { Registration, RegistrationState } from '../../domain/rule.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import { createRegistrationTable } from './registration-table.ts';

const textOf = (value: string) => ({ value, flags: {} });
const rowOf = (
  tag: string,
  texts: string[],
  state: RegistrationState = 'held',
  id: string | undefined = `id ${tag}`,
): Registration => ({
  tag,
  platform: 'x',
  value: texts.join(' OR '),
  flags: {},
  texts,
  platformRuleId: id,
  state,
  since: new Date(0),
});

/** A table over rows in memory, which another process may change. */
function stand(...rows: Registration[]) {
  const changes: RegistrationChange[] = [];
  const stored = { rows };
  const store = slow({
    registrations: async () => stored.rows,
    changeRegistrations: async (change: RegistrationChange) => void changes.push(change),
  }) as unknown as Store;
  return { stored, changes, table: createRegistrationTable(store, 'x') };
}

const values = (texts: { value: string }[]) => texts.map(({ value }) => value);

describe('the table of registrations', () => {
  it('knows which registration holds which wanted text, and which texts none holds', async () => {
    const { table } = stand(rowOf('one', ['a', 'b']), rowOf('two', ['c'], 'wanted'));
    await table.load([textOf('a'), textOf('c'), textOf('d')]);
    expect(table.holderOf(textOf('a'))?.tag).toBe('one');
    expect([table.holderOf(textOf('b')), table.holderOf(textOf('c'))]).toEqual([undefined, undefined]);
    expect(values(table.unheld())).toEqual(['c', 'd']);
    const [one] = table.byId('id one');
    expect([values(table.wantedOf(one!)), values(table.heldIn(one!))]).toEqual([['a'], ['a']]);
  });

  it('tells texts apart by their flags', async () => {
    const { table } = stand({ ...rowOf('one', ['a']), flags: { nsfw: true } });
    await table.load([textOf('a'), { value: 'a', flags: { nsfw: true } }]);
    expect(table.holderOf(textOf('a'))).toBeUndefined();
    expect(table.holderOf({ value: 'a', flags: { nsfw: true } })?.tag).toBe('one');
  });

  it('finds every registration of an id, and none that was dropped', async () => {
    const { table } = stand(rowOf('one', ['a'], 'held', 'same'), rowOf('two', ['b'], 'held', 'same'));
    await table.load([]);
    expect(table.byId('same').map(({ tag }) => tag)).toEqual(['one', 'two']);
    await table.write({ put: [], drop: ['one'] });
    expect(table.byId('same').map(({ tag }) => tag)).toEqual(['two']);
    await table.write({ put: [rowOf('two', ['b'], 'held', 'other')], drop: [] });
    expect([table.byId('same'), table.byId('other').map(({ tag }) => tag)]).toEqual([[], ['two']]);
  });

  it('lets the registration that was held last hold a text, and no longer one that leaves', async () => {
    const { table, changes } = stand(rowOf('one', ['a']));
    await table.load([textOf('a')]);
    await table.write({ put: [rowOf('two', ['a'])], drop: [] });
    expect(table.holderOf(textOf('a'))?.tag).toBe('two');
    await table.write({ put: [rowOf('two', ['a'], 'leaving')], drop: [] });
    expect([table.holderOf(textOf('a')), values(table.unheld())]).toEqual([undefined, ['a']]);
    expect(changes).toHaveLength(2);
  });

  it('writes nothing when nothing changes, and changes nothing when the store fails', async () => {
    const { table, changes } = stand();
    await table.write({ put: [], drop: [] });
    expect(changes).toEqual([]);
    const broken = createRegistrationTable(
      {
        registrations: async () => [],
        changeRegistrations: () => Promise.reject(new Error('away')),
      } as unknown as Store,
      'x',
    );
    await expect(broken.write({ put: [rowOf('one', ['a'])], drop: [] })).rejects.toThrow('away');
    expect(broken.rows()).toEqual([]);
  });

  it('forgets a text that no rule wants, and keeps the holder of one that is wanted twice', async () => {
    const { table } = stand(rowOf('one', ['a']));
    await table.load([textOf('a')]);
    table.want(textOf('a'));
    expect(table.holderOf(textOf('a'))?.tag).toBe('one');
    table.want(textOf('b'), table.rows()[0]);
    expect(table.holderOf(textOf('b'))?.tag).toBe('one');
    table.forget(textOf('a'));
    expect([table.holderOf(textOf('a')), values(table.unheld())]).toEqual([undefined, []]);
  });

  it('takes over what another process had registered, and wants what that process wants', async () => {
    const { table, stored } = stand(rowOf('one', ['a']));
    await table.load([textOf('a')]);
    stored.rows = [rowOf('two', ['a', 'b']), rowOf('three', ['c'], 'leaving')];
    await table.refresh();
    expect(table.rows().map(({ tag }) => tag)).toEqual(['two', 'three']);
    expect([table.holderOf(textOf('a'))?.tag, table.holderOf(textOf('b'))?.tag]).toEqual(['two', 'two']);
    expect([table.byId('id one'), values(table.unheld())]).toEqual([[], []]);
    table.forget(textOf('b'));
    await table.refresh();
    expect(table.holderOf(textOf('b'))).toBeUndefined();
  });
});
