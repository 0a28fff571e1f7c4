import { describe, expect, it, vi } from 'vitest';
import { postIdIn } from '../../../test/stages/committed.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import type { Event } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import { DistinctWords } from '../../engine/events/distinct-words.ts';
import { ViewLookup } from '../../engine/one-rule/view-lookup.ts';
import { StoreError } from '../../store/error.ts';
import { openSqlite } from '../../store/sqlite.ts';
import type { Commit, Store } from '../../store/store.ts';

const storm = { name: 'Storms', intent: '', platforms: ['x'], overrides: { x: 'storm' } };
const line = (id: string, text: string) => JSON.stringify({ data: { id, text } });

async function stage(options?: Parameters<typeof openService>[0]) {
  const test = await openService(options);
  const alice = await test.caller('alice');
  const push = (...lines: string[]) => test.call(alice, 'pushEvents', { platform: 'x', lines: lines.join('\n') });
  return Object.assign(test, { alice, push });
}

/** The events that previews look at, newest first. */
async function recentOf({ store, alice }: Awaited<ReturnType<typeof stage>>, platform: Platform): Promise<Event[]> {
  const events: Event[] = [];
  for await (const slice of store.recentEvents(alice.account.id, platform, 10))
    events.push(...slice.map((one) => one.event));
  return events;
}

