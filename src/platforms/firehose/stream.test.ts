import { describe, expect, it } from 'vitest';
import { firehoseStage } from '../../../test/stages/firehose-stage.ts';

describe('the stream of Firehose', () => {
  it('yields what matches, with the verdicts of the upstream and a cursor', async () => {
    await using stage = await firehoseStage();
    stage.follow();
    await stage.live();
    const id = stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    expect(stage.arrivals()[0]).toMatchObject({
      postId: id,
      payload: { url: 'https://example.com/a', diff: { chunks: [{ typ: 'ins', text: 'a storm comes' }] } },
      verdicts: [stage.sandbox.rules('firehose')[0]!.id],
      at: stage.clock.now(),
    });
    expect(stage.of('state').map(({ state }) => state)).toEqual(['connecting', 'live']);
    expect(stage.of('gap')).toEqual([]);
    expect(stage.of('mark')).toHaveLength(1);
  });

  it('reads the payloads of both generations', async () => {
    await using stage = await firehoseStage({ sandbox: { firehosePayload: 'query_id' } });
    stage.follow();
    await stage.live();
    stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    expect(stage.arrivals()[0]!.verdicts).toEqual([stage.sandbox.rules('firehose')[0]!.id]);
  });

  it('begins with a little of the past, resumes by the committed id, and never asks for both', async () => {
    await using stage = await firehoseStage();
    stage.follow();
    await stage.live();
    const id = stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    await stage.clock.pass(120_000);
    await stage.until(() => stage.connects().length === 2);
    const [first, second] = stage.connects();
    expect([first!.query.get('since'), first!.lastId, first!.query.get('timeout')]).toEqual(['1m', undefined, '120']);
    expect([second!.query.get('since'), second!.lastId]).toEqual([null, id]);
  });
});

describe('an end that was announced', () => {
  it('is no error: the next connection follows at once, and nothing is missing', async () => {
    await using stage = await firehoseStage();
    stage.follow();
    await stage.live();
    const sent: string[] = [];
    for (let minute = 0; minute < 10; minute++) {
      sent.push(stage.post());
      await stage.until(() => stage.arrivals().length === sent.length);
      await stage.clock.pass(60_000);
    }
    await stage.until(() => stage.connects().length === 6);
    expect(stage.ids()).toEqual(sent);
    expect(stage.of('gap')).toEqual([]);
    expect(stage.of('state').map(({ state }) => state)).toEqual(['connecting', 'live']);
    expect(stage.counted('disconnect') + stage.counted('stall')).toBe(0);
    const [one, two] = stage.connects();
    expect(two!.at - one!.at).toBe(120_000);
  });

  it('is no gap either while what came last is not committed yet', async () => {
    await using stage = await firehoseStage();
    stage.follow();
    await stage.live();
    stage.post();
    await stage.until(() => stage.arrivals().length === 1);
    stage.isForgetful = true;
    await stage.clock.pass(60_000);
    stage.post();
    await stage.until(() => stage.arrivals().length === 2);
    await stage.clock.pass(60_000);
    await stage.until(() => stage.arrivals().length === 3);
    expect(stage.of('gap')).toEqual([]);
    expect(new Set(stage.ids()).size).toBe(2);
  });

  it('keeps connections apart, however soon they end', async () => {
    await using stage = await firehoseStage();
    stage.follow();
    await stage.live();
    for (let end = 1; end <= 25; end++) {
      stage.sandbox.throwFault('F1');
      await stage.until(() => stage.sandbox.fired('F1') === end);
      await stage.clock.pass(3_000);
      await stage.until(() => stage.connects().length === end + 1);
    }
    const times = stage.connects().map(({ at }) => at);
    for (const [index, at] of times.entries()) {
      expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(3_000);
      expect(times.filter((other) => other >= at && other < at + 60_000).length).toBeLessThanOrEqual(20);
    }
  });
});
