import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordingTracer } from '../../../test/stages/recording-tracer.ts';
import { openService } from '../../../test/stages/service.ts';
import { BrokerError, type Pack, type PackAnswer } from '../../broker/broker.ts';
import { opened, sealed } from '../../broker/envelope.ts';
import type { Ingest } from './ingest.ts';
import { ingestByBroker, matchPack, packsOf } from './ingest-by-broker.ts';

const textOf = ({ lines }: Pack): string => Buffer.from(lines).toString();
const nobody: Ingest = {
  push: () => Promise.reject(new Error('nothing is matched here')),
  append: () => Promise.reject(new Error('nothing is logged here')),
  confirmLog: () => Promise.reject(new Error('nothing is logged here')),
  logBacklog: async () => undefined,
  add: async () => [],
  commit: () => Promise.reject(new Error('nothing is stored here')),
  queued: { events: 0, bytes: 0 },
  trouble: undefined,
  longestWait: 0,
  onCommit: () => () => {},
  close: async () => {},
};

/** A matcher that refuses lines with a `!` and finds a match in lines with a `?`. */
function answerTo(pack: Pack): PackAnswer {
  const lines = textOf(pack).split('\n');
  const rejected = lines.flatMap((text, index) => (text.includes('!') ? [{ line: index + 1, problem: text }] : []));
  const accepted = lines.filter((text) => text !== '' && !text.includes('!'));
  return {
    accepted: accepted.length,
    matches: accepted.filter((text) => text.includes('?')).length,
    rejected: rejected.slice(0, 1_000),
    moreRejected: Math.max(0, rejected.length - 1_000),
  };
}

const brokerOf = (packBytes: number, ask: (pack: Pack) => Promise<PackAnswer> = async (pack) => answerTo(pack)) => ({
  ask,
  packBytes,
  trouble: undefined,
});

describe('events by the broker', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '🙂', '!', '?', ' '), maxLength: 12 });

  it('are cut between lines and nowhere else', () => {
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 40 }), (lines, size) => {
        const packs = [...packsOf(Buffer.from(lines.join('\n')), size)];
        expect(Buffer.concat(packs).toString()).toBe(lines.join('\n'));
        for (const pack of packs.slice(0, -1)) expect(pack.at(-1)).toBe(0x0a);
        for (const pack of packs.filter(({ length }) => length > size))
          expect(pack.subarray(0, -1).includes(0x0a)).toBe(false);
      }),
    );
  });

  it('are answered for as if they had gone in one piece', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (lines, size) => {
        const text = lines.join('\n');
        const whole = answerTo({ platform: 'x', accountId: undefined, lines: Buffer.from(text) });
        const { cpuMs = 0, ...answer } = await ingestByBroker(nobody, brokerOf(size)).push('x', text, undefined);
        expect([answer, cpuMs]).toEqual([whole, 0]);
      }),
    );
  });

  it('lists so many refused lines and counts the rest', async () => {
    const text = '!\n'.repeat(2_500);
    const { rejected, moreRejected } = await ingestByBroker(nobody, brokerOf(1_000)).push('x', text, undefined);
    expect([rejected.length, rejected.at(-1)?.line, moreRejected]).toEqual([1_000, 1_000, 1_500]);
  });

  it('refuses a line alone that the broker cannot carry', async () => {
    const ingest = ingestByBroker(
      nobody,
      brokerOf(10, async (pack) => {
        if (pack.lines.length > 50) throw new BrokerError('too-large', 'it is larger than the broker takes');
        return answerTo(pack);
      }),
    );
    expect(await ingest.push('x', `a\n${'b'.repeat(60)}\nc?`, undefined)).toEqual({
      accepted: 2,
      matches: 1,
      rejected: [{ line: 2, problem: 'it is larger than the broker takes' }],
      moreRejected: 0,
      cpuMs: 0,
    });
  });

  it('are unavailable when nobody answers, and no cursor is stored', async () => {
    const cursors: unknown[] = [];
    const here: Ingest = {
      ...nobody,
      async add(platform, payloads, source, cursor) {
        cursors.push([platform, payloads.length, source, cursor]);
        return [];
      },
    };
    let isAway = true;
    const ingest = ingestByBroker(
      here,
      brokerOf(1_000, async (pack) => {
        if (isAway) throw new BrokerError('unavailable', 'No matcher has answered.');
        return answerTo(pack);
      }),
    );
    await expect(ingest.push('x', 'a', undefined)).rejects.toMatchObject({ code: 'unavailable' });
    const cursor = { name: 'source:feeds', value: '7' };
    await expect(ingest.add('firehose', [{ id: 'a' }], 'test', cursor)).rejects.toMatchObject({ code: 'unavailable' });
    expect(cursors).toEqual([]);
    isAway = false;
    expect(await ingest.add('firehose', [{ id: 'a' }, { id: '!' }], 'test', cursor)).toEqual(['{"id":"!"}']);
    expect(cursors).toEqual([['firehose', 0, 'test', cursor]]);
  });
});

