import { describe, expect, it } from 'vitest';
import { answerIn, countIn, mayBeSystem, problemIn, readMessage, xIdIn, xStreamPath } from './wire.ts';

const read = (message: unknown) =>
  readMessage(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)));

it('asks for every part of a post that rules look at', () => {
  const { searchParams } = new URL(xStreamPath({ backfillMinutes: 0 }), 'https://x.test');
  const asked = Object.fromEntries([...searchParams].map(([name, value]) => [name, value.split(',')]));
  expect(asked['tweet.fields']).toEqual(
    expect.arrayContaining(['author_id', 'entities', 'geo', 'lang', 'note_tweet', 'text']),
  );
  expect(asked['expansions']).toEqual(expect.arrayContaining(['author_id', 'geo.place_id', 'referenced_tweets.id']));
  expect(asked['user.fields']).toEqual(expect.arrayContaining(['description', 'location', 'username', 'verified']));
  expect(asked['place.fields']).toEqual(expect.arrayContaining(['country_code', 'full_name', 'geo', 'place_type']));
  expect(asked['media.fields']).toEqual(expect.arrayContaining(['media_key', 'type', 'url']));
  expect(asked['poll.fields']).toEqual(expect.arrayContaining(['id', 'options']));
});

describe('a line of the stream', () => {
  it('is a post with the rules that caught it, in either vocabulary and any order of fields', () => {
    const old = { data: { id: '1', text: 'a', referenced_tweets: [] }, includes: { tweets: [] } };
    const renamed = { data: { text: 'a', referenced_posts: [], id: '1' }, includes: { posts: [] } };
    for (const payload of [old, renamed]) {
      const rules = [{ id: '7', tag: 'x' }, { id: '8' }, { id: '7' }];
      expect(read({ matching_rules: rules, ...payload })).toEqual({
        kind: 'post',
        id: '1',
        payload,
        verdicts: ['7', '8'],
        createdAt: undefined,
        isReplayed: false,
      });
    }
  });

  it('of a webhook may say that it is a replay, which is no part of the post, or that a replay has ended', () => {
    const post = { data: { id: '1', text: 'a' }, matching_rules: [{ id: '7' }] };
    expect(read({ ...post, meta: { replay: true } })).toMatchObject({
      payload: { data: { id: '1', text: 'a' } },
      isReplayed: true,
    });
    expect(read({ ...post, meta: { replay: true } })).not.toHaveProperty('payload.meta');
    const ended = (job_state: string) => read({ replay_job_status: { webhook_id: '3', job_id: '4', job_state } });
    expect(ended('Complete')).toEqual({ kind: 'replayed', jobId: '4', isWhole: true });
    expect(ended('Incomplete')).toEqual({ kind: 'replayed', jobId: '4', isWhole: false });
  });

  it('keeps every digit of ids that came as numbers', () => {
    const line = '{"data":{"id":1800000000000000001,"text":"a"},"matching_rules":[{"id":1700000000000000011}]}';
    expect(read(line)).toMatchObject({
      id: '1800000000000000001',
      payload: { data: { id: '1800000000000000001' } },
      verdicts: ['1700000000000000011'],
    });
    expect(read({ data: { id: 12, text: 'a' } })).toMatchObject({ id: '12', payload: { data: { id: '12' } } });
  });

  it('is a post also beside errors, which stay with it', () => {
    expect(read({ data: { id: '1' }, errors: [{ title: 'Authorization Error' }] })).toMatchObject({
      kind: 'post',
      payload: { errors: [{ title: 'Authorization Error' }] },
      verdicts: [],
    });
  });

  it.each([
    [{ errors: [{ title: 'operational-disconnect' }] }, 'system'],
    [{ something: 'new' }, 'unknown'],
    [{ errors: [] }, 'unknown'],
    [{ data: {} }, 'broken'],
    [{ data: { id: 'a b' } }, 'broken'],
    [{ data: 'text' }, 'broken'],
    [{ data: null }, 'broken'],
    [[], 'broken'],
    ['nonsense', 'broken'],
    [{ data: { id: '1' }, matching_rules: 'all' }, 'post'],
    [{ data: { id: '1', text: '\ud800' }, matching_rules: [null, { id: {} }] }, 'post'],
  ])('%j is %s', (message, kind) => {
    expect(read(message).kind).toBe(kind);
  });
});

