/** Clients that we did not write, unchanged, against the sandbox. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent } from 'node:https';
import { connect } from 'node:tls';
import { Client } from '@xdevplatform/xdk';
import { EventSource } from 'eventsource';
import { ApiResponseError, ETwitterStreamEvent, type TweetV2SingleStreamResult, TwitterApi } from 'twitter-api-v2';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { until } from '../stages/receiver.ts';
import { lavaSandbox } from './reader.ts';

const PAYLOAD = {
  data: { id: '1800000000000000001', text: 'Lava again ✨', author_id: '2000000001' },
  includes: { users: [{ id: '2000000001', name: 'Ada', username: 'ada' }] },
};

describe('twitter-api-v2', () => {
  it('manages rules and reads the stream', async () => {
    await using sandbox = await startSandbox({ tls: true, xToken: 'secret' });
    // Its host is built in: what it dials is the sandbox all the same.
    const agent = new Agent();
    agent.createConnection = () =>
      connect({ host: '127.0.0.1', port: Number(new URL(sandbox.url).port), ca: sandbox.certificate! });
    const client = new TwitterApi('secret', { httpAgent: agent }).v2;

    const dry = await client.updateStreamRules({ add: [{ value: '-lava' }] }, { dry_run: true });
    expect(dry.errors).toMatchObject([{ value: '-lava', title: 'UnprocessableEntity' }]);
    const added = await client.updateStreamRules({ add: [{ value: 'lava', tag: 'volcano' }] });
    expect(added.meta.summary).toMatchObject({ created: 1 });
    expect((await client.streamRules()).data).toEqual([{ id: added.data[0]!.id, value: 'lava', tag: 'volcano' }]);

    const stream = await client.searchStream({ expansions: ['author_id'], 'tweet.fields': ['author_id'] });
    const seen: TweetV2SingleStreamResult[] = [];
    stream.on(ETwitterStreamEvent.Data, (post) => seen.push(post));
    sandbox.post('x', PAYLOAD);
    await until(() => seen.length === 1);
    expect(seen[0]).toMatchObject({ ...PAYLOAD, matching_rules: [{ id: added.data[0]!.id, tag: 'volcano' }] });

    const refused: unknown = await client.searchStream().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiResponseError);
    expect((refused as ApiResponseError).code).toBe(429);
    expect((refused as ApiResponseError).rateLimit).toMatchObject({ limit: 50, remaining: 48 });

    const errors: unknown[] = [];
    stream.on(ETwitterStreamEvent.DataError, (error) => errors.push(error));
    sandbox.throwFault('X10');
    await until(() => errors.length === 1);
    stream.close();

    const deleted = await client.updateStreamRules({ delete: { ids: [added.data[0]!.id] } });
    expect(deleted.meta.summary).toMatchObject({ deleted: 1 });
    agent.destroy();
  });
});

describe('@xdevplatform/xdk', () => {
  it('manages rules, reads the stream and lists connections', async () => {
    await using sandbox = await startSandbox();
    const client = new Client({ bearerToken: 'secret', baseUrl: sandbox.url });

    await client.stream.updateRules({ add: [{ value: 'lava', tag: 'volcano' }] });
    const { data: rules } = await client.stream.getRules();
    expect(rules).toEqual([{ id: sandbox.rules('x')[0]!.id, value: 'lava', tag: 'volcano' }]);
    const counts = await client.stream.getRuleCounts();
    expect(counts.data).toMatchObject({ capPerProject: '1000', projectRulesCount: '1' });

    const stream = await client.stream.posts({ tweetFields: ['author_id'], expansions: ['author_id'] });
    const seen: object[] = [];
    stream.on('data', (message: object) => seen.push(message));
    sandbox.post('x', PAYLOAD);
    await until(() => seen.some((message) => 'matching_rules' in message));
    expect(seen.at(-1)).toMatchObject({ ...PAYLOAD, matching_rules: [{ id: rules![0]!.id, tag: 'volcano' }] });

    const { data: connections } = await client.connections.getConnectionHistory();
    expect(connections).toHaveLength(1);
    await client.connections.deleteByUuids({ uuids: [connections![0]!.id!] });
    await until(() => sandbox.connections('x') === 0);

    await client.stream.updateRules({ delete: { values: ['lava'] } });
    expect(sandbox.rules('x')).toEqual([]);
  });
});

describe('eventsource', () => {
  it('reads the stream, and resumes by the last id after each end and each cut', async () => {
    await using sandbox = await lavaSandbox();
    const source = new EventSource(`${sandbox.url}/v1/stream`, {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, Authorization: 'Bearer fh_any' } }),
    });
    const seen: string[] = [];
    let connected = 0;
    source.addEventListener('connected', () => connected++);
    source.addEventListener('update', (event: MessageEvent) => seen.push(event.lastEventId));
    await until(() => connected === 1);
    const cursors = sandbox.pages('one');
    await until(() => seen.length === 1);
    sandbox.throwFault('F2');
    cursors.push(...sandbox.pages('two', 'three'));
    // It waits three seconds before it comes again.
    await until(() => seen.length === 3);
    expect(seen).toEqual(cursors);
    expect(sandbox.calls.at(-1)!.headers).toMatchObject({ 'last-event-id': cursors[0] });
    source.close();
  });
});

describe('curl -N', () => {
  it('prints the stream as it comes, to its end', async () => {
    await using sandbox = await lavaSandbox();
    const child: ChildProcess = spawn('curl', [
      '-sN',
      '-H',
      'Authorization: Bearer fh_any',
      `${sandbox.url}/v1/stream?limit=2`,
    ]);
    let printed = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const closed = new Promise<number | null>((done) => void child.once('close', done));
    await until(() => printed.includes('connected'));
    const [first] = sandbox.pages('one');
    await until(() => printed.includes(`id: ${first}\nevent: update\ndata: {"query_ids":`));
    sandbox.pages('two');
    expect(await closed).toBe(0);
    expect(printed).toMatch(/event: end\ndata: \{\}\n\n$/);
  });

  it('reads X too, packed or not', async () => {
    await using sandbox = await lavaSandbox();
    for (const packing of [[], ['--compressed']]) {
      const child: ChildProcess = spawn('curl', [
        '-sN',
        ...packing,
        '-H',
        'Authorization: Bearer t',
        `${sandbox.url}/2/tweets/search/stream`,
      ]);
      let printed = '';
      child.stdout!.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      await until(() => sandbox.connections('x') === 1);
      sandbox.posts('one', 'two');
      await until(() => printed.split('\r\n').length === 3);
      const closed = new Promise((done) => child.once('close', done));
      child.kill();
      await closed;
      await until(() => sandbox.connections('x') === 0);
    }
  });
});
