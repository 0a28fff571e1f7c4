import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { policyOf } from './batching.ts';
import { failedToSend, refusedForGood, schemeOf, sendByScheme, type WebhookRequest, withinTime } from './transport.ts';

const { signal } = new AbortController();
const request = (url: string): WebhookRequest => ({ url, headers: {}, body: '', signal });

describe('a transport', () => {
  it('is chosen by the scheme of the address, in capitals or not', async () => {
    const sent = { ...failedToSend(''), error: undefined, statusCode: 200 };
    const send = sendByScheme({ 'https:': async () => sent });
    expect([schemeOf('HTTPS://A.example/b:c'), schemeOf('nothing')]).toEqual(['https:', '']);
    expect(await send(request('HTTPS://a.example/'))).toBe(sent);
    for (const [url, scheme] of [
      ['ftp://a.example/', 'ftp:'],
      ['constructor://a', 'constructor:'],
    ] as const)
      expect(await send(request(url))).toEqual(failedToSend(`This server sends nothing to ${scheme} addresses.`));
  });

  it('tells of a failure that may pass, and of one that will not', () => {
    const failed = { statusCode: undefined, error: 'why', response: '', overloaded: false, retryAfter: undefined };
    expect(failedToSend('why')).toEqual(failed);
    expect(failedToSend('why', { overloaded: true })).toEqual({ ...failed, overloaded: true });
    expect(refusedForGood('why')).toEqual({ ...failed, givesUp: true });
    expect(refusedForGood('why', 'answer')).toEqual({ ...failed, response: 'answer', givesUp: true });
  });
});

describe('an attempt', () => {
  const sent = { ...failedToSend(''), error: undefined, statusCode: 200 };

  it('that ends in time is what came of it, and leaves nothing waiting', async () => {
    const clock = fakeClock();
    const given: AbortSignal[] = [];
    const answer = await withinTime(clock, 15_000, signal, async (own) => {
      given.push(own);
      expect(own.aborted).toBe(false);
      return sent;
    });
    expect([answer, given[0]!.aborted, clock.sleepers]).toEqual([sent, true, 0]);
  });

  it('that takes too long is ended, and the receiver counts as overloaded', async () => {
    const clock = fakeClock();
    const given: AbortSignal[] = [];
    const answer = withinTime(clock, 15_000, signal, (own) => {
      given.push(own);
      return new Promise(() => {});
    });
    await clock.pass(15_000);
    expect(await answer).toEqual(failedToSend('The receiver took longer than 15 seconds.', { overloaded: true }));
    expect(given[0]!.aborted).toBe(true);
  });

  it('is ended when the process stops, also when that was before it began', async () => {
    const stopping = new AbortController();
    const attempt = () => withinTime(fakeClock(), 15_000, stopping.signal, () => new Promise(() => {}));
    const underWay = attempt();
    stopping.abort();
    const aborted = failedToSend('The attempt was aborted.');
    expect([await underWay, await attempt()]).toEqual([aborted, aborted]);
  });
});

describe('what a receiver takes', () => {
  const MIB = 1024 * 1024;

  it('follows from the format, and from the address of a sink', () => {
    expect(policyOf({ format: 'json' })).toEqual({ matches: 100, inFlight: 4, pace: 0, bytes: MIB });
    expect(policyOf({ format: 'json', url: 'https://a.example/' })).toMatchObject({ inFlight: 4 });
    expect(policyOf({ format: 'cloudevents', url: 'nats://a.example/s' })).toEqual({
      matches: 100,
      inFlight: 1,
      pace: 0,
      bytes: MIB,
    });
    expect(policyOf({ format: 'parquet', url: 's3://bucket' })).toMatchObject({ matches: 2_000, bytes: 4 * MIB });
    expect(policyOf({ format: 'telegram' })).toMatchObject({ inFlight: 1, pace: 3_000 });
  });
});
