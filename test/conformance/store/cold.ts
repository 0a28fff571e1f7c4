/** Old matches in objects: the same answers, whatever is cold; nothing lost, nothing twice, and what is erased is erased. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Account } from '../../../src/domain/account.ts';
import { readColdFile } from '../../../src/store/rows/cold-file.ts';
import type { CommitEvent, MatchQuery, NewRule, Store, StoreOptions } from '../../../src/store/store.ts';
import { coldOn, makeCold, memoryObjects, TEXT_KEY } from '../../stages/cold.ts';
import {
  addOther,
  at,
  DAY,
  eventOf,
  listed,
  type Open,
  posts,
  range,
  removeAll,
  ruleOf,
  stage,
  testClock,
} from './stage.ts';
import { back } from './trash.ts';
import { webhookOf } from './webhooks.ts';

const DAYS = 6;

export function coldCases(open: Open): void {
  /** Two accounts, the first with a rule on one platform and one on both. */
  async function stand(options: StoreOptions = {}) {
    const [objects, clock] = [memoryObjects(), testClock()];
    const cold = coldOn(objects);
    const opened = await stage(open, { ...options, clock, textKey: TEXT_KEY, cold });
    const { store, account } = opened;
    const both = ruleOf(account, { platforms: { x: { value: 'a', flags: {} }, firehose: { value: 'a', flags: {} } } });
    await store.addRule(both, {});
    const other = await addOther(store);
    clock.at = at(DAYS * DAY).getTime();
    const commit = (day: number, ...events: CommitEvent[]) =>
      store.commit({ platform: events[0]!.event.platform, at: at(day * DAY), events });
    const cool = (days?: number) => makeCold(store, objects, clock, days);
    return { ...opened, objects, clock, both, other, commit, cool, forget: cold.forget };
  }

  /** Two matches of each account on each day. */
  async function filled(options: StoreOptions = {}) {
    const opened = await stand(options);
    const { commit, rule, both, other } = opened;
    for (const day of range(DAYS))
      await commit(day, eventOf(`a${day}`, [rule, other.rule]), eventOf(`b${day}`, [both, other.rule]));
    return opened;
  }

  /** Every answer about matches that the store gives, each payload as it is stored. */
  async function answers(store: Store, { id: accountId }: Account, rules: readonly NewRule[]): Promise<string> {
    const queries: Omit<MatchQuery, 'limit' | 'accountId'>[] = [
      {},
      ...rules.map(({ id }) => ({ ruleId: id })),
      { platform: 'firehose' },
      { text: 'LAVA' },
      { source: 'wire' },
      { rating: 'relevant' },
      { since: at(2 * DAY), until: at(4 * DAY) },
    ];
    const pages: unknown[] = [];
    for (const query of queries)
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
        const page = await store.matches({ accountId, ...query, limit: 7, before });
        pages.push([query, page.next, page.matches]);
        before = page.next;
      }
    for (let [after, more] = [0, true]; more; ) {
      const page = await store.matchesAfter({ accountId, after, limit: 5 });
      pages.push(page);
      ({ last: after, more } = page);
    }
    const { matches } = await store.matches({ accountId, limit: 1_000 });
    const byId = await Promise.all(matches.map(({ id }) => store.match(accountId, id)));
    const byPosition = await store.matchesAt(matches.map(({ position }) => position));
    return JSON.stringify([
      pages,
      byId,
      byPosition.toSorted((one, two) => one.position - two.position),
      await store.stories({ accountId, limit: 20 }),
      await store.matchCounts({ accountId, from: at(0), to: at(7 * DAY), seconds: 86_400 }),
    ]);
  }

  const posted = fc.record({
    day: fc.integer({ min: 0, max: 4 }),
    post: fc.integer({ min: 0, max: 30 }),
    text: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('Lava flows', '"quoted" \u0000 🌋 \ud800')),
    platform: fc.constantFrom('x' as const, 'firehose' as const),
    source: fc.constantFrom('wire', undefined),
    rules: fc.subarray([0, 1, 2], { minLength: 1 }),
  });

  it('gives the same answers whether matches are hot, half cold or cold', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(posted, { maxLength: 25 }), async (all) => {
        await using opened = await stand();
        const { store, account, rule, both, other, commit, objects } = opened;
        for (const { day, post, rules, source, ...options } of all.toSorted((one, two) => one.day - two.day)) {
          const matched = [rule, both, other.rule].filter((_, index) => rules.includes(index));
          await commit(day, eventOf(`post ${post}`, matched, { ...options, ...(source && { source }) }));
        }
        const [newest] = (await store.matches({ accountId: account.id, limit: 1 })).matches;
        if (newest !== undefined)
          await store.rateMatch(
            { accountId: account.id, position: newest.position, rating: 'relevant', at: at(0), by: 'k', traces: '{}' },
            9,
          );
        const asked = () =>
          Promise.all([answers(store, account, [rule, both]), answers(store, other.account, [other.rule])]);
        const hot = await asked();
        for (const days of [4, 2, 0]) {
          await opened.cool(days);
          expect(await asked()).toEqual(hot);
        }
        const { matches, objects: count, bytes } = await store.coldFigures();
        const shown = [account, other.account].map(({ id }) => store.matches({ accountId: id, limit: 1_000 }));
        expect(matches).toBe((await Promise.all(shown)).flatMap((page) => page.matches).length);
        const stored = [...objects.stored.values()];
        expect([count, bytes]).toEqual([stored.length, stored.reduce((sum, { length }) => sum + length, 0)]);
      }),
      { numRuns: 4 },
    );
  });

  it('writes objects by account and day, each match once, and leaves what is young', async () => {
    await using opened = await filled();
    const { account, other, objects, store } = opened;
    await opened.cool(2);
    const folders = [...objects.stored.keys()].map((key) => key.slice(0, key.lastIndexOf('/'))).toSorted();
    const days = ['15', '16', '17', '18'].map((day) => `day=2026-11-${day}`);
    const expected = [account, other.account].flatMap(({ id }) => days.map((day) => `account_id=${id}/${day}`));
    expect(folders).toEqual(expected.toSorted());
    const ids: string[] = [];
    for (const bytes of objects.stored.values()) {
      const file = await readColdFile(bytes);
      for (const group of range(file.groups)) ids.push(...(await file.rows(group)).map((row) => String(row['id'])));
    }
    const pages = [account, other.account].map(({ id }) =>
      store.matches({ accountId: id, until: at(4 * DAY), limit: 99 }),
    );
    const all = (await Promise.all(pages)).flatMap(({ matches }) => matches.map(({ id }) => id));
    // The fifth day ends after the time that is cold: it is hot as a whole.
    expect(ids.toSorted()).toEqual(all.toSorted());
    expect(ids).toHaveLength(4 * 4);
  });

  it('reads the objects of a page, and no others', async () => {
    await using opened = await filled();
    const { store, account, objects } = opened;
    await opened.cool(0);
    objects.fetched.length = 0;
    opened.forget();
    const page = await store.matches({ accountId: account.id, until: at(5 * DAY), limit: 3 });
    expect(page.matches).toHaveLength(3);
    // Four rows are looked at, to see that there is a next page: two of each day.
    expect(new Set(objects.fetched).size).toBeLessThanOrEqual(2);
  });

  it('says that an object is gone or damaged, and leaves no hole', async () => {
    await using opened = await filled();
    const { store, account, objects } = opened;
    await opened.cool(0);
    const key = [...objects.stored.keys()].find((one) => one.includes(`${account.id}/day=2026-11-17`))!;
    const bytes = objects.stored.get(key)!;
    // Rows that were read are kept for a while: a store that is opened anew has read nothing.
    const flipped = Uint8Array.from(bytes, (byte, index) => (index === 40 ? byte ^ 1 : byte));
    for (const [stored, why] of [
      [flipped, 'its bytes are not those that were written'],
      [undefined, 'it is not there, or has not all its rows'],
    ] as const) {
      if (stored === undefined) objects.stored.delete(key);
      else objects.stored.set(key, stored);
      opened.forget();
      await expect(store.matches({ accountId: account.id, limit: 100 })).rejects.toMatchObject({
        reason: 'cold',
        message: `The object ${key} with old matches cannot be read: ${why}.`,
      });
      // Matches that lie elsewhere are read as before.
      expect(await listed(store, { accountId: account.id, since: at(3 * DAY) })).toHaveLength(6);
    }
  });

  /** The texts of all objects, to see what is left on the disk. */
  async function textsIn({ stored }: { stored: ReadonlyMap<string, Uint8Array> }): Promise<string[]> {
    const texts: string[] = [];
    for (const bytes of stored.values()) {
      const file = await readColdFile(bytes);
      for (const group of range(file.groups))
        for (const { payload } of await file.rows(group)) texts.push(String(JSON.parse(payload).data.text));
    }
    return texts.toSorted();
  }

  it('takes an erased post out of its objects, and lists it no more from then on', async () => {
    await using opened = await filled();
    const { store, account, other, objects } = opened;
    await opened.cool(0);
    expect(await store.deleteMatches(account.id, 'x', 'a3')).toBe(1);
    expect(await listed(store, { accountId: account.id })).not.toContain('a3');
    expect((await textsIn(objects)).filter((text) => text === 'post a3')).toHaveLength(2);
    await opened.cool();
    expect((await textsIn(objects)).filter((text) => text === 'post a3')).toHaveLength(1);
    expect(await listed(store, { accountId: other.account.id })).toContain('a3');
    expect((await store.eraseEverywhere('x', 'a3')).matches).toBe(1);
    await opened.cool();
    expect(await textsIn(objects)).not.toContain('post a3');
    opened.forget();
    expect(await listed(store, { accountId: account.id })).toHaveLength(11);
    expect(await listed(store, { accountId: other.account.id })).toHaveLength(11);
    expect(await store.coldFigures()).toMatchObject({ matches: 22, objects: objects.stored.size });
    expect(await store.staleColdObject('')).toBeUndefined();
  });

  it('takes an erased post out of one object while another one cannot be read', async () => {
    await using opened = await filled();
    const { store, account, other, objects, clock } = opened;
    await opened.cool(0);
    for (const { id } of [account, other.account]) expect(await store.deleteMatches(id, 'x', 'a3')).toBe(1);
    const { key } = (await store.staleColdObject(''))!;
    const bytes = objects.stored.get(key)!;
    objects.stored.delete(key);
    opened.forget();
    const problems: unknown[] = [];
    await makeCold(store, objects, clock, undefined, (error) => problems.push(error));
    expect(problems).toEqual([expect.objectContaining({ reason: 'cold' })]);
    expect(await textsIn(objects)).not.toContain('post a3');
    objects.stored.set(key, bytes);
    clock.at += 5_000;
    await opened.cool();
    expect(await textsIn(objects)).not.toContain('post a3');
    expect(await store.staleColdObject('')).toBeUndefined();
  });

  it('deletes an object when the last match in it is erased', async () => {
    await using opened = await filled();
    const { store, account, objects } = opened;
    await opened.cool(0);
    for (const post of ['a3', 'b3']) await store.deleteMatches(account.id, 'x', post);
    await opened.cool();
    expect([...objects.stored.keys()].filter((key) => key.includes(account.id))).toHaveLength(5);
    expect(await listed(store, { accountId: account.id })).toHaveLength(10);
  });

  it('finds cold posts by their text, and by the posts that they carry, when those are erased', async () => {
    await using opened = await stand();
    const { store, account, rule, commit } = opened;
    const text = 'a text that is long enough to be compared';
    const carrier = eventOf('c', [rule], { text: 'short' });
    const includes = { tweets: [{ id: 'seen', text: 'the post that came along' }] };
    await commit(0, eventOf('a', [rule], { text }), eventOf('b', [rule], { text }));
    await commit(0, { ...carrier, event: { ...carrier.event, payload: { ...carrier.event.payload, includes } } });
    await opened.cool(0);
    expect((await store.eraseEverywhere('x', 'a', undefined, true)).matches).toBe(2);
    expect(await listed(store, { accountId: account.id })).toEqual(['c']);
    expect((await store.eraseEverywhere('x', 'seen')).matches).toBe(1);
    await opened.cool();
    expect(opened.objects.stored.size).toBe(0);
  });

  it('compares the own text of a cold post and never that of one it carries', async () => {
    await using opened = await stand();
    const { store, account, rule, commit } = opened;
    const [text, own] = ['a text that is long enough to be compared', 'a long answer of its own to that'];
    const quoting = (id: string, said: string): CommitEvent => {
      const bare = eventOf(id, [rule], { text: said });
      return {
        ...bare,
        event: { ...bare.event, payload: { ...bare.event.payload, includes: { tweets: [{ id: 'a', text }] } } },
      };
    };
    await commit(0, eventOf('a', [rule], { text }), quoting('short', 'ash'), quoting('long', own));
    await commit(0, eventOf('copy', [rule], { text: own }));
    await opened.cool(0);
    expect((await store.eraseEverywhere('x', 'short', undefined, true)).matches).toBe(1);
    expect(await listed(store, { accountId: account.id })).toEqual(['copy', 'long', 'a']);
    expect((await store.eraseEverywhere('x', 'long', undefined, true)).matches).toBe(2);
    expect(await listed(store, { accountId: account.id })).toEqual(['a']);
  });

  it('keeps a deleted rule that may be restored, and takes its texts away when it is gone', async () => {
    await using opened = await filled();
    const { store, account, rule, objects } = opened;
    const keep = { at: at(5 * DAY), until: at(12 * DAY) };
    // One part of its matches is cold, the other is hot: both are moved when it is deleted.
    await opened.cool(3);
    const before = JSON.stringify(await store.matches({ accountId: account.id, limit: 100 }));
    await store.deleteRule(account.id, rule.id, undefined, keep);
    await removeAll(store, at(6 * DAY));
    await opened.cool(0);
    expect(await listed(store, { accountId: account.id })).toHaveLength(6);
    expect(await store.restoreRule(account.id, rule.id, back({ now: at(6 * DAY) }))).toBe('restored');
    await removeAll(store, at(6 * DAY));
    expect(JSON.stringify(await store.matches({ accountId: account.id, limit: 100 }))).toBe(before);
    await store.deleteRule(account.id, rule.id, undefined, keep);
    await removeAll(store, at(13 * DAY));
    await opened.cool();
    expect((await textsIn(objects)).filter((text) => text.startsWith('post a'))).toHaveLength(6);
    expect(await listed(store, { accountId: account.id })).toHaveLength(6);
  });

  it('deletes objects past retention, and no others', async () => {
    await using opened = await filled({ retentionDays: 3 });
    const { store, account, objects } = opened;
    await opened.cool(0);
    await removeAll(store, at(6 * DAY));
    await opened.cool();
    const days = new Set([...objects.stored.keys()].map((key) => key.split('/')[1]));
    const left = await listed(store, { accountId: account.id });
    expect(new Set(left.map((post) => post.slice(1)))).toEqual(new Set(['3', '4', '5']));
    expect(days.size).toBe(3);
    await removeAll(store, at(100 * DAY));
    await opened.cool();
    expect(objects.stored.size).toBe(0);
    expect(await store.coldFigures()).toMatchObject({ objects: 0, matches: 0, bytes: 0, oldest: undefined });
  });

  it('waits with a day that a webhook is still owed a match of, and with those after it', async () => {
    await using opened = await stand();
    const { store, account, rule, commit, other, objects } = opened;
    await commit(0, eventOf('a', [rule, other.rule]));
    await store.addWebhook(webhookOf(account), 9);
    await commit(1, eventOf('b', [rule, other.rule]));
    await commit(2, eventOf('c', [rule, other.rule]));
    await opened.cool(0);
    const of = (id: string) => [...objects.stored.keys()].filter((key) => key.includes(id)).length;
    expect([of(account.id), of(other.account.id)]).toEqual([1, 3]);
    const [webhook] = await store.webhooks(account.id);
    expect((await store.owedMatches(webhook!.id, at(9 * DAY), 9)).map(({ json }) => json)).toEqual(
      ['b', 'c'].map((id) => JSON.stringify({ data: { id, text: `post ${id}` } })),
    );
    // One that is paused waits as long as it likes, and reads what is cold when it goes on.
    await store.changeWebhook(account.id, webhook!.id, { status: 'paused' });
    await opened.cool(0);
    expect([of(account.id), of(other.account.id)]).toEqual([3, 3]);
    expect(await store.owedMatches(webhook!.id, at(9 * DAY), 9)).toHaveLength(2);
    expect(await store.owedMatches(webhook!.id, at(9 * DAY), 9, 1)).toHaveLength(1);
  });

  it('gives a new match of a cold post its payload, and is read when it is cold again', async () => {
    await using opened = await stand();
    const { store, account, rule, both, commit } = opened;
    await commit(0, eventOf('a', [rule]));
    await opened.cool(3);
    await commit(4, eventOf('a', [rule, both]));
    const before = JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }));
    expect(JSON.parse(before).matches).toHaveLength(2);
    await opened.cool(0);
    opened.forget();
    expect(JSON.stringify(await store.matches({ accountId: account.id, limit: 9 }))).toBe(before);
    expect((await store.coldFigures()).matches).toBe(2);
  });

  /** Ends with an error before or after a step. */
  async function killedAt(of: object, step: string, when: 'before' | 'after', run: () => Promise<unknown>) {
    const call: unknown = Reflect.get(of, step);
    if (typeof call !== 'function') throw new Error(`There is no step ${step}.`);
    Reflect.set(of, step, async (...args: unknown[]) => {
      if (when === 'after') await Reflect.apply(call, of, args);
      throw new Error('killed');
    });
    await expect(run(), `${when} ${step}`).rejects.toThrow('killed');
    Reflect.set(of, step, call);
  }

  it('loses nothing and shows nothing twice, wherever moving ends', async () => {
    await using opened = await filled();
    const { store, account, objects, clock } = opened;
    const asked = async () => JSON.stringify(await store.matches({ accountId: account.id, limit: 99 }));
    const hot = await asked();
    const writes = { ...store };
    for (const when of ['before', 'after'] as const)
      for (const step of [
        'planColdObject',
        'put',
        'recordColdObject',
        'takeColdLeftovers',
        'remove',
        'forgetColdLeftovers',
      ]) {
        // Objects that were planned and left are due to be deleted, and one more.
        clock.at += 2 * 3_600_000;
        await store.planColdObject(`${when} ${step}`, clock.now());
        objects.stored.set(`${when} ${step}`, new Uint8Array());
        await killedAt(step in objects ? objects : writes, step, when, () => makeCold(writes, objects, clock, 0));
        opened.forget();
        expect(await asked()).toBe(hot);
      }
    await opened.cool(0);
    clock.at += 3 * 3_600_000;
    await opened.cool(0);
    expect(await asked()).toBe(hot);
    expect(await textsIn(objects)).toHaveLength(24);
    expect((await store.coldFigures()).objects).toBe(objects.stored.size);
  });

  /** Days of which each has three objects, as if each part of it had been moved on its own. */
  async function inParts() {
    const opened = await stand();
    const { store, objects, clock, commit, rule, both, other } = opened;
    const apart = { ...store, nextColdMerge: async () => ({ objects: [], after: undefined }) };
    for (const day of range(3))
      for (const part of range(3)) {
        await commit(day, eventOf(`a${day}${part}`, [rule, other.rule]), eventOf(`b${day}${part}`, [both]));
        await makeCold(apart, objects, clock, 0);
      }
    expect(objects.stored.size).toBe(18);
    return opened;
  }

  it('writes the small objects of a day as one, and gives the same answers', async () => {
    await using opened = await inParts();
    const { store, account, other, rule, both, objects } = opened;
    const asked = () =>
      Promise.all([answers(store, account, [rule, both]), answers(store, other.account, [other.rule])]);
    const before = await asked();
    const texts = await textsIn(objects);
    const was = await store.coldFigures();
    await opened.cool();
    opened.forget();
    expect(objects.stored.size).toBe(6);
    expect(await asked()).toEqual(before);
    expect(await textsIn(objects)).toEqual(texts);
    const bytes = [...objects.stored.values()].reduce((sum, { length }) => sum + length, 0);
    expect(await store.coldFigures()).toMatchObject({ objects: 6, matches: was.matches, bytes, oldest: was.oldest });
    // A day that is one object is left as it is.
    const keys = [...objects.stored.keys()];
    await opened.cool();
    expect([...objects.stored.keys()]).toEqual(keys);
    // A match that is erased from it goes.
    await store.deleteMatches(account.id, 'x', 'a01');
    await opened.cool();
    expect((await textsIn(objects)).filter((text) => text === 'post a01')).toHaveLength(1);
  });

  it('merges no object with a match that went, and none from which one goes meanwhile', async () => {
    await using opened = await inParts();
    const { store, account, objects } = opened;
    const { objects: found } = await store.nextColdMerge({ account: 0, first: 0 });
    expect(found).toHaveLength(3);
    await store.planColdObject('merged', at(11 * DAY));
    const draft = (await store.mergeColdObjects(found, 'merged'))!;
    expect(draft.of).toEqual(found.map(({ key }) => key));
    await store.deleteMatches(account.id, 'x', 'b01');
    expect(await store.recordColdMerge(draft)).toBe(false);
    const { objects: next } = await store.nextColdMerge({ account: 0, first: 0 });
    expect(next.map(({ key }) => key)).not.toContain(found[1]!.key);
    await opened.cool();
    expect(await textsIn(objects)).not.toContain('post b01');
    expect(await listed(store, { accountId: account.id })).toHaveLength(17);
  });

  it('loses nothing and shows nothing twice, wherever merging ends', async () => {
    await using opened = await inParts();
    const { store, account, other, objects, clock } = opened;
    const asked = async () =>
      JSON.stringify([
        await store.matches({ accountId: account.id, limit: 99 }),
        await store.matches({ accountId: other.account.id, limit: 99 }),
      ]);
    const before = await asked();
    const writes = { ...store };
    for (const when of ['before', 'after'] as const)
      for (const step of [
        'nextColdMerge',
        'planColdObject',
        'mergeColdObjects',
        'put',
        'recordColdMerge',
        'noteColdOutcome',
        'takeColdLeftovers',
        'remove',
        'forgetColdLeftovers',
      ]) {
        clock.at += 2 * 3_600_000;
        await store.planColdObject(`${when} ${step}`, clock.now());
        await killedAt(step in objects ? objects : writes, step, when, () => makeCold(writes, objects, clock));
        opened.forget();
        expect(await asked(), `${when} ${step}`).toBe(before);
      }
    clock.at += 3 * 3_600_000;
    await opened.cool();
    opened.forget();
    expect(await asked()).toBe(before);
    expect(objects.stored.size).toBe(6);
    expect((await store.coldFigures()).objects).toBe(6);
  });

  it('takes one object into use where two nodes have written the same matches', async () => {
    await using opened = await filled();
    const { store, objects } = opened;
    const { task } = await store.nextColdTask(0, at(10 * DAY));
    const drafts = [];
    for (const key of ['one', 'two', 'three']) {
      await store.planColdObject(key, at(11 * DAY));
      drafts.push((await store.writeColdObject(task!, key))!);
    }
    expect(await Promise.all(drafts.slice(0, 2).map((draft) => store.recordColdObject(draft)))).toContain(true);
    expect(await store.recordColdObject(drafts[2]!)).toBe(false);
    expect((await store.coldFigures()).objects).toBe(1);
    expect(await store.takeColdLeftovers(at(10 * DAY), 9)).toHaveLength(2);
    expect(objects.stored.size).toBe(3);
  });

  it('does not take an object into use whose time is over, or from which a match was erased', async () => {
    await using opened = await filled();
    const { store, account } = opened;
    const { task } = await store.nextColdTask(0, at(10 * DAY));
    const written = async (key: string) => {
      await store.planColdObject(key, at(11 * DAY));
      return (await store.writeColdObject(task!, key))!;
    };
    const late = await written('late');
    expect(await store.takeColdLeftovers(at(11 * DAY), 9)).toEqual(['late']);
    expect(await store.recordColdObject(late)).toBe(false);
    const stale = await written('stale');
    await store.deleteMatches(account.id, 'x', 'a0');
    expect(await store.recordColdObject(stale)).toBe(false);
    expect((await store.takeColdLeftovers(at(10 * DAY), 9)).toSorted()).toEqual(['late', 'stale']);
    expect(await listed(store, { accountId: account.id })).toHaveLength(11);
    expect(await store.coldFigures()).toMatchObject({ objects: 0, matches: 0, bytes: 0, oldest: undefined });
  });

  it('fetches no object for matches that another source brought', async () => {
    await using opened = await stand();
    const { store, account, rule, both, commit, objects } = opened;
    for (const day of range(3))
      await commit(day, eventOf(`a${day}`, [rule, both], { source: day === 1 ? 'wire' : 'push' }));
    await opened.cool(0);
    const found = async (source: string, narrow: object) => {
      opened.forget();
      objects.fetched.length = 0;
      const query = { accountId: account.id, source, limit: 9, ...narrow };
      const pages = [await store.matches(query), await store.matchesAfter({ ...query, after: 0 })];
      return [...pages.map(({ matches }) => new Set(posts(matches)).size), new Set(objects.fetched).size];
    };
    for (const narrow of [{}, { ruleId: rule.id }, { platform: 'x' }]) {
      expect(await found('nobody', narrow)).toEqual([0, 0, 0]);
      expect(await found('wire', narrow)).toEqual([1, 1, 1]);
    }
  });

  it('reads an object that is written anew while its matches are listed', async () => {
    await using opened = await filled();
    const { store, account, objects } = opened;
    await opened.cool(0);
    opened.forget();
    await store.deleteMatches(account.id, 'x', 'a3');
    const { get } = objects;
    // Between the row and its object all is written anew, and a match is erased.
    let isFirst = true;
    objects.get = async (key) => {
      if (isFirst) {
        isFirst = false;
        await store.deleteMatches(account.id, 'x', 'b3');
        await store.deleteMatches(account.id, 'x', 'b4');
        await opened.cool();
      }
      return get(key);
    };
    const shown = await listed(store, { accountId: account.id });
    expect(shown).not.toContain('a3');
    expect(shown.filter((post) => post !== 'b3' && post !== 'b4')).toHaveLength(9);
  });
}
