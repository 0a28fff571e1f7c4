import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { systemClock } from '../../base/clock.ts';
import type { Rule } from '../../domain/rule.ts';
import type { ImagePart, ImageReader } from '../../engine/core/image.ts';
import { newAnalyzer } from '../../engine/events/analyzer.ts';
import { type EventView, isRejection } from '../../engine/events/event-view.ts';
import { languages } from '../../rules/languages.ts';
import { createReceipt } from './batch-queue.ts';
import { createLiveRecords, restoreLiveRecords } from './live-records.ts';
import { type LiveRule, liveRuleOf } from './live-rule.ts';
import { isLong, mayBeLong } from './long-events.ts';
import { createMatching, type Matching } from './matching.ts';
import { createPushedBytes } from './pushed-bytes.ts';

const matchingOf = (upstreams: readonly string[] = []): Matching =>
  createMatching({
    languages: languages({ local: true }),
    clock: systemClock,
    isUpstream: (platform) => upstreams.includes(platform),
    onUnreadable: () => {},
  });

const rule = (id: string, value: string, change: Partial<LiveRule> = {}): LiveRule => ({
  id,
  accountId: 'a',
  version: 1,
  texts: { x: { value, flags: {} } },
  ...change,
});

function viewOf(text: string): EventView {
  const view = newAnalyzer('x')({ data: { id: '1', text } });
  if (isRejection(view)) throw new Error(view.rejected);
  return view;
}

const found = (matching: Matching, text: string, accountId?: string) =>
  matching.rules.x.match(viewOf(text), { accountId })!.found.map(({ ruleId, version }) => `${ruleId} v${version}`);

/** The image as it would be read from a file. */
function readerOf(image: readonly ImagePart[]): ImageReader {
  const parts = new Map(image.map(({ name, bytes }) => [name, Uint8Array.from(bytes)]));
  const part = (name: string) => {
    const bytes = parts.get(name);
    if (bytes === undefined) throw new Error(`There is no part ${name}.`);
    return bytes;
  };
  return {
    sizeOf: (name) => part(name).length,
    readInto: async (name, target) => target.set(part(name)),
  };
}

describe('live rules', () => {
  it('are matched by their newest text, and are gone when they are dropped', () => {
    const matching = matchingOf();
    matching.put(rule('one', 'storm'));
    matching.put(rule('one', 'rain', { version: 2 }));
    expect([found(matching, 'storm'), found(matching, 'rain')]).toEqual([[], ['one v2']]);
    matching.drop('one');
    expect([found(matching, 'rain'), matching.size('x'), matching.changes]).toEqual([[], 0, 3]);
    matching.drop('never there');
  });

  it('leave a platform that they have no text for, or one that cannot be read', () => {
    const matching = matchingOf();
    matching.put(rule('one', 'storm'));
    matching.put(rule('one', '', { texts: { firehose: { value: 'title:storm', flags: {} } } }));
    expect([matching.size('x'), matching.size('firehose')]).toEqual([0, 1]);
    matching.put(rule('one', '('));
    expect([matching.size('x'), matching.size('firehose')]).toEqual([0, 0]);
  });

  it('of one account alone are found where the event is its own', () => {
    const matching = matchingOf();
    matching.put(rule('one', 'storm'));
    matching.put(rule('two', 'storm', { accountId: 'b' }));
    expect(found(matching, 'storm').toSorted()).toEqual(['one v1', 'two v1']);
    expect(found(matching, 'storm', 'b')).toEqual(['two v1']);
  });

  it('of an account that rests are not found, in any way, until it rests no longer', async () => {
    const matching = matchingOf(['x']);
    const text = { value: 'storm', flags: {} };
    matching.put(rule('one', 'storm'));
    matching.put(rule('two', 'storm', { accountId: 'b' }));
    matching.rules.x.live.suspendAccounts('budget_spent', new Set(['a']));
    expect(found(matching, 'storm')).toEqual(['two v1']);
    expect((await matching.rules.x.matchInSlices(viewOf('storm'), undefined)).found).toHaveLength(1);
    expect(matching.rules.x.live.holders(text).map(({ ruleId }) => ruleId)).toEqual(['two']);
    matching.rules.x.live.suspendAccounts('account_suspended', new Set(['a']));
    matching.rules.x.live.suspendAccounts('budget_spent', new Set());
    expect(matching.rules.x.live.holders(text)).toHaveLength(1);
    matching.rules.x.live.suspendAccounts('account_suspended', new Set());
    expect(matching.rules.x.live.holders(text)).toHaveLength(2);
  });

  it('are found by their very text, where an upstream names it', () => {
    const matching = matchingOf(['x']);
    const ids = (value: string) => matching.rules.x.live.holders({ value, flags: {} }).map(({ ruleId }) => ruleId);
    matching.put(rule('one', 'storm'));
    matching.put(rule('two', 'storm'));
    matching.put(rule('three', 'Storm'));
    expect([ids('storm'), ids('Storm'), ids('rain')]).toEqual([['one', 'two'], ['three'], []]);
    matching.put(rule('one', 'rain'));
    matching.drop('two');
    expect([ids('storm'), ids('rain')]).toEqual([[], ['one']]);
    const local = matchingOf();
    local.put(rule('one', 'storm'));
    expect(local.rules.x.live.holders({ value: 'storm', flags: {} })).toEqual([]);
  });

  it('without an anchor are named to their account alone', () => {
    const matching = matchingOf();
    matching.put(rule('slow', '', { texts: { firehose: { value: 'dr:[50 TO 100]', flags: {} } } }));
    matching.put(rule('fast', 'storm'));
    expect(matching.rules.firehose.live.slow('a').map(({ ruleId }) => ruleId)).toEqual(['slow']);
    expect([matching.rules.firehose.live.slow('b'), matching.rules.x.live.slow('a')]).toEqual([[], []]);
  });

  it('have a query where their language takes their text', () => {
    const matching = matchingOf();
    const text = { value: 'storm', flags: {} };
    const query = matching.rules.x.queryOf(text);
    expect(query).toMatchObject({ kind: 'term', term: 'storm' });
    expect(matching.rules.x.queryOf(text)).toBe(query);
    expect(matching.rules.x.queryOf({ value: '(', flags: {} })).toBeUndefined();
  });
});

