import { describe, expect, it, vi } from 'vitest';
import { collect } from '../../../test/conformance/store/stage.ts';
import { openService } from '../../../test/stages/service.ts';
import { openWeb, rss, type WebRequest } from '../../../test/stages/web.ts';

const feed = (urls: readonly string[] = ['https://a.example/feed'], options: object = {}) => ({
  kind: 'feeds',
  name: 'News',
  options: { urls, ...options },
});

describe('a source of an account', () => {
  it('is created, listed, changed, paused and deleted', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { source_id } = await test.call(alice, 'createSource', feed());
    const [listed] = (await test.call(alice, 'listSources')).sources;
    expect(listed).toMatchObject({ id: source_id, name: 'News', kind: 'feeds', owner: 'account', events: 0 });
    expect(listed!.options).toMatchObject({ urls: ['https://a.example/feed'], every: 900 });
    expect(await test.call(alice, 'updateSource', { source_id, options: { every: 120, slowest: 600 } })).toMatchObject({
      options: { urls: ['https://a.example/feed'], every: 120, slowest: 600 },
    });
    const paused = await test.call(alice, 'updateSource', { source_id, paused: true, name: 'Rests' });
    expect(paused).toMatchObject({ status: 'paused', next_at: null, name: 'Rests' });
    await test.call(alice, 'deleteSource', { source_id });
    await expect(test.call(alice, 'getSource', { source_id })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that has more than it may now can be renamed and paused, and says what to change before it goes on', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { source_id } = await test.call(alice, 'createSource', feed());
    const stored = (await test.store.accountSource(alice.account.id, source_id))!;
    const urls = Array.from({ length: 101 }, (_, at) => `https://a.example/${at}`);
    const grown = { ...stored, options: { ...stored.options, urls }, host: 'a.example', shard: 0 };
    expect(await test.store.changeSource(grown, new Date())).toBe(true);
    const change = (input: object) => test.call(alice, 'updateSource', { source_id, ...input });
    expect(await change({ name: 'Old', paused: true })).toMatchObject({
      name: 'Old',
      options: { urls },
      status: 'paused',
    });
    await expect(change({ paused: false })).rejects.toMatchObject({
      details: {
        issues: [{ path: 'options.urls', message: expect.stringContaining('at most 100 entries: make a source') }],
      },
    });
    expect(await change({ paused: false, options: { urls: urls.slice(1) } })).toMatchObject({ status: 'waiting' });
  });

  it('is created once for one Idempotency-Key', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const once = () => test.call(alice, 'createSource', feed(), { idempotencyKey: 'one' });
    expect(await once()).toEqual(await once());
    expect((await test.call(alice, 'listSources')).sources).toHaveLength(1);
    const other = test.call(alice, 'createSource', feed(['https://b.example/']), { idempotencyKey: 'one' });
    await expect(other).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('is created once by repeats that come at once, and not again once it was deleted', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const once = () => test.call(alice, 'createSource', feed(), { idempotencyKey: 'one' });
    const [first, ...others] = await Promise.all([once(), once(), once()]);
    expect(others).toEqual([first, first]);
    expect((await test.call(alice, 'listSources')).sources).toHaveLength(1);
    await test.call(alice, 'deleteSource', first);
    expect(await once()).toEqual(first);
    expect((await test.call(alice, 'listSources')).sources).toEqual([]);
  });

  it('is created once where another node adds it for the same key at the same time', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { addSource } = test.store;
    vi.spyOn(test.store, 'addSource').mockImplementationOnce(async (...given) => {
      await addSource.apply(test.store, given);
      return addSource.apply(test.store, given);
    });
    const made = await test.call(alice, 'createSource', feed(), { idempotencyKey: 'one' });
    expect((await test.call(alice, 'listSources')).sources.map(({ id }) => id)).toEqual([made.source_id]);
  });

  it.each([
    ['a kind of the operator', { ...feed(), kind: 'ndjson' }, 'kind'],
    ['a kind that holds a connection open', { ...feed(), kind: 'jetstream', options: {} }, 'kind'],
    ['no address', { ...feed(), options: {} }, 'options.urls'],
    ['private addresses', feed(undefined, { allow_private: true }), 'options.allow_private'],
    [
      'the permission of the operator',
      { ...feed(), kind: 'reddit', options: { subreddits: ['ab'], permitted: true } },
      'options.permitted',
    ],
    ['two hosts', feed(['https://a.example/', 'https://b.example/']), 'options.urls'],
    ['a private address by its number', feed(['http://127.0.0.1/']), 'options'],
    ['a private address in IPv6', feed(['http://[::1]:80/']), 'options'],
    ['a header of the connection', feed(undefined, { secret: { Host: 'b.example' } }), 'options.secret'],
    ['a header with two lines', feed(undefined, { secret: { 'x-key': 'a\r\nb: c' } }), 'options.secret'],
    ['an option that its kind has not', feed(undefined, { whatever: 1 }), 'options.whatever'],
    ['an address that is too long', feed([`https://a.example/${'a'.repeat(2_048)}`]), 'options.urls.0'],
    ['a host that no name may have', feed([`https://${'火'.repeat(64)}.example/`]), 'options.urls.0'],
    ['a name that is too long', feed([`https://${'a.'.repeat(127)}example/`]), 'options.urls.0'],
    [
      'more addresses than a visit reads',
      feed(Array.from({ length: 101 }, (_, at) => `https://a.example/${at}`)),
      'options.urls',
    ],
    [
      'more channels than a visit reads',
      {
        kind: 'youtube',
        name: 'Videos',
        options: { channels: Array.from({ length: 101 }, () => 'UC_x5XG1OV2P6uZZ5FSM9Ttw') },
      },
      'options.channels',
    ],
  ])('is refused with %s', async (_, input, path) => {
    await using test = await openService();
    const alice = await test.caller('alice');
    await expect(test.call(alice, 'createSource', input)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { issues: [{ path }] },
    });
    expect((await test.call(alice, 'listSources')).sources).toEqual([]);
  });

  it('is of a kind that the operator lets accounts use', async () => {
    await using test = await openService({ visits: { kinds: ['watch'] } });
    const alice = await test.caller('alice');
    await expect(test.call(alice, 'createSource', feed())).rejects.toThrow('must be one of watch');
  });

  it('is within the limits of the account, which say what to do', async () => {
    const limits = { sources: 2, sourceInterval: 60 };
    await using test = await openService({ limits });
    const alice = await test.caller('alice');
    const add = (options: object) => test.call(alice, 'createSource', feed(undefined, options));
    await expect(add({ every: 30 })).rejects.toMatchObject({ details: { limit_code: 'source_interval_seconds' } });
    const { source_id } = await add({ every: 60 });
    await expect(test.call(alice, 'updateSource', { source_id, options: { every: 50 } })).rejects.toMatchObject({
      details: { limit_code: 'source_interval_seconds' },
    });
    await add({ every: 80 });
    await expect(add({ every: 900 })).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'sources' },
    });
  });

  it('never shows its secret, which stays with its host', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const secret = { cookie: 'session=hush', 'x-key': 'hush' };
    const { source_id } = await test.call(alice, 'createSource', feed(undefined, { secret }));
    const github = { kind: 'github', name: 'Code', options: { repos: ['a/b'], token: 'hush' } };
    await test.call(alice, 'createSource', github);
    const { sources } = await test.call(alice, 'listSources');
    expect(sources.map(({ secrets }) => secrets)).toEqual([['secret'], ['token']]);
    const moved = { source_id, options: { urls: ['https://b.example/'] } };
    await expect(test.call(alice, 'updateSource', moved)).rejects.toMatchObject({
      details: { issues: [{ path: 'options.secret' }] },
    });
    await test.call(alice, 'updateSource', { source_id, options: { every: 300 } });
    const without = { source_id, options: { urls: ['https://b.example/'], secret: null } };
    expect(await test.call(alice, 'updateSource', without)).toMatchObject({ secrets: [] });
    const told = JSON.stringify([sources, await test.call(alice, 'listChanges')]);
    expect(told).not.toContain('hush');
    expect(JSON.stringify(await collect(test.store.accountSources(alice.account.id)))).not.toContain('hush');
  });

  it('is unknown to other accounts', async () => {
    await using test = await openService();
    const [alice, bob] = [await test.caller('alice'), await test.caller('bob')];
    const { source_id } = await test.call(alice, 'createSource', feed());
    expect((await test.call(bob, 'listSources')).sources).toEqual([]);
    for (const name of ['getSource', 'updateSource', 'deleteSource'] as const)
      await expect(test.call(bob, name, { source_id })).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('shows sources of the operator to everybody, without secrets and not to be changed', async () => {
  const options = { urls: ['https://user:hush@a.example/feed?token=hush#a'], token: 'hush', every: 60 };
  const operatorSources = [{ name: 'feeds', kind: 'feeds', options, platforms: ['firehose' as const] }];
  await using test = await openService({ operatorSources });
  const alice = await test.caller('alice');
  const { sources } = await test.call(alice, 'listSources');
  expect(sources).toMatchObject([
    { id: 'feeds', owner: 'operator', options: { urls: ['https://a.example/feed?***'], every: 60 } },
  ]);
  expect(JSON.stringify(sources)).not.toContain('hush');
  expect(await test.call(alice, 'getSource', { source_id: 'feeds' })).toEqual(sources[0]);
  for (const name of ['updateSource', 'deleteSource'] as const)
    await expect(test.call(alice, name, { source_id: 'feeds' })).rejects.toMatchObject({ code: 'permission_denied' });
});

it('keeps to itself what may be a secret in the addresses of the operator’s sources, also when one fails', async () => {
  const url = 'https://user:hush@a.example/feed?token=hush';
  const operatorSources = [{ name: 'news', kind: 'feeds', options: { urls: [url] }, platforms: ['firehose' as const] }];
  await using test = await openService({ operatorSources });
  const told = { platform: 'firehose', kind: 'source', name: 'news', state: 'waiting' } as const;
  test.service.context.feeds.report({ ...told, reason: `a.example answered 503 for ${url}.`, through: undefined });
  await test.service.context.feeds.flush();
  const reader = await test.caller('alice', { scope: 'read' });
  const [listed] = (await test.call(reader, 'listSources')).sources;
  expect(listed!.last_error?.message).toBe('a.example answered 503 for https://a.example/feed?***.');
  expect(JSON.stringify(listed)).not.toContain('hush');
});

describe('an address of a source that may be a secret', () => {
  const url = 'https://a.example/feed?token=hush';

  it('is shown whole to those alone who may change the source', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const reader = await test.caller('alice', { scope: 'read' });
    const { source_id } = await test.call(alice, 'createSource', feed([url]));
    const seenBy = async (who: typeof alice) => {
      const [listed] = (await test.call(who, 'listSources')).sources;
      expect((await test.call(who, 'getSource', { source_id })).options).toEqual(listed!.options);
      return listed!.options['urls'];
    };
    expect(await seenBy(alice)).toEqual([url]);
    expect(await seenBy(reader)).toEqual(['https://a.example/feed?***']);
  });

  it('is in the audit log as it is shown, with the word that it changed', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { source_id } = await test.call(alice, 'createSource', feed([url]));
    await test.call(alice, 'updateSource', { source_id, options: { urls: [`${url}2`] } });
    const { changes } = await test.call(alice, 'listChanges', { kind: 'source' });
    expect(changes[0]).toMatchObject({ before: { address: null }, after: { address: 'changed' } });
    expect(changes[1]!.after).toMatchObject({ options: { urls: ['https://a.example/feed?***'] } });
    expect(JSON.stringify(changes)).not.toContain('hush');
  });

  it('has no name and no password: these are its secret', async () => {
    await using test = await openService();
    const alice = await test.caller('alice');
    const { source_id } = await test.call(alice, 'createSource', feed());
    const options = { urls: ['https://user:hush@a.example/feed'] };
    const refused = { code: 'invalid_argument', details: { issues: [{ path: 'options.urls' }] } };
    for (const ask of [
      test.call(alice, 'createSource', { ...feed(), options }),
      test.call(alice, 'testSource', { kind: 'feeds', options }),
      test.call(alice, 'updateSource', { source_id, options }),
    ])
      await expect(ask).rejects.toMatchObject(refused);
  });
});

