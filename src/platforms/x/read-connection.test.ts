import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { type ConnectionRecorder, readXConnection } from './read-connection.ts';
import type { DisconnectReason } from './reconnect-policy.ts';

function stage(changes: Partial<ConnectionRecorder> = {}) {
  const clock = fakeClock();
  const body = new PassThrough();
  const lines: string[] = [];
  const remarks: (DisconnectReason | undefined)[] = [];
  const recorder: ConnectionRecorder = {
    record: (line) => lines.push(line.toString('utf8')) > 0,
    heartbeat: () => undefined,
    overlong: () => {},
    remark: (_, reason) => void remarks.push(reason),
    ...changes,
  };
  const stopping = new AbortController();
  const ending = readXConnection(body, recorder, { clock, signal: stopping.signal });
  return { clock, body, lines, remarks, stopping, ending };
}

describe('one connection', () => {
  it('ends in order when nothing is left over, and breaks off when something is', async () => {
    const whole = stage();
    whole.body.end('{"data":{}}\r\n');
    expect(await whole.ending).toBe('end');
    const half = stage();
    half.body.end('{"data":{}}\r\n{"da');
    expect(await half.ending).toBe('dropped');
    expect(half.lines).toEqual(['{"data":{}}']);
  });

  it('is dead after 22 s without a byte, and not before', async () => {
    const { clock, body, ending } = stage();
    let ended = false;
    void ending.then(() => (ended = true));
    for (let beat = 0; beat < 10; beat++) {
      await clock.pass(21_500);
      body.write('\r\n');
    }
    await clock.pass(21_900);
    expect(ended).toBe(false);
    await clock.pass(100);
    expect(await ending).toBe('stall');
    expect(body.destroyed).toBe(true);
  });

  it('is not taken for dead after a freeze in which bytes came', async () => {
    let now = 0;
    let wake = () => {};
    const clock = {
      now: () => new Date(now),
      elapsed: () => now,
      sleep: () => new Promise<void>((resolve) => (wake = resolve)),
    };
    const body = new PassThrough();
    const recorder: ConnectionRecorder = {
      record: () => true,
      heartbeat: () => undefined,
      overlong: () => {},
      remark: () => {},
    };
    const stopping = new AbortController();
    const ending = readXConnection(body, recorder, { clock, signal: stopping.signal });
    now = 30_000;
    wake();
    body.write('\r\n');
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    expect(await ending).toBe('stopped');
  });

  it('says how long bytes may have waited in the socket', async () => {
    const lags: number[] = [];
    const { clock, body, stopping, ending } = stage({ record: (_, lag) => lags.push(lag) > 0 });
    await clock.pass(10_500);
    body.write('{}\r\n');
    await clock.pass(0);
    // The process is frozen, and the bytes of the meantime are read after it.
    clock.jump(20_000);
    body.write('{}\r\n');
    await clock.pass(0);
    expect(lags[0]).toBeLessThanOrEqual(2_000);
    expect(lags[1]).toBeGreaterThanOrEqual(20_000);
    stopping.abort();
    expect(await ending).toBe('stopped');
  });

  it.each([
    ['OperationalDisconnect', 'operational'],
    ['UpstreamUncleanDisconnect', 'operational'],
    ['ForceDisconnect', 'forced'],
    ['SlowReader', 'slow_reader'],
    ['ClientApplicationStateDegraded', 'app'],
    ['InvalidRules', 'rules'],
    ['toString', 'operational'],
  ])('ends by a message of the type %s', async (type, expected) => {
    const { body, ending, lines } = stage();
    body.write(`{"data":{"id":"1"}}\r\n{"errors":[{"disconnect_type":"${type}"}]}\r\n{"data":{"id":"2"}}\r\n`);
    expect(await ending).toBe(expected);
    expect(lines).toHaveLength(1);
  });

  it('goes on after a message that it does not know, and after a post that speaks of errors', async () => {
    const { body, ending, lines, remarks } = stage();
    body.end('{"errors":[{"type":"https://api.x.com/2/problems/new"}]}\r\n{"data":{"id":"1"},"errors":[{}]}\r\n');
    expect(await ending).toBe('end');
    expect(remarks).toEqual([undefined]);
    expect(lines).toHaveLength(1);
  });

  it('ends when there is no room, and when the recorder breaks', async () => {
    const full = stage({ record: () => false });
    full.body.write('{}\r\n');
    expect(await full.ending).toBe('overflow');
    const broken = stage({
      record() {
        throw new Error('a fault of ours');
      },
    });
    broken.body.write('{}\r\n');
    await expect(broken.ending).rejects.toThrow('a fault of ours');
  });
});