describe('an image of live rules', () => {
  const flags = [
    {},
    { quality: true },
    { quality: false },
    { nsfw: true },
    { nsfw: false },
    { quality: true, nsfw: false },
    { quality: false, nsfw: true },
  ];

  it('brings back every rule with its account, version and flags, but for those that are gone', async () => {
    const before = matchingOf(['x', 'firehose']);
    before.put(rule('gone', 'storm'));
    for (const [at, set] of flags.entries())
      before.put(rule(`r${at}`, '', { accountId: `a${at % 3}`, version: at + 1, texts: pageText(set) }));
    before.put(rule('x1', 'storm', { version: 9 }));
    before.drop('gone');
    const after = matchingOf(['x', 'firehose']);
    await after.restore(readerOf(before.image()));
    expect([after.size('x'), after.size('firehose')]).toEqual([1, flags.length]);
    expect(found(after, 'storm')).toEqual(['x1 v9']);
    for (const [at, set] of flags.entries())
      expect(after.rules.firehose.live.holders(pageText(set).firehose)).toEqual([
        { ruleId: `r${at}`, accountId: `a${at % 3}`, version: at + 1, text: pageText(set).firehose },
      ]);
  });

  it('of restored rules, some of which changed since, is the same again', async () => {
    const first = matchingOf(['x']);
    for (const id of ['one', 'two', 'three']) first.put(rule(id, `${id} storm`, { accountId: id }));
    const second = matchingOf(['x']);
    await second.restore(readerOf(first.image()));
    second.drop('two');
    second.put(rule('one', 'rain', { accountId: 'new', version: 2 }));
    second.put(rule('four', 'storm', { accountId: 'three' }));
    const third = matchingOf(['x']);
    await third.restore(readerOf(second.image()));
    expect(found(third, 'one two three storm rain').toSorted()).toEqual(['four v1', 'one v2', 'three v1']);
    const [one] = third.rules.x.live.holders({ value: 'rain', flags: {} });
    expect(one).toMatchObject({ accountId: 'new', version: 2 });
    expect(third.rules.x.live.holders({ value: 'three storm', flags: {} })).toMatchObject([{ accountId: 'three' }]);
  });

  it('does not undo what changed while it was read, and changes nothing when it is damaged', async () => {
    const before = matchingOf();
    before.put(rule('one', 'storm'));
    before.put(rule('two', 'storm'));
    const image = before.image().map(({ name, bytes }) => ({ name, bytes: Uint8Array.from(bytes) }));
    const after = matchingOf();
    after.put(rule('kept', 'storm'));
    await expect(after.restore(readerOf(image.slice(1)))).rejects.toThrow('There is no part');
    expect(found(after, 'storm')).toEqual(['kept v1']);
    after.put(rule('one', 'rain', { version: 2 }));
    after.drop('two');
    await after.restore(readerOf(image));
    expect([found(after, 'storm'), found(after, 'rain')]).toEqual([['kept v1'], ['one v2']]);
  });
});

const pageText = (set: object) => ({ firehose: { value: 'title:storm', flags: set } });

describe('the records of live rules', () => {
  const record = (ruleId: string, accountId = 'a') => ({
    ruleId,
    accountId,
    version: 3,
    text: { value: `text of ${ruleId}`, flags: {} },
  });

  it('are kept by number, over the pages that they are held in', async () => {
    const far = (1 << 14) + 5;
    const records = createLiveRecords(() => '');
    records.set(0, record('zero'));
    records.set(far, record('far', 'b'));
    expect([records.at(0), records.at(far), records.at(5), records.at(1 << 20)]).toEqual([
      record('zero'),
      record('far', 'b'),
      undefined,
      undefined,
    ]);
    const restored = await restoreLiveRecords(readerOf(records.image(far + 1)), (number) =>
      number === 0 ? 'zero' : 'far',
    );
    expect([restored.at(0), restored.at(far), restored.at(5), restored.at(far + 1)]).toEqual([
      record('zero'),
      record('far', 'b'),
      undefined,
      undefined,
    ]);
    restored.remove(far);
    expect(restored.at(far)).toBeUndefined();
    const again = await restoreLiveRecords(readerOf(restored.image(far + 1)), () => 'zero');
    expect([again.at(0), again.at(far)]).toEqual([record('zero'), undefined]);
  });
});

