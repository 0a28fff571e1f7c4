/** X refuses a connection: server errors, limits, caps, tokens, certificates, redirects. */
import dns from 'node:dns';
import tls from 'node:tls';
import { expect, onTestFinished, vi } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { openReceiver } from '../stages/receiver.ts';
import { connectTimes, differences, gapsOf, streamCalls } from '../stages/x-stage.ts';
import { row } from './rows.ts';
import { expectBeginning } from './service-stage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const deletions = (calls: readonly { method: string }[]) => calls.filter(({ method }) => method === 'DELETE');

export function xRefusalRows(): void {
  row('X6', 'after server errors it is 5 s, doubling to 320 s, and anew only after a healthy minute', async (scene) => {
    const stage = await scene.wire();
    for (const [index, status] of [500, 502, 503, 504].entries()) {
      stage.sandbox.throwFault('X6', { status });
      if (index === 0) stage.start();
      await stage.until(() => stage.counts.refused === index + 1, 1_000);
    }
    stage.sandbox.throwFault('X6', { times: 4 });
    await stage.until(() => stage.state() === 'live', 1_000);
    const waits = [5, 10, 20, 40, 80, 160, 320, 320].map((seconds) => expect.closeTo(seconds * 1_000, -3));
    expect(differences(connectTimes(stage))).toEqual(waits);
    const waitAfterError = async () => {
      const before = stage.counts.connect ?? 0;
      stage.sandbox.throwFault('X6');
      stage.sandbox.throwFault('X5');
      await stage.until(() => stage.counts.connect === before + 1, 1_000);
      return differences(connectTimes(stage)).at(-1);
    };
    await stage.pass(30_000);
    expect(await waitAfterError()).toBeGreaterThanOrEqual(320_000);
    await stage.pass(61_000);
    expect(await waitAfterError()).toBeLessThan(6_000);
    expect(stage.counts.refused).toBe(10);
  });

  for (const [seconds, skew, wait] of [
    [300, 0, 300_000],
    [300, 3_600, 300_000],
    [300, -3_600, 300_000],
    [5, 0, MINUTE],
    [-100, 0, MINUTE],
    [1_000_000, 0, 16 * MINUTE],
  ] as const) {
    row('X7', `no request before a reset ${seconds} s ahead by a clock ${skew} s off`, async (scene) => {
      const stage = await scene.wire();
      stage.sandbox.throwFault('X7', { seconds, skew });
      stage.start();
      await stage.until(() => stage.state() === 'live', 1_000);
      const [waited] = differences(connectTimes(stage));
      expect(waited).toBeGreaterThanOrEqual(wait);
      expect(waited).toBeLessThan(wait + 5_000);
      expect(stage.counts).toEqual({ connect: 1, refused: 1 });
    });
  }

  row('X7', 'without a good reset the waits double from a minute', async (scene) => {
    const stage = await scene.wire();
    stage.sandbox.throwFault('X7', { seconds: 1, times: 4 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 1_000);
    expect(differences(connectTimes(stage))).toEqual(
      [1, 2, 4, 8].map((minutes) => expect.closeTo(minutes * MINUTE, -4)),
    );
  });

  row('X8', 'what is left of our own connection is closed by its id, and no second socket opened', async (scene) => {
    const stage = await scene.liveWire();
    await stage.pass(10_000);
    stage.sandbox.throwFault('X8');
    await stage.pass(15_000);
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.counts.connect === 2, 500);
    expect(deletions(stage.sandbox.calls)).toMatchObject([{ path: '/2/connections', status: 200 }]);
    expect(stage.clock.now().getTime() - connectTimes(stage)[0]!).toBeLessThan(40_000);
    expect(stage.sandbox.connections('x')).toBe(1);
    expect(stage.counts.refused).toBe(1);
  });

  row('X8', 'the connection of somebody else is left alone: a minute, doubling', async (scene) => {
    const stage = await scene.wire();
    stage.sandbox.throwFault('X8', { seconds: 400 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 1_000);
    expect(deletions(stage.sandbox.calls)).toEqual([]);
    expect(differences(connectTimes(stage)).map((wait) => Math.round(wait / MINUTE))).toEqual([1, 2, 4]);
    expect(stage.counts.refused).toBe(3);
  });

  row('X9', 'a used-up cap degrades the platform for all to see, with a look once an hour', async (scene) => {
    const stage = await scene.service();
    stage.post();
    await stage.stored(1);
    const lastReceipt = stage.clock.now();
    stage.sandbox.throwFault('X9');
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.state() === 'degraded: quota', 10);
    const { platforms } = await stage.test.call(stage.caller, 'status');
    const [{ from } = { from: '' }] = await stage.gaps();
    expectBeginning({ from }, lastReceipt);
    const open = { from, to: null, recovered: false };
    expect(platforms.x).toMatchObject({ state: 'degraded', reason: 'quota', gaps: [open] });
    expect((await stage.test.call(stage.caller, 'listMatches')).coverage.gaps).toMatchObject([open]);
    const before = stage.streamCalls().length;
    await stage.pass(3 * HOUR + 1_000, MINUTE);
    expect(stage.streamCalls()).toHaveLength(before + 3);
    expect(stage.counts.refused).toBe(4);
    stage.sandbox.clearFaults();
    await stage.pass(HOUR, MINUTE);
    expect(stage.state()).toBe('live');
    expect(await stage.gaps()).toMatchObject([{ from, to: expect.any(String), recovered: false }]);
  });

  for (const status of [401, 403]) {
    row('X18', `a token that is refused with ${status}: three tries, then a look every five minutes`, async (scene) => {
      const stage = await scene.service();
      await stage.pass(2 * MINUTE);
      stage.sandbox.throwFault('X18', { status });
      await stage.until(() => stage.state() === 'degraded: auth', 500);
      const tried = stage.streamCalls().length;
      expect(tried).toBe(4);
      await stage.pass(15 * MINUTE + 10_000);
      expect(stage.streamCalls()).toHaveLength(tried + 3);
      expect(stage.counts.refused).toBe(6);
      expect(await stage.gaps()).toMatchObject([{ to: null, recovered: false }]);
      expect(stage.sandbox.rules('x').map(({ value }) => value)).toEqual(['storm']);
      const changes = stage.sandbox.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/rules'));
      expect(changes).toHaveLength(1);
      // A new token is taken within seconds, whenever the next look would have been.
      stage.sandbox.clearFaults();
      stage.token = 'token-2';
      await stage.pass(6_000);
      await stage.live();
      expect(await stage.gaps()).toMatchObject([{ to: expect.any(String), recovered: false }]);
      const { rules } = await stage.test.call(stage.caller, 'listRules');
      expect(rules).toMatchObject([{ platforms: { x: { status: 'active' } } }]);
    });
  }

  row('X19', 'nobody is called for an empty set of rules, and a 409 makes no wait grow', async (scene) => {
    const stage = await scene.service({ rules: [] });
    await stage.pass(10 * MINUTE, 10_000);
    expect(stage.streamCalls()).toEqual([]);
    stage.sandbox.throwFault('X19', { times: 4 });
    await stage.create('storm');
    await stage.live(1_000);
    const waits = differences(stage.streamCalls().map(({ at }) => at));
    expect(waits).toEqual([30, 30, 30, 30].map((seconds) => expect.closeTo(seconds * 1_000, -3)));
    expect(stage.counts).toEqual({ connect: 1, refused: 4 });
  });

  row('X30', 'an expired certificate is a failure like a 503, and is never looked past', async (scene) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const trusted = tls.getCACertificates('default');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      tls.setDefaultCACertificates(trusted);
    });
    const stage = await scene.wire({ rules: [], sandbox: { tls: true } });
    tls.setDefaultCACertificates([...trusted, stage.sandbox.certificate!]);
    await stage.platform.register([{ value: 'storm', flags: {}, tag: 'ours' }]);
    stage.start();
    await stage.until(() => stage.state() === 'live');
    await stage.pass(61_000);
    const before = stage.sandbox.calls.length;
    stage.sandbox.throwFault('X30');
    stage.sandbox.throwFault('X5');
    await stage.until(() => stage.state() === 'connecting: certificate', 100);
    await stage.until(() => stage.sandbox.fired('X30') === 4, 1_000);
    expect(stage.sandbox.calls).toHaveLength(before);
    expect(stage.counts).toEqual({ connect: 1, disconnect: 1 });
    stage.sandbox.clearFaults();
    const from = stage.clock.now().getTime();
    await stage.until(() => stage.state() === 'live', 1_000);
    // The fourth wait of the ladder: 5 s, 10 s, 20 s, 40 s.
    expect(stage.clock.now().getTime() - from).toBeGreaterThan(38_000);
  });

  row('X30', 'the name is looked up for each connection, so that X can move', async (scene) => {
    let address = '127.0.0.1';
    const real = dns.lookup;
    vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: dns.LookupAllOptions, answer: never) => {
      real(name === 'api.x.example' ? address : name, options, answer);
    }) as typeof dns.lookup);
    onTestFinished(() => void vi.restoreAllMocks());
    const stage = await scene.wire({
      rules: [],
      baseUrl: ({ url }) => `http://api.x.example:${new URL(url).port}`,
    });
    const port = Number(new URL(stage.sandbox.url).port);
    await using moved = await startSandbox({ clock: stage.clock, host: '127.0.0.2', port });
    moved.addForeignRule('x', 'storm');
    await stage.platform.register([{ value: 'storm', flags: {}, tag: 'ours' }]);
    stage.start();
    await stage.until(() => stage.state() === 'live');
    address = '127.0.0.2';
    stage.sandbox.throwFault('X5');
    await stage.until(() => moved.connections('x') === 1, 100);
    expect(stage.sandbox.connections('x')).toBe(0);
    scene.struck();
  });

  row('X32', 'a redirect is not followed, and the token goes nowhere else', async (scene) => {
    await using elsewhere = await openReceiver();
    const stage = await scene.wire();
    for (const status of [301, 302, 307, 308]) {
      stage.sandbox.throwFault('X32', { status, location: `${elsewhere.url}/2/tweets/search/stream` });
      const adding = stage.platform.register([{ value: `gale${status}`, flags: {}, tag: 'ours' }]);
      await expect(adding).rejects.toMatchObject({ fault: 'unreachable' });
    }
    stage.sandbox.throwFault('X32', { location: elsewhere.url, times: 3 });
    stage.start();
    await stage.until(() => stage.state() === 'live', 500);
    expect(differences(connectTimes(stage))).toEqual([5, 10, 20].map((seconds) => expect.closeTo(seconds * 1_000, -3)));
    expect(streamCalls(stage).map(({ status }) => status)).toEqual([307, 307, 307, 200]);
    expect(elsewhere.received).toEqual([]);
    expect(stage.counts).toEqual({ connect: 1, refused: 3 });
    expect(gapsOf(stage)).toHaveLength(2);
  });
}