describe('push events', () => {
  it('refuses a bad line alone, and says which and why', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', storm);
    const answer = await test.push(
      line('1', 'storm'),
      '{"data":',
      '',
      '[]',
      '{"data":{"text":"no id"}}',
      `  ${line('2', 'storm')}\r`,
      `{"data":{"id":"3","text":"deep","x":${'['.repeat(80)}${']'.repeat(80)}}}`,
      line('4', 's'.repeat(1_100_000)),
      line('5'.repeat(2_000), 'storm'),
    );
    expect(answer).toMatchObject({ accepted: 2, matches: 2 });
    expect(answer.rejected.map(({ line: number }) => number)).toEqual([2, 4, 5, 7, 8, 9]);
    expect(answer.rejected.map(({ message }) => message)[0]).toBe('The line is refused: it is not valid JSON.');
  });

  it('refuses an event beyond a limit, or with an id that cannot be kept, and names the field', async () => {
    await using test = await stage();
    const hashtags = Array.from({ length: 40_000 }, () => ({ tag: 'a' }));
    const answer = await test.push(
      JSON.stringify({ data: { id: '1', text: 'a', entities: { hashtags } } }),
      '{"data":{"id":"2\\ud800","text":"a"}}',
      line('3', 'a'),
    );
    expect(answer).toMatchObject({ accepted: 1 });
    expect(answer.rejected).toEqual([
      { line: 1, message: 'The line is refused: `data.entities.hashtags` has 40000 entries, and 2000 are the most.' },
      { line: 2, message: 'The line is refused: `data.id` has half a surrogate pair, which UTF-8 cannot carry.' },
    ]);
  });

  it('takes nothing for nothing', async () => {
    await using test = await stage();
    expect(await test.push('')).toEqual({ accepted: 0, matches: 0, rejected: [] });
  });

  it('lists a thousand bad lines and counts the others', async () => {
    await using test = await stage();
    const answer = await test.push(...Array.from({ length: 1_200 }, () => 'x'));
    expect([answer.accepted, answer.rejected.length, answer.more_rejected]).toEqual([0, 1_000, 200]);
  });

  it('stores a post once for a rule, however often it arrives', async () => {
    await using test = await stage();
    const { rule_id } = await test.call(test.alice, 'createRule', storm);
    expect(await test.push(line('1', 'storm'), line('1', 'storm'))).toMatchObject({ accepted: 2, matches: 1 });
    expect(await test.push(line('1', 'storm'))).toMatchObject({ accepted: 1, matches: 0 });
    expect((await test.call(test.alice, 'listMatches', { rule_id })).matches).toHaveLength(1);
  });

  it('keeps of a post its data and includes, and a page as it is', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', {
      ...storm,
      platforms: ['x', 'firehose'],
      overrides: { x: 'storm', firehose: 'storm' },
    });
    const post = { data: { id: '1', text: 'storm', made_up: [1.5, null, { a: '\ud83c' }] }, includes: { users: [] } };
    const page = { url: 'https://a.example', added: 'storm', more: { kept: true } };
    await test.push(JSON.stringify({ ...post, matching_rules: [{ id: '9' }] }));
    await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    const { matches } = await test.call(test.alice, 'listMatches');
    expect(matches.map(({ payload }) => payload)).toEqual([page, post]);
  });

  it('makes no object of a post that matches nothing, and keeps for previews what it keeps of others', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', storm);
    const plain = { data: { id: '1', text: 'calm' } };
    const whole = { data: { id: '2', text: 'calm \u{1f30a}' }, includes: { users: [] } };
    const edited = { data: { id: '4', text: 'calm', edit_history_tweet_ids: ['3', '4'] } };
    using parse = vi.spyOn(JSON, 'parse');
    await test.push(JSON.stringify(plain), ` ${JSON.stringify({ ...whole, matching_rules: [{ id: '9' }] })}\r`);
    expect(parse.mock.calls.filter(([text]) => text.includes('calm'))).toEqual([]);
    // Its matches would point to those of earlier versions.
    await test.push(JSON.stringify(edited));
    expect(parse.mock.calls.filter(([text]) => text.includes('calm'))).toHaveLength(1);
    expect((await recentOf(test, 'x')).map(({ payload }) => payload)).toEqual([edited, whole, plain]);
  });

  it('makes an object of a page that matches nothing only to tell it apart, where it has no id', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides: { firehose: 'storm' } });
    const pages = [
      { id: 'a', url: 'https://a.example', added: 'calm' },
      { url: 'https://b.example', added: 'calm' },
    ];
    const push = (page: object) =>
      test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify(page) });
    using parse = vi.spyOn(JSON, 'parse');
    await push(pages[0]!);
    expect(parse.mock.calls.filter(([text]) => text.includes('calm'))).toEqual([]);
    await push(pages[1]!);
    const [second, first] = await recentOf(test, 'firehose');
    expect([first!.payload, second!.payload]).toEqual(pages);
    expect([first!.postId, second!.postId]).toEqual(['a', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it('leaves a long page to be read, matched and shown in slices', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides: { firehose: 'storm' } });
    using atOnce = vi.spyOn(test.service.context.matching.rules.firehose, 'matchLine');
    const push = (added: string) =>
      test.call(test.alice, 'pushEvents', { platform: 'firehose', lines: JSON.stringify({ id: 'a', added }) });
    expect(await push(`storm ${'calm '.repeat(14_000)}`)).toMatchObject({ matches: 1 });
    expect(atOnce).not.toHaveBeenCalled();
    await push('calm');
    expect(atOnce).toHaveBeenCalledOnce();
  });

  it('tells pages without an id apart by address, time and change', async () => {
    await using test = await stage();
    await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides: { firehose: 'storm' } });
    const page = { url: 'https://a.example', publish_time: '2026-11-15T08:00:00', added: 'storm' };
    const lines = [
      page,
      page,
      { ...page, added: 'storm again' },
      { ...page, publish_time: '2026-11-16T08:00:00' },
      { ...page, title: 'x' },
    ];
    const answer = await test.call(test.alice, 'pushEvents', {
      platform: 'firehose',
      lines: lines.map((one) => JSON.stringify(one)).join('\n'),
    });
    expect(answer).toMatchObject({ accepted: 5, matches: 3 });
  });

  it('reaches its own account with a full key, and everybody with an ingest key', async () => {
    await using test = await stage();
    const bob = await test.caller('bob');
    const operator = await test.caller('default', { scope: 'ingest' });
    for (const caller of [test.alice, bob]) await test.call(caller, 'createRule', storm);
    expect(await test.push(line('1', 'storm'))).toMatchObject({ matches: 1 });
    expect((await test.call(bob, 'listMatches')).matches).toEqual([]);
    expect(await test.call(operator, 'pushEvents', { platform: 'x', lines: line('2', 'storm') })).toMatchObject({
      matches: 2,
    });
    for (const caller of [test.alice, bob]) {
      const { matches } = await test.call(caller, 'listMatches');
      expect(matches[0]?.platform_post_id).toBe('2');
    }
  });

  it('stores all matches of a post that satisfies a great many rules', async () => {
    await using test = await stage();
    const rich = await test.caller('rich', { xRules: 1_000 });
    for (let count = 0; count < 450; count++) await test.call(rich, 'createRule', storm);
    expect(await test.call(rich, 'pushEvents', { platform: 'x', lines: line('1', 'storm') })).toMatchObject({
      matches: 450,
    });
    const { matches } = await test.call(rich, 'listMatches', { limit: 1_000 });
    expect(new Set(matches.map(({ rule_id }) => rule_id)).size).toBe(450);
  });

  it('gives way to others while it works through a large push', async () => {
    await using test = await stage();
    const progress = { done: false, turns: 0 };
    const pushing = async () => {
      await test.push(...Array.from({ length: 3_000 }, (_, at) => line(String(at), 'calm seas')));
      progress.done = true;
    };
    const pushed = pushing();
    for (; !progress.done; progress.turns++) await new Promise((resolve) => setImmediate(resolve));
    await pushed;
    expect(progress.turns).toBeGreaterThan(10);
  });

  it('gives way to others while the patterns of one rule are tested on a long page', async () => {
    await using test = await stage();
    const patterns = Array.from({ length: 300 }, (_, index) => `*?${index}-z`).join(' OR ');
    const overrides = { firehose: `${patterns} OR *?it` };
    await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides });
    const words = Array.from({ length: 4_000 }, (_, index) => `w${index}`).join(' ');
    const lines = [words, `${words} whit`].map((added, id) => JSON.stringify({ id: String(id), added })).join('\n');
    const progress = { done: false, turns: 0 };
    const workedIn = new Set<number>();
    using spy = vi.spyOn(DistinctWords.prototype, 'inField');
    const pushing = async () => {
      expect(await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines })).toMatchObject({ matches: 1 });
      progress.done = true;
    };
    const pushed = pushing();
    for (let seen = 0; !progress.done; progress.turns++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (spy.mock.calls.length > seen) workedIn.add(progress.turns);
      seen = spy.mock.calls.length;
    }
    await pushed;
    expect(workedIn.size).toBeGreaterThan(10);
  });

  it('makes the highlights of a line that is not short in another turn than that in which it is matched', async () => {
    await using test = await stage();
    const overrides = { firehose: 'l*v*a*' };
    await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides });
    const rules = test.service.context.matching.rules.firehose;
    const progress = { done: false, turns: 0 };
    const seen: (readonly [string, number])[] = [];
    const { matchLine, highlight } = rules;
    vi.spyOn(rules, 'matchLine').mockImplementation((...given) => {
      seen.push(['matched', progress.turns]);
      return matchLine(...given);
    });
    vi.spyOn(rules, 'highlight').mockImplementation((...given) => {
      seen.push(['highlighted', progress.turns]);
      return highlight(...given);
    });
    const pushing = async () => {
      const lines = JSON.stringify({ id: '1', url: 'https://example.com', added: `lava ${'word '.repeat(2_000)}` });
      expect(await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines })).toMatchObject({ matches: 1 });
      progress.done = true;
    };
    const pushed = pushing();
    for (; !progress.done; progress.turns++) await new Promise((resolve) => setImmediate(resolve));
    await pushed;
    expect(seen.map(([what]) => what)).toEqual(['matched', 'highlighted']);
    expect(seen[1]![1]).toBeGreaterThan(seen[0]![1]);
  });

  it('gives way to others between the matches of one page whose highlights take long', async () => {
    await using test = await stage();
    const patterns = Array.from({ length: 200 }, (_, index) => `*?${index}z`).join(' OR ');
    const rules = 10;
    for (let count = 0; count < rules; count++) {
      const overrides = { firehose: `storm OR ${patterns} OR r${count}` };
      await test.call(test.alice, 'createRule', { ...storm, platforms: ['firehose'], overrides });
    }
    const words = Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(' ');
    const progress = { done: false, turns: 0 };
    const workedIn = new Set<number>();
    const steps = Object.getOwnPropertyDescriptor(ViewLookup.prototype, 'isOutOfSteps')!.get!;
    using spy = vi.spyOn(ViewLookup.prototype, 'isOutOfSteps', 'get');
    spy.mockImplementation(function (this: ViewLookup): boolean {
      workedIn.add(progress.turns);
      return steps.call(this) as boolean;
    });
    const pushing = async () => {
      const lines = JSON.stringify({ id: '1', url: 'https://example.com', added: `storm ${words}` });
      expect(await test.call(test.alice, 'pushEvents', { platform: 'firehose', lines })).toMatchObject({
        matches: rules,
      });
      progress.done = true;
    };
    const pushed = pushing();
    for (; !progress.done; progress.turns++) await new Promise((resolve) => setImmediate(resolve));
    await pushed;
    expect(workedIn.size).toBeGreaterThanOrEqual(rules);
    const { matches } = await test.call(test.alice, 'listMatches', { limit: 50 });
    expect(matches.map(({ highlights }) => highlights?.length)).toEqual(Array.from({ length: rules }, () => 1));
  });
});

