/** Heads of the log of certificates, from the certificate that is logged to the request that a receiver gets. */
import { describe, expect, it } from 'vitest';
import { type CertificateHead, verifyConsistency, verifyHead } from '../packages/client/src/index.ts';
import type { Send } from '../src/delivery/webhooks/transport.ts';
import { logCertificate, logProof } from '../src/service/matches/certificate-log.ts';
import { openSqlite } from '../src/store/sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { fakeClock } from './stages/fake-clock.ts';
import { openService } from './stages/service.ts';

interface Received {
  readonly type: string;
  readonly matches: readonly unknown[];
  readonly head: CertificateHead;
}

async function stage(wrap: (store: Store) => Store = (store) => store) {
  const clock = fakeClock();
  const store = wrap(await openSqlite(':memory:', { clock }));
  const received = new Map<string, Received[]>();
  const send: Send = async ({ url, body }) => {
    const { host } = new URL(url);
    received.set(host, [...(received.get(host) ?? []), JSON.parse(body) as Received]);
    return { statusCode: 200, error: undefined, response: '' } as never;
  };
  const delivery = { send, allowPrivate: true, sealingKey: Buffer.alloc(32, 7) };
  const start = () => openService({ clock, store, delivery });
  const test = await start();
  const { context } = test.service;
  const hook = async (account: string, events: string[], change: object = {}) => {
    const caller = await test.caller(account);
    const url = `https://${account}.example/`;
    return (await test.call(caller, 'createWebhook', { url, events, ...change })).webhook_id;
  };
  /** As Certify does it. */
  const log = async (...names: string[]) => {
    for (const name of names) await logCertificate(context, name, clock.now());
    context.headNotices.look();
  };
  const heads = (account: string) => (received.get(`${account}.example`) ?? []).map(({ head }) => head);
  return { clock, store, start, test, context, hook, log, received, heads };
}

describe('webhooks that want heads', () => {
  it('of any account are sent one head for certificates that come together; others hear nothing', async () => {
    const { clock, test, context, hook, log, received, heads } = await stage();
    await hook('alice', ['head']);
    await hook('bob', ['match', 'head']);
    await hook('carol', ['match', 'operational', 'alert']);
    await log('1');
    await clock.pass(1_000);
    await log('2', '3', '4');
    await clock.pass(20_000);
    expect(heads('alice').map(({ size }) => size)).toEqual([4]);
    expect(heads('bob')).toEqual(heads('alice'));
    expect(received.get('alice.example')![0]).toMatchObject({ type: 'head', matches: [] });
    expect(received.has('carol.example')).toBe(false);
    await log('5');
    await clock.pass(20_000);
    const [earlier, later] = heads('alice') as [CertificateHead, CertificateHead];
    expect(await verifyHead(later, { key: context.signer.publicKey })).toMatchObject({ size: 5 });
    const { proof } = (await logProof(context, { from: '4', to: '5' })) as { proof: string[] };
    await verifyConsistency(earlier, later, proof);
    await test[Symbol.asyncDispose]();
  });

  it('are sent a head once, however many processes know of it, and after a restart', async () => {
    const { clock, start, test, hook, log, heads } = await stage();
    await hook('alice', ['head']);
    await log('1');
    await clock.pass(20_000);
    expect(heads('alice')).toHaveLength(1);
    await test[Symbol.asyncDispose]();
    const again = await start();
    again.service.context.headNotices.look();
    await clock.pass(20_000);
    expect(heads('alice')).toHaveLength(1);
    await again[Symbol.asyncDispose]();
  });

  it('are sent what was logged by a process that died before it said so', async () => {
    const { clock, start, test, context, hook, heads } = await stage();
    await hook('alice', ['head']);
    await logCertificate(context, '1', clock.now());
    await test[Symbol.asyncDispose]();
    await clock.pass(20_000);
    expect(heads('alice')).toEqual([]);
    const again = await start();
    await clock.pass(20_000);
    expect(heads('alice').map(({ size }) => size)).toEqual([1]);
    await again[Symbol.asyncDispose]();
  });

  it('are sent it later when the store was away', async () => {
    let isAway = false;
    const { clock, test, hook, log, heads } = await stage((store) => ({
      ...store,
      headWebhooks: () => (isAway ? Promise.reject(new Error('The store is away.')) : store.headWebhooks()),
    }));
    await hook('alice', ['head']);
    isAway = true;
    await log('1');
    await clock.pass(20_000);
    expect(heads('alice')).toEqual([]);
    expect(test.logged.join()).toContain('The head of the log of certificates cannot be sent');
    isAway = false;
    await clock.pass(20_000);
    expect(heads('alice')).toHaveLength(1);
    await test[Symbol.asyncDispose]();
  });

  it('as a chat get it as it was signed', async () => {
    const { clock, test, context, hook, log, received } = await stage();
    await hook('alice', ['head'], { format: 'slack' });
    await log('1');
    await clock.pass(20_000);
    const text = JSON.stringify(received.get('alice.example'));
    expect(text).toContain('Certificates in the log: 1.');
    expect(text).toContain(context.signer.publicKey);
    await test[Symbol.asyncDispose]();
  });
});