/** It makes a feed as above, without a name. */
const tried = (...given: Parameters<typeof feed>) => {
  const { name: _, ...rest } = feed(...given);
  return rest;
};

describe('Test Source', () => {
  it('answers the first events and stores nothing', async () => {
    await using web = await openWeb(() => rss(['One', 'Two']));
    await using test = await openService({ visits: web.visits });
    const alice = await test.caller('alice');
    const { events, problem } = await test.call(alice, 'testSource', tried([web.url('news.example')]));
    expect(problem).toBeNull();
    expect(events.map(({ event }) => event['title'])).toEqual(['One', 'Two']);
    expect((await test.call(alice, 'listSources')).sources).toEqual([]);
    expect(await test.store.cursor(`source:test ${web.url('news.example')}`)).toBeUndefined();
  });

  it('says what is wrong', async () => {
    await using web = await openWeb(() => ({ status: 500 }));
    await using test = await openService({ visits: web.visits });
    const alice = await test.caller('alice');
    const { events, problem } = await test.call(alice, 'testSource', tried([web.url('news.example')]));
    expect({ events, problem }).toMatchObject({ events: [], problem: expect.stringContaining('answered 500') });
  });

  it('connects to no private address, by number, by name or by a redirect', async () => {
    let answer = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };
    await using web = await openWeb(() => answer);
    const names: Record<string, string> = { 'public.example': '93.184.216.34', 'private.example': '127.0.0.1' };
    const resolve = (
      name: string,
      _: unknown,
      back: (error: null, found: { address: string; family: number }[]) => void,
    ) => back(null, [{ address: names[name] ?? '10.0.0.1', family: 4 }]);
    await using test = await openService({ visits: { resolve } });
    const alice = await test.caller('alice');
    for (const host of ['private.example', 'localhost', 'inside.example']) {
      const { problem } = await test.call(alice, 'testSource', tried([web.url(host)]));
      expect(problem).toContain('private address');
    }
    expect(web.requests).toEqual([]);
    // A name that is public when it is first asked for, and private at the redirect.
    const isPublic = (address: string) => address === '127.0.0.1';
    const rebound = (
      name: string,
      _: unknown,
      back: (error: null, found: { address: string; family: number }[]) => void,
    ) => back(null, [{ address: name === 'public.example' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
    answer = { status: 302, headers: { location: web.url('inside.example', '/secret') } };
    await using other = await openService({ visits: { resolve: rebound, isPublic, pauseMs: 0 } });
    const bob = await other.caller('bob');
    const { problem } = await other.call(bob, 'testSource', tried([web.url('public.example')]));
    expect(problem).toContain('private address');
    expect(web.requests.map(({ path }) => path)).toEqual(['/']);
  });

  it('sends a secret to the host of the source alone', async () => {
    const answer = ({ host, path }: WebRequest) =>
      host === 'news.example'
        ? { status: 302, headers: { location: `http://other.example:${web.port}${path}` } }
        : rss(['One']);
    await using web = await openWeb(answer);
    await using test = await openService({ visits: web.visits });
    const alice = await test.caller('alice');
    const secret = { 'X-Key': 'hush', cookie: 'a=hush', authorization: 'hush' };
    await test.call(alice, 'testSource', tried([web.url('news.example')], { secret }));
    const [first, second] = web.requests;
    expect(first!.headers).toMatchObject({ 'x-key': 'hush', cookie: 'a=hush', authorization: 'hush' });
    expect(second!.host).toBe('other.example');
    expect(JSON.stringify(second!.headers)).not.toContain('hush');
  });
});
