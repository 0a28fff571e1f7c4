/** Asking the log for ids that the stream left out, at a server that answers as told. */
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openReceiver } from '../../../test/stages/receiver.ts';
import { createPace } from '../pace.ts';
import type { StreamCounter, StreamItem } from '../platform.ts';
import { createProbe } from './probe.ts';

const update = (n: number): string => `id: 0-${n}\nevent: update\ndata: {}\n\n`;
const END = 'event: end\ndata: {}\n\n';
const MISSING = { last: 4, before: 8 };

async function stand(answer: string | number, headers: Record<string, string> = {}) {
  const clock = fakeClock();
  const server = await openReceiver((response) => {
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'text/event-stream', ...headers });
    response.end(typeof answer === 'number' ? '' : answer);
  });
  const counted: StreamCounter[] = [];
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const options = {
    baseUrl: server.url,
    token: () => 't',
    clock,
    random: () => 0,
    log: { info: note, warn: note, error: note },
    count: (counter: StreamCounter) => void counted.push(counter),
  };
  const connects = createPace({ calls: 100, windowMs: 61_000 }, clock);
  const probe = createProbe(options, connects);
  const stopping = new AbortController();
  return {
    clock,
    connects,
    counted,
    logged,
    stopping,
    asked: () => server.received.map(({ path }) => path.replace('/v1/stream?', '')),
    async ask(isAfterOutage = false, missing = MISSING) {
      const found: string[] = [];
      async function* read({ frame }: { frame: { id: string | undefined } }): AsyncGenerator<StreamItem> {
        found.push(frame.id ?? '');
        yield { kind: 'state', state: 'live', reason: frame.id! };
      }
      const generator = probe(missing, { isAfterOutage, read, signal: stopping.signal });
      const items: StreamItem[] = [];
      for (let step = await generator.next(); ; step = await generator.next()) {
        if (step.done) return { result: step.value, found, items };
        items.push(step.value);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describe('a probe', () => {
  it('asks for what lies between, up to the event that came, and reads what is found', async () => {
    await using stage = await stand(update(5) + update(7) + update(8) + update(9));
    expect(await stage.ask()).toEqual({
      result: { isComplete: true, reachesBack: false },
      found: ['0-5', '0-7'],
      items: [
        { kind: 'state', state: 'live', reason: '0-5' },
        { kind: 'state', state: 'live', reason: '0-7' },
      ],
    });
    expect(stage.asked()).toEqual(['timeout=5&offset=5&limit=4']);
    expect(stage.counted).toEqual(['connect']);
    expect(stage.logged).toEqual(['the buffer had events that the stream left out {"platform":"firehose","found":2}']);
  });

  it('asks after an outage for the last event that we know as well, which shows that nothing is lost', async () => {
    await using stage = await stand(update(4) + END);
    expect(await stage.ask(true)).toMatchObject({ result: { isComplete: true, reachesBack: true }, found: [] });
    expect(stage.asked()).toEqual(['timeout=5&offset=4&limit=5']);
    expect(stage.counted).toEqual(['connect', 'gap_benign']);
  });

  it('finds nothing wrong with ids that were never given, unless an outage may explain them', async () => {
    await using stage = await stand(END);
    expect(await stage.ask()).toMatchObject({ result: { isComplete: true, reachesBack: false } });
    expect(stage.counted).toEqual(['connect', 'gap_benign']);
    expect(await stage.ask(true)).toMatchObject({ result: { isComplete: true, reachesBack: false } });
    expect(stage.counted).toEqual(['connect', 'gap_benign', 'connect']);
  });

  it('asks for 10,000 events at most', async () => {
    await using stage = await stand(END);
    await stage.ask(false, { last: 0, before: 1_000_000 });
    expect(stage.asked()).toEqual(['timeout=5&offset=1&limit=10000']);
  });

  it.each([
    ['an error', `${update(5)}event: error\ndata: {}\n\n`],
    ['a break', update(5)],
  ])('is not complete after %s, though what came is read', async (_, answer) => {
    await using stage = await stand(answer);
    expect(await stage.ask()).toMatchObject({ result: { isComplete: false, reachesBack: false }, found: ['0-5'] });
  });

  it('reads past comments, other events, and ids of another form or of before', async () => {
    await using stage = await stand(
      `: hello\n\nevent: news\ndata: x\n\nid: odd\nevent: update\ndata: {}\n\n${update(3)}${update(6)}${END}`,
    );
    expect(await stage.ask(true)).toMatchObject({ result: { isComplete: true, reachesBack: false }, found: ['0-6'] });
  });

  it('says in the log that Firehose could not be asked', async () => {
    await using refusing = await stand(503);
    expect(await refusing.ask()).toMatchObject({ result: { isComplete: false, reachesBack: false } });
    expect(refusing.logged).toEqual([
      'Firehose could not be asked for ids that the stream left out {"platform":"firehose","status":503}',
    ]);
    const gone = await stand(END);
    await gone[Symbol.asyncDispose]();
    expect(await gone.ask()).toMatchObject({ result: { isComplete: false } });
    expect(gone.logged).toHaveLength(1);
    expect(gone.counted).toEqual([]);
  });

  it('is made six times in any hour', async () => {
    await using stage = await stand(END);
    for (let probe = 0; probe < 7; probe++) await stage.ask();
    expect(stage.asked()).toHaveLength(6);
    expect(await stage.ask()).toMatchObject({ result: { isComplete: false, reachesBack: false } });
    await stage.clock.pass(3_599_999);
    await stage.ask();
    expect(stage.asked()).toHaveLength(6);
    await stage.clock.pass(1);
    await stage.ask();
    expect(stage.asked()).toHaveLength(7);
  });

  it('is not made when we stop', async () => {
    await using stage = await stand(END);
    stage.stopping.abort();
    expect(await stage.ask()).toMatchObject({ result: { isComplete: false } });
    expect(stage.asked()).toEqual([]);
  });

  it.each([
    [429, { 'retry-after': '14' }, 14_000],
    [429, {}, 10_000],
    [503, { 'retry-after': '14' }, 14_000],
  ])(
    'keeps the time that Firehose states with status %i, for itself and for the stream',
    async (status, headers, held) => {
      await using stage = await stand(status, headers);
      expect(await stage.ask()).toMatchObject({ result: { isComplete: false }, found: [] });
      expect(stage.connects.held).toBe(held);
      await stage.ask();
      await stage.clock.pass(held - 1);
      await stage.ask();
      expect(stage.asked()).toHaveLength(1);
      await stage.clock.pass(1);
      await stage.ask();
      expect(stage.asked()).toHaveLength(2);
    },
  );

  it('holds up nothing where Firehose states no time', async () => {
    await using stage = await stand(503);
    await stage.ask();
    expect(stage.connects.held).toBe(0);
  });
});