describe('the path of the stream', () => {
  const queryOf = (path: string) => new URL(path, 'https://api.x.com').searchParams;

  it('asks for what matching needs, and for nothing that only a user may see', () => {
    const query = queryOf(xStreamPath({ backfillMinutes: 0 }));
    expect(query.get('tweet.fields')?.split(',')).toEqual(
      expect.arrayContaining(['entities', 'note_tweet', 'referenced_tweets', 'scopes', 'geo', 'context_annotations']),
    );
    expect(query.get('expansions')?.split(',')).toEqual(
      expect.arrayContaining(['author_id', 'referenced_tweets.id', 'referenced_tweets.id.author_id', 'geo.place_id']),
    );
    expect(query.toString()).not.toMatch(/non_public|organic|promoted|confirmed_email|receives_your_dm/);
    expect(query.has('backfill_minutes')).toBe(false);
    for (const name of ['media.fields', 'poll.fields', 'user.fields', 'place.fields']) {
      expect(query.get(name)?.split(',').length).toBeGreaterThan(4);
    }
  });

  it('names the minutes before, or the time that is to be replayed', () => {
    expect(queryOf(xStreamPath({ backfillMinutes: 3 })).get('backfill_minutes')).toBe('3');
    const start = new Date('2026-11-15T08:00:00.000Z');
    const query = queryOf(xStreamPath({ start, end: new Date(start.getTime() + 1_000) }));
    expect(query.get('start_time')).toBe('2026-11-15T08:00:00.000Z');
    expect(query.get('end_time')).toBe('2026-11-15T08:00:01.000Z');
  });
});

describe('an id', () => {
  it('has at most 64 characters, and none that could mean something else in a path', () => {
    expect(['a'.repeat(64), 'a'.repeat(65), '', 'a/b', 'a b', 'a_b.c:d-e', 7, null].map(xIdIn)).toEqual([
      'a'.repeat(64),
      undefined,
      undefined,
      undefined,
      undefined,
      'a_b.c:d-e',
      '7',
      undefined,
    ]);
  });
});

describe('what a post says of itself', () => {
  it('is when it was made, if it says so, and each rule once', () => {
    expect(read({ data: { id: '1', created_at: '2026-11-15T08:00:00Z' } })).toMatchObject({
      createdAt: Date.parse('2026-11-15T08:00:00Z'),
    });
    expect(read({ data: { id: '1', created_at: 'lately' } })).toMatchObject({ createdAt: undefined });
    expect(read({ data: { id: '1' }, matching_rules: [{ id: '7' }, { id: '8' }, { id: '7' }] })).toMatchObject({
      verdicts: ['7', '8'],
    });
  });

  it('may be a message about the stream only if it speaks of errors', () => {
    expect([mayBeSystem(Buffer.from('{"errors":[]}')), mayBeSystem(Buffer.from('{"data":{}}'))]).toEqual([true, false]);
  });
});

describe('problems and counts', () => {
  it('are read with every word that X has for them', () => {
    const problem = {
      title: 'Title',
      type: 'about:blank',
      detail: 'Detail',
      details: ['one', 'two'],
      connection_issue: 'TooManyConnections',
      disconnect_type: 'SlowReader',
      value: 'storm',
      id: '7',
    };
    expect(problemIn(problem)).toEqual({
      title: 'Title',
      type: 'about:blank',
      detail: 'Detail',
      details: ['one', 'two'],
      connectionIssue: 'TooManyConnections',
      disconnectType: 'SlowReader',
      value: 'storm',
      id: '7',
    });
    expect(problemIn('nonsense')).toEqual({
      title: '',
      type: '',
      detail: '',
      details: [],
      connectionIssue: '',
      disconnectType: '',
      value: undefined,
      id: undefined,
    });
    expect([countIn(0), countIn('0'), countIn(2 ** 53)]).toEqual([0, 0, undefined]);
  });

  it('are looked for in an answer that is an object, with exact ids', () => {
    expect(answerIn('{"id":1800000000000000001}')).toEqual({ id: '1800000000000000001' });
    for (const text of ['', '[1]', '<html>', 'null']) expect(answerIn(text)).toEqual({});
  });

  it('are read from whatever there is', () => {
    expect(problemIn({ type: 'https://api.twitter.com/2/problems/rule-cap', id: 5, details: ['a', 1] })).toMatchObject({
      type: 'rule-cap',
      id: '5',
      details: ['a'],
      title: '',
    });
    expect(problemIn(undefined)).toMatchObject({ type: '', value: undefined });
    expect(['25', 25, '', 'many', -1, 1.5, null].map(countIn)).toEqual([25, 25, ...Array(5).fill(undefined)]);
  });
});