describe('group commit', () => {
  /** A store that counts its commits, and fails while told to. */
  async function watched(clock = fakeClock()) {
    const store = await openSqlite(':memory:', { clock });
    const commits: Commit[] = [];
    const fault = { on: false, fired: 0 };
    const check = () => {
      if (!fault.on) return;
      fault.fired++;
      throw new StoreError('unwritable', 'no space left');
    };
    const spied: Store = Object.assign(Object.create(store) as Store, {
      async commit(batch: Commit) {
        check();
        commits.push(batch);
        return store.commit(batch);
      },
      async check() {
        check();
        return store.check();
      },
    });
    const test = await stage({ clock, store: spied });
    return Object.assign(test, { clock, commits, fault });
  }

  it('waits for company, but not for long', async () => {
    await using test = await watched();
    const pushes = Promise.all([test.push(line('1', 'a')), test.push(line('2', 'b'))]);
    await test.clock.pass(19);
    expect(test.commits).toHaveLength(0);
    await test.clock.pass(1);
    expect(await pushes).toMatchObject([{ accepted: 1 }, { accepted: 1 }]);
    expect(test.commits.map(({ events }) => events.length)).toEqual([2]);
  });

  it('does not wait when there is enough, and keeps the order', async () => {
    await using test = await watched();
    const ids = Array.from({ length: 500 }, (_, at) => String(at));
    const pushed = test.push(...ids.map((id) => line(id, 'a')));
    await test.clock.pass(20);
    await pushed;
    expect(test.commits[0]?.events).toHaveLength(200);
    expect(test.commits.flatMap(({ events }) => events.map(postIdIn))).toEqual(ids);
  });

  it('begins with fewer events after a rule has changed, so that the next change need not wait long', async () => {
    await using test = await watched();
    const ids = Array.from({ length: 500 }, (_, at) => String(at));
    await test.call(test.alice, 'createRule', storm);
    const pushed = test.push(...ids.map((id) => line(id, 'a')));
    await test.clock.pass(20);
    await pushed;
    expect(test.commits[0]?.events).toHaveLength(120);
    expect(test.commits.flatMap(({ events }) => events.map(postIdIn))).toEqual(ids);
  });

  const post = (id: string) => ({ data: { id, text: 'a' } });

  it('moves a cursor in the transaction of the events that it covers, the cursors of two sources apart', async () => {
    await using test = await watched();
    const { ingest } = test.service.context;
    const added = Promise.all([
      ingest.add('x', [post('1'), {}], 'test', { name: 'one', value: '1' }),
      ingest.add('x', [post('2')], 'test', { name: 'two', value: '2' }),
    ]);
    await test.clock.pass(20);
    expect((await added).map((refused) => refused.length)).toEqual([1, 0]);
    expect(new Set(test.commits.map(({ cursor }) => cursor?.name))).toEqual(new Set(['one', 'two']));
    expect(test.commits.flatMap(({ events }) => events)).toHaveLength(2);
    const moved = ingest.add('x', [], 'test', { name: 'two', value: '3' });
    await test.clock.pass(20);
    expect(await moved).toEqual([]);
    expect(test.commits.at(-1)).toMatchObject({ events: [], cursor: { name: 'two', value: '3' } });
    expect([await test.store.cursor('one'), await test.store.cursor('two')]).toEqual(['1', '3']);
  });

  it('leaves a cursor where it is when an event before it was not stored', async () => {
    await using test = await watched();
    test.fault.on = true;
    const cursor = { name: 'one', value: '1' };
    const failed = test.service.context.ingest.add('x', [post('1')], 'test', cursor).catch((error: unknown) => error);
    await test.clock.pass(20);
    expect(await failed).toMatchObject({ code: 'unavailable' });
    expect(test.fault.fired).toBeGreaterThan(0);
    expect(await test.store.cursor('one')).toBeUndefined();
  });

  it('leaves a cursor where it is when the store failed and works again before the source is done', async () => {
    const held = fakeClock();
    // The store is checked again at once, so that the source notices nothing of the failure.
    const sleep = async (milliseconds: number, signal?: AbortSignal) => {
      if (milliseconds !== 100) await held.sleep(milliseconds, signal);
    };
    await using test = await watched({ ...held, sleep });
    const { ingest, store } = test.service.context;
    const commit = store.commit.bind(store);
    let tries = 0;
    store.commit = (batch) => (tries++ === 0 ? Promise.reject(new StoreError('unwritable', 'full')) : commit(batch));
    store.check = async () => {};
    let isDone = false;
    // 192 events with eight matches are 200 rows: the batch is due, and fails, just when the source pauses.
    await test.call(test.alice, 'createRule', storm);
    const textOf = (at: number) => (at < 8 ? 'storm' : 'calm');
    const payloads = Array.from({ length: 400 }, (_, at) => ({ data: { id: String(at), text: textOf(at) } }));
    const added = ingest.add('x', payloads, 'test', { name: 'one', value: '400' }).catch((error: unknown) => error);
    void added.finally(() => {
      isDone = true;
    });
    while (!isDone) await held.pass(1);
    await held.pass(100);
    expect(await added).toMatchObject({ code: 'unavailable' });
    expect([tries > 1, ingest.trouble, await test.store.cursor('one')]).toEqual([true, undefined, undefined]);
  });

  it('answers a push although a listener throws, and tells the other listeners', async () => {
    await using test = await watched();
    const { ingest } = test.service.context;
    const heard: number[] = [];
    ingest.onCommit(() => {
      throw new Error('a listener with a defect');
    });
    ingest.onCommit(({ events }) => heard.push(events));
    const pushed = test.push(line('1', 'a'));
    await test.clock.pass(20);
    expect(await pushed).toMatchObject({ accepted: 1 });
    expect([heard, ingest.trouble]).toEqual([[1], undefined]);
    expect(test.logged).toContain('error a listener failed after a commit');
  });

  it('tells everybody when the store fails, takes nothing while it does, and recovers by itself', async () => {
    await using test = await watched();
    test.fault.on = true;
    const failed = test.push(line('1', 'a')).catch((error: unknown) => error);
    await test.clock.pass(20);
    expect(await failed).toMatchObject({ code: 'unavailable', retryAfter: 1 });
    expect(test.fault.fired).toBe(1);
    expect(test.service.context.readiness.notReady()).toEqual(['store_unwritable']);
    await expect(test.push(line('2', 'b'))).rejects.toMatchObject({ code: 'unavailable' });
    expect((await test.call(test.alice, 'listMatches')).matches).toEqual([]);

    await test.clock.pass(5_000);
    expect(test.fault.fired).toBeGreaterThan(4);
    test.fault.on = false;
    await test.clock.pass(1_000);
    expect(test.service.context.readiness.notReady()).toEqual([]);
    const pushed = test.push(line('3', 'c'));
    await test.clock.pass(20);
    expect(await pushed).toMatchObject({ accepted: 1 });
  });

  it('holds pushers back when the store is slow', async () => {
    await using test = await watched();
    const { promise: blocked, resolve: go } = Promise.withResolvers<void>();
    const { store } = test.service.context;
    const commit = store.commit.bind(store);
    store.commit = (batch) => blocked.then(() => commit(batch));
    const pushed = test.push(...Array.from({ length: 8_000 }, (_, at) => line(String(at), 'a')));
    await test.clock.pass(1_000);
    expect(test.service.context.ingest.queued.events).toBe(5_000);
    go();
    await test.clock.pass(1_000);
    expect(await pushed).toMatchObject({ accepted: 8_000 });
    expect(test.service.context.ingest.queued).toEqual({ events: 0, bytes: 0 });
  });

  it('stores what waits when it is closed', async () => {
    const test = await watched();
    const pushed = test.push(line('1', 'a'));
    await test.clock.pass(1);
    await test.service.close();
    expect(await pushed).toMatchObject({ accepted: 1 });
  });

  it('tells whoever listens, once it is durable', async () => {
    await using test = await watched();
    await test.call(test.alice, 'createRule', storm);
    const heard: unknown[] = [];
    const stop = test.service.context.ingest.onCommit((commit) => heard.push(commit));
    const pushed = test.push(line('1', 'storm'), line('2', 'calm'));
    await test.clock.pass(20);
    await pushed;
    expect(heard).toEqual([
      {
        platform: 'x',
        events: 2,
        matches: 1,
        latest: await test.store.latest(),
        ruleIds: new Set([expect.any(String)]),
        repeats: 0,
        addedByAccount: [1],
        accountIds: [expect.any(String)],
      },
    ]);
    stop();
  });
});

