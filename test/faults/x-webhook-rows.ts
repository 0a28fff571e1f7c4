/** X delivers to our endpoint, and something goes wrong: nothing is lost, nothing is there twice, and gaps tell the truth. */
import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { row, type Scene } from './rows.ts';
import type { ServiceStage } from './service-stage.ts';

const MINUTE = 60_000;
const SECRET = 'consumer-secret';
/** X tries so many times by itself, and no more. */
const EVERY_TRY = 4;

const delivered = (scene: Scene) => scene.service({ level: 'enterprise', webhook: { secret: SECRET } });

/** One post has come, so that the endpoint knows from where X delivers. */
async function afterFirst(scene: Scene): Promise<{ stage: ServiceStage; first: string }> {
  const stage = await delivered(scene);
  const first = stage.post();
  await stage.stored(1);
  await stage.pass(MINUTE);
  return { stage, first };
}

const isMended = async (stage: ServiceStage): Promise<boolean> => {
  const gaps = await stage.gaps();
  return gaps.length > 0 && gaps.every(({ recovered, to }) => recovered && to !== null);
};

export function xWebhookRows(): void {
  row('X33', 'a challenge is answered at any time, and the webhook stays valid', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X33');
    await stage.pass(MINUTE);
    const second = stage.post();
    await stage.stored(2);
    expect(await stage.posts()).toEqual([first, second]);
    expect(await stage.gaps()).toEqual([]);
    expect(stage.state()).toBe('live');
    expect(stage.counts).toEqual({ connect: 1 });
  });

  row('X34', 'a delivery that comes twice is one match', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X34', { copies: 3 });
    const second = stage.post();
    await stage.until(() => stage.counts.dup === 2);
    expect(await stage.posts()).toEqual([first, second]);
    expect(await stage.gaps()).toEqual([]);
  });

  row('X35', 'deliveries may come in any order', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X35');
    const others = [stage.post(), stage.post(), stage.post()];
    await stage.stored(4);
    expect((await stage.posts()).toSorted()).toEqual([first, ...others].toSorted());
    expect(await stage.gaps()).toEqual([]);
  });

  row('X36', 'a delivery that breaks off is a gap until X has brought it again', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X36');
    const second = stage.post();
    const at = stage.clock.now().toISOString();
    await stage.until(async () => (await stage.gaps()).length === 1, 500, 8);
    expect(await stage.posts()).toEqual([first]);
    const [gap] = await stage.gaps();
    expect(gap).toMatchObject({ cause: 'cut', recovered: false });
    expect(Date.parse(gap!.from)).toBeLessThan(Date.parse(at));
    expect(Date.parse(gap!.to ?? at)).toBeGreaterThanOrEqual(Date.parse(at));
    await stage.until(() => isMended(stage), 1_000, 300);
    expect(await stage.posts()).toEqual([first, second]);
    expect(stage.state()).toBe('live');
  });

  row('X36', 'a delivery that breaks off each time comes with a replay', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X36', { times: EVERY_TRY });
    const second = stage.post();
    await stage.until(() => isMended(stage), 1_000, 600);
    await stage.until(() => stage.sandbox.deliveries === 0, 1_000, 300);
    expect(await stage.posts()).toEqual([first, second]);
    expect(replayCalls(stage)).toBeGreaterThan(0);
    expect(stage.streamCalls()).toEqual([]);
  });

  row('X37', 'a delivery with a wrong signature is refused and not looked at', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X37');
    const second = stage.post();
    await stage.until(() => stage.sandbox.fired('X37') === 1);
    await stage.pass(2_000, 500);
    expect(await stage.posts()).toEqual([first]);
    await stage.stored(2, 1_000);
    expect(await stage.posts()).toEqual([first, second]);
    expect(await stage.gaps()).toEqual([]);
  });

  for (const kind of ['invalid', 'unlinked', 'gone']) {
    const cause = kind === 'gone' ? 'unregistered' : kind;
    row('X38', `a webhook that is ${kind} is restored, and what X did not try to deliver is fetched`, async (scene) => {
      const { stage, first } = await afterFirst(scene);
      stage.sandbox.throwFault('X38', { kind });
      const second = stage.post();
      await stage.until(() => isMended(stage), 1_000, 300);
      expect(await stage.gaps()).toMatchObject([{ cause, recovered: true }]);
      const third = stage.post();
      await stage.stored(3);
      expect(await stage.posts()).toEqual([first, second, third]);
      expect(stage.state()).toBe('live');
      expect(stage.streamCalls()).toHaveLength(1);
    });
  }

  for (const kind of ['refused', 'incomplete', 'silent', 'early']) {
    row('X39', `what a replay that is ${kind} does not bring is fetched in another way`, async (scene) => {
      const { stage, first } = await afterFirst(scene);
      // X's last try comes long after the replay.
      stage.sandbox.throwFault('X36', { times: EVERY_TRY - 1 });
      stage.sandbox.throwFault('X39', { kind });
      const second = stage.post();
      await stage.until(() => stage.sandbox.fired('X39') === 1, 1_000, 600);
      const before = await stage.gaps();
      expect(before.some(({ recovered }) => !recovered)).toBe(true);
      // No gap is recovered before what it had to bring is there.
      await stage.until(async () => (await stage.gaps()).some(({ recovered }) => recovered), 1_000, 2_000);
      expect(await stage.posts()).toEqual([first, second]);
      await stage.until(() => isMended(stage), 2_000, 2_000);
      expect(await stage.posts()).toEqual([first, second]);
      expect(stage.streamCalls().length > 0).toBe(kind !== 'early');
    });
  }

  row('X39', 'what can be fetched in no way stays a gap', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X36', { times: EVERY_TRY });
    stage.sandbox.throwFault('X39', { kind: 'refused', times: 100 });
    stage.sandbox.throwFault('X6', { status: 403, times: 100 });
    stage.post();
    await stage.until(() => stage.sandbox.fired('X36') === EVERY_TRY, 1_000, 300);
    const given = () => stage.sandbox.fired('X6');
    await stage.until(async () => given() >= 3 * (await stage.gaps()).length, 2_000, 2_000);
    await stage.pass(MINUTE);
    expect(await stage.posts()).toEqual([first]);
    for (const gap of await stage.gaps())
      expect(gap).toMatchObject({ cause: 'cut', recovered: false, to: expect.any(String) });
  });

  row('X40', 'what X delivers again because it did not hear our answer is one match', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X40');
    const second = stage.post();
    await stage.until(() => stage.counts.dup === 1, 1_000);
    expect(await stage.posts()).toEqual([first, second]);
    expect(await stage.gaps()).toEqual([]);
  });

  row('X41', 'a time in which X does not reach us is a gap, and what it missed is fetched', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X41', { seconds: 90 });
    const second = stage.post();
    await stage.until(() => stage.state() !== 'live', 1_000, 60);
    const [open] = await stage.gaps();
    expect(open).toMatchObject({ to: null, cause: 'challenge', recovered: false });
    await stage.until(() => isMended(stage), 1_000, 600);
    expect(await stage.posts()).toEqual([first, second]);
    await stage.live();
  });

  row('X15', 'deliveries go on while X cannot be asked, and the time is replayed', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    stage.sandbox.throwFault('X15', { seconds: 60 });
    const second = stage.post();
    await stage.stored(2);
    await stage.until(() => stage.state() !== 'live', 1_000, 60);
    expect(await stage.gaps()).toMatchObject([{ to: null, cause: 'server', recovered: false }]);
    await stage.until(() => isMended(stage), 1_000, 600);
    expect(await stage.posts()).toEqual([first, second]);
    expect(replayCalls(stage)).toBe(1);
    expect(stage.streamCalls()).toEqual([]);
  });

  row('X2', 'a webhook that brings nothing is linked anew, and is a gap until a post comes', async (scene) => {
    const stage = await delivered(scene);
    for (let post = 0; post < 60; post++) {
      stage.post();
      await stage.pass(10_000, 2_000);
    }
    await stage.stored(60);
    const links = () =>
      stage.sandbox.calls.filter(({ method, path }) => method === 'POST' && path.includes('/webhooks/'));
    const before = links().length;
    stage.sandbox.throwFault('X2');
    stage.post();
    await stage.until(() => stage.counts.suspect === 1, 2_000);
    await stage.until(() => links().length > before, 2_000, 30);
    expect(await stage.gaps()).toMatchObject([{ to: null, cause: 'suspect', recovered: false }]);
    stage.sandbox.clearFaults();
    stage.post();
    await stage.until(() => isMended(stage), 1_000, 300);
    expect(await stage.posts()).toHaveLength(62);
  });

  killRows();
  nodeRows();
}