describe('ingest by the broker', () => {
  it('tells what waits here, and that the broker is away where nothing worse is known', () => {
    const here = { ...nobody, queued: { events: 3, bytes: 9 }, longestWait: 7 };
    const away = { ...brokerOf(10), trouble: 'It does not answer.' };
    expect(ingestByBroker(here, brokerOf(10))).toMatchObject({
      queued: { events: 3, bytes: 9 },
      longestWait: 7,
      trouble: undefined,
    });
    expect(ingestByBroker(here, away).trouble).toBe('broker_away');
    expect(ingestByBroker({ ...here, trouble: 'store_away' }, away).trouble).toBe('store_away');
  });

  it('sends each pack in a span of its own, caused by the request, and hands the span to the matcher', async () => {
    const tracer = recordingTracer();
    const sent: unknown[] = [];
    const broker = brokerOf(4, async (pack) => {
      sent.push([textOf(pack), pack.platform, pack.accountId, pack.source, pack.trace]);
      return answerTo(pack);
    });
    const cause = { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` };
    await ingestByBroker(nobody, broker, tracer).push('x', 'aa\nbb\n', 'acct', undefined, cause);
    expect(tracer.spans).toMatchObject(
      Array.from({ length: 2 }, () => ({
        name: 'send sluice.events',
        kind: 'producer',
        parent: cause,
        ends: 1,
        attributes: {
          'messaging.system': 'nats',
          'messaging.operation.type': 'send',
          'messaging.operation.name': 'publish',
          'messaging.destination.name': 'sluice.events',
        },
      })),
    );
    const [first, second] = tracer.spans;
    expect(sent).toEqual([
      ['aa\n', 'x', 'acct', 'push', first!.context],
      ['bb\n', 'x', 'acct', 'push', second!.context],
    ]);
    await ingestByBroker(nobody, broker, tracer).push('x', 'cc', undefined);
    expect(tracer.spans.at(-1)!.parent).toBeUndefined();
  });

  it('is matched by whoever takes a pack as if it had been pushed there', async () => {
    const pushed: unknown[] = [];
    const take = matchPack({
      push: async (platform, lines, accountId, source, trace) => {
        pushed.push([platform, lines.toString(), accountId, source, trace]);
        return { accepted: 1, matches: 2, rejected: [], moreRejected: 0 };
      },
    });
    const lines = new Uint8Array(Buffer.from('-- {"data":{}}')).subarray(3);
    const trace = { traceparent: 't' };
    expect(await take({ platform: 'x', accountId: 'acct', source: 'push', lines, trace })).toMatchObject({
      matches: 2,
    });
    expect(pushed).toEqual([['x', '{"data":{}}', 'acct', 'push', trace]]);
  });

  it('keeps all of what a source of our own made, and of a pushed event what belongs to a post', async () => {
    await using test = await openService();
    const { ingest } = test.service.context;
    const caller = await test.caller('alice');
    const rule = { name: 'lava', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
    await test.call(caller, 'createRule', rule);
    const broker = brokerOf(1_000, async (pack) => {
      const carried = await opened(await sealed({ pack, answerTo: 'here' }, 100_000));
      return matchPack(ingest)(carried.pack);
    });
    const postOf = (id: string) => ({ data: { id, text: 'lava' }, url: 'https://a.example', source: {}, demo: true });
    const away = ingestByBroker(nobody, broker);
    await ingest.add('x', [postOf('1')], 'feeds');
    await away.add('x', [postOf('2')], 'feeds');
    await away.push('x', JSON.stringify(postOf('3')), undefined);
    const { matches } = await test.call(caller, 'listMatches');
    const payloads = matches.map(({ payload }) => payload);
    expect(payloads).toEqual([{ data: { id: '3', text: 'lava' } }, postOf('2'), postOf('1')]);
  });
});