describe('loading', () => {
  it('makes pushes wait until every stored rule is matched', async () => {
    const store = await openSqlite(':memory:');
    const before = await stage({ store });
    await before.call(before.alice, 'createRule', storm);
    await before.call(before.alice, 'createRule', { ...storm, name: 'Paused' });
    const { rules } = await before.call(before.alice, 'listRules');
    await before.call(before.alice, 'updateRule', { rule_id: rules[1]?.id, paused: true });
    await using after = await stage({ store });
    expect(after.service.context.matching.size('x')).toBe(1);
    expect(await after.push(line('1', 'storm'))).toMatchObject({ matches: 1 });
  });

  it('is not ready before', async () => {
    const { service } = await openService({ loaded: false });
    expect(service.context.readiness.notReady()).toEqual(['rules_loading']);
    await service.start();
    expect(service.context.readiness.notReady()).toEqual([]);
  });

  it('is ended by a stop, which lets it use the store until then', async () => {
    const { service, store } = await openService({ loaded: false });
    const read = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    store.everyRule = async function* () {
      read.resolve();
      await goOn.promise;
      yield [];
    };
    const loading = service.start();
    await read.promise;
    let closed = false;
    const closing = (async () => {
      await service.close();
      closed = true;
    })();
    await new Promise(setImmediate);
    expect(closed).toBe(false);
    goOn.resolve();
    await expect(loading).rejects.toThrow('aborted');
    await closing;
    expect(service.context.readiness.notReady()).toContain('rules_loading');
  });
});