function killRows(): void {
  row('B8', 'a process that died leaves a gap, and X replays what it missed', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    await stage.kill();
    scene.struck();
    const second = stage.post();
    await stage.pass(3 * MINUTE);
    const next = await scene.service({ level: 'enterprise', webhook: { secret: SECRET }, beside: stage });
    await next.live(1_000);
    await next.until(() => isMended(next), 1_000, 600);
    expect(await next.posts()).toEqual([first, second]);
    expect(await next.gaps()).toMatchObject([{ cause: 'restart', recovered: true }]);
  });
}

function nodeRows(): void {
  row('X31', 'any node takes deliveries; the node with the lease registers and reads', async (scene) => {
    const { stage, first } = await afterFirst(scene);
    const other = await scene.service({
      level: 'enterprise',
      webhook: { secret: SECRET },
      beside: stage,
      isOtherNode: true,
    });
    scene.struck();
    const calls = stage.sandbox.calls.length;
    const verdicts = stage.sandbox.rules('x').map(({ id }) => ({ id }));
    const body = JSON.stringify({ data: { id: '77', text: 'a storm' }, matching_rules: verdicts });
    expect(await send(other, body, SECRET)).toBe(200);
    expect(await send(other, body, 'an old secret')).toBe(401);
    await stage.stored(2, 500);
    expect(await stage.posts()).toEqual([first, '77']);
    await stage.pass(3_000);
    expect(await stage.store.received('x', 0, 10)).toEqual([]);
    expect(other.counts.connect).toBeUndefined();
    expect(stage.sandbox.calls.length - calls).toBeLessThan(20);
  });
}

const replayCalls = ({ sandbox }: ServiceStage): number =>
  sandbox.calls.filter(({ path }) => path === '/2/webhooks/replay').length;

async function send({ webhookUrl }: ServiceStage, body: string, secret: string): Promise<number> {
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;
  const headers = { 'x-twitter-webhooks-signature': signature, 'content-type': 'application/json' };
  return (await fetch(webhookUrl, { method: 'POST', headers, body })).status;
}