describe('a stored rule', () => {
  const held = (status: string) => ({ value: 'storm', flags: {}, status });
  const stored = (change: object) =>
    ({ id: 'r', accountId: 'a', version: 2, paused: false, platforms: {}, ...change }) as unknown as Rule;

  it('is matched where it is active, missing or failed, and not while it is paused or pending', () => {
    const statuses = ['active', 'failed', 'pending', 'missing'];
    const matched = statuses.map((status) => liveRuleOf(stored({ platforms: { x: held(status) } })).texts.x?.value);
    expect(matched).toEqual(['storm', 'storm', undefined, 'storm']);
    const both = { x: held('active'), firehose: held('active') };
    expect(Object.keys(liveRuleOf(stored({ platforms: both })).texts)).toEqual(['x', 'firehose']);
    expect(liveRuleOf(stored({ platforms: both, paused: true }))).toEqual({
      id: 'r',
      accountId: 'a',
      version: 2,
      texts: {},
    });
  });
});

describe('a long event', () => {
  it('has more than 32 KiB of characters in its texts, wherever texts may stand', () => {
    const most = 32 * 1024;
    expect([mayBeLong('x'.repeat(most)), mayBeLong('x'.repeat(most + 1))]).toEqual([false, true]);
    const half = 'x'.repeat(most / 2);
    expect(isLong({ data: { text: half, note_tweet: { text: half } } })).toBe(false);
    expect(isLong({ data: { text: half, note_tweet: { text: `${half}x` } } })).toBe(true);
    expect(isLong({ diff: { chunks: [{ text: half }, { text: `${half}x` }] } })).toBe(true);
    expect(isLong({ a: { b: { c: { d: { e: 'x'.repeat(most + 1) } } } } })).toBe(false);
    expect(isLong({ a: null, b: 7 })).toBe(false);
  });
});

describe('a receipt', () => {
  it('is done when the push and all of its events are settled, with the number of matches', async () => {
    const receipt = createReceipt();
    receipt.expect(2);
    receipt.confirm(3);
    receipt.confirm(0);
    let isDone = false;
    const done = receipt.done.then((matches) => {
      isDone = true;
      return matches;
    });
    await Promise.resolve();
    expect([isDone, receipt.hasFailed]).toEqual([false, false]);
    receipt.confirm(4);
    expect(await done).toBe(7);
  });

  it('fails with what the store threw', async () => {
    const receipt = createReceipt();
    receipt.fail(new Error('full'));
    expect(receipt.hasFailed).toBe(true);
    await expect(receipt.done).rejects.toThrow('full');
  });
});

describe('pushed bytes', () => {
  const stage = (limits: { pushedPerMinute?: number; pushedPerDay?: number }, sharers = 1) => {
    const clock = fakeClock('2026-11-15T08:30:15.000Z');
    return { clock, bytes: createPushedBytes({ clock, limits, sharers: () => sharers, support: 'help@a.example' }) };
  };

  it('fit up to the limit, which the processes that answer share', () => {
    const { bytes } = stage({ pushedPerMinute: 100 }, 2);
    bytes.count({ id: 'a' }, 50);
    expect(() => bytes.count({ id: 'a' }, 1)).toThrow(/push 100 bytes a minute/);
    expect(bytes.used('a')).toEqual({ minute: 50, day: 50 });
    bytes.count({ id: 'b' }, 50);
    // An account may have a limit of its own, or none.
    bytes.count({ id: 'c', limits: { pushed_bytes_per_minute: null } }, 5_000);
    expect(() => bytes.count({ id: 'd', limits: { pushed_bytes_per_minute: 10 } }, 6)).toThrow(
      /push 10 bytes a minute/,
    );
    expect(() => stage({}).bytes.count({ id: 'a' }, 5_000)).not.toThrow();
  });

  it.each([
    [{ pushedPerMinute: 10 }, 'pushed_bytes_per_minute', 45],
    [{ pushedPerDay: 10 }, 'pushed_bytes_per_day', 15 * 3_600 + 29 * 60 + 45],
  ])('beyond %j say when there is room again', (limits, limit_code, retryAfter) => {
    const { bytes, clock } = stage(limits);
    bytes.count({ id: 'a' }, 9);
    const error = errorOf(() => bytes.count({ id: 'a' }, 2));
    expect(error).toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code, limit: 10, used: 9 },
      retryAfter,
    });
    clock.jump(retryAfter * 1_000 - 1);
    expect(() => bytes.count({ id: 'a' }, 2)).toThrow('push 10 bytes');
    clock.jump(1);
    bytes.count({ id: 'a' }, 10);
  });
});

function errorOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
