/** Clients by the documents on their hosts: what is fetched, what is believed, and what never happens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { Egress } from '../../src/delivery/webhooks/egress.ts';
import { type Clients, createClients, KNOWN_CLIENTS } from '../../src/service/oauth/clients.ts';
import { createDocumentFetch } from '../../src/service/oauth/fetch-document.ts';
import { type DocumentHost, documentOf, LOCAL_NAMES, startDocumentHost } from './documents.ts';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const noStore = { client: async () => undefined };

let host: DocumentHost;
beforeAll(async () => {
  host = await startDocumentHost();
});
afterAll(() => host[Symbol.asyncDispose]());

function clientsWith(egress: Partial<Egress> = {}, clock: Clock = systemClock): Clients {
  const whole = { ...LOCAL_NAMES, ownAddresses: () => [], ...egress };
  return createClients({
    store: noStore,
    clock,
    log,
    fetchDocument: createDocumentFetch({ clock: systemClock, egress: whole }),
  });
}

describe('a document', () => {
  it('is read over TLS, and names the client and where it may be answered', async () => {
    const url = host.url('/id.json');
    host.answers.set('/id.json', { body: documentOf(url) });
    expect(await clientsWith().find(url)).toEqual({
      id: url,
      name: 'Agent of client.test',
      redirectUris: ['http://127.0.0.1/callback', 'https://client.test/callback'],
      secretDigest: undefined,
      isVerified: true,
    });
  });

  const wrong: [string, (url: string) => Parameters<DocumentHost['answers']['set']>[1], RegExp][] = [
    ['of another address', () => ({ body: documentOf('https://other.test/id.json') }), /client_id is not its own/],
    ['behind a redirect', (url) => ({ status: 302, headers: { location: url }, body: '' }), /answered 302/],
    [
      'behind another protocol',
      () => ({ status: 101, headers: { connection: 'upgrade', upgrade: 'gopher' }, body: '' }),
      /answered 101/,
    ],
    ['announced without end', () => ({ interim: 100, body: undefined }), /sent interim answers and no final one/],
    ['that is not there', () => ({ status: 404, body: '{}' }), /answered 404/],
    ['that is not JSON', () => ({ headers: { 'content-type': 'text/html' }, body: '<b>' }), /did not answer with JSON/],
    ['of broken JSON', () => ({ body: '{' }), /not acceptable JSON/],
    [
      'of over 5 KiB',
      (url) => ({ body: documentOf(url, { client_uri: `https://a.example/${'x'.repeat(6_000)}` }) }),
      /longer than 5120 bytes/,
    ],
    ['with a secret', (url) => ({ body: documentOf(url, { client_secret: 's' }) }), /client_secret/],
    [
      'that asks for a secret',
      (url) => ({ body: documentOf(url, { token_endpoint_auth_method: 'client_secret_post' }) }),
      /asks for a secret/,
    ],
    ['without a name', (url) => ({ body: documentOf(url, { client_name: undefined }) }), /client_name/],
    ['without a redirect', (url) => ({ body: documentOf(url, { redirect_uris: [] }) }), /redirect_uris/],
    [
      'with a redirect that runs code',
      (url) => ({ body: documentOf(url, { redirect_uris: ['javascript:alert(1)'] }) }),
      /redirect_uris is refused/,
    ],
    [
      'for other grants',
      (url) => ({ body: documentOf(url, { grant_types: ['client_credentials'] }) }),
      /authorization codes/,
    ],
    [
      'with a logo that is no https address',
      (url) => ({ body: documentOf(url, { logo_uri: 'file:///etc/passwd' }) }),
      /logo_uri/,
    ],
  ];
  it.each(wrong)('%s is refused, with the reason', async (_, answer, reason) => {
    const url = host.url('/wrong.json');
    host.answers.set('/wrong.json', answer(url));
    expect(await clientsWith().find(url)).toEqual({ problem: expect.stringMatching(reason) });
  });

  it('that never comes is given up after 5 seconds', async () => {
    const url = host.url('/never.json');
    host.answers.set('/never.json', { body: undefined });
    const waited: number[] = [];
    const clock: Clock = {
      ...systemClock,
      sleep: async (milliseconds) => void waited.push(milliseconds),
    };
    const egress = { ...LOCAL_NAMES, ownAddresses: () => [] };
    await expect(createDocumentFetch({ clock, egress })(url)).rejects.toThrow('within 5 seconds');
    expect(waited).toEqual([5_000]);
  });

  it('is kept for as long as its host says, within bounds, and asked for once by all who wait', async () => {
    let now = Date.parse('2026-11-15T08:00:00Z');
    const clock: Clock = { ...systemClock, now: () => new Date(now) };
    const clients = clientsWith({}, clock);
    const url = host.url('/kept.json');
    for (const [cacheControl, seconds] of [
      ['max-age=120', 120],
      ['max-age=1', 30],
      ['no-store', 30],
      ['max-age=999999999', 24 * 3_600],
      ['', 3_600],
    ] as const) {
      host.answers.set('/kept.json', { body: documentOf(url), headers: { 'cache-control': cacheControl } });
      host.asked.length = 0;
      await Promise.all([clients.find(url), clients.find(url), clients.find(url)]);
      expect(await clients.atHand(url)).toMatchObject({ id: url });
      now += seconds * 1_000 - 1;
      await clients.find(url);
      expect([cacheControl, host.asked.length]).toEqual([cacheControl, 1]);
      now += 1;
      expect(await clients.atHand(url)).toBe('unread');
    }
  });

  it('that failed is asked for again the next time', async () => {
    const clients = clientsWith();
    const url = host.url('/late.json');
    host.answers.set('/late.json', { status: 500, body: '{}' });
    expect(await clients.find(url)).toHaveProperty('problem');
    host.answers.set('/late.json', { body: documentOf(url) });
    expect(await clients.find(url)).toMatchObject({ id: url });
  });
});

describe('a document inside the network', () => {
  const guarded = (addresses: string[]) => {
    const resolved: string[] = [];
    const clients = clientsWith({
      allowPrivate: false,
      ownAddresses: () => ['93.184.216.34'],
      resolve(name, _, callback) {
        resolved.push(name);
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    });
    return { clients, resolved };
  };

  it.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['192.168.1.1'],
    ['::1'],
    ['fd00::1'],
    ['::ffff:127.0.0.1'],
    // This machine by its public address.
    ['93.184.216.34'],
  ])('at %s is not asked for', async (address) => {
    host.asked.length = 0;
    const { clients, resolved } = guarded([address]);
    const found = await clients.find('https://client.test/id.json');
    expect(found).toEqual({ problem: expect.stringContaining('not public') });
    expect([resolved, host.asked]).toEqual([['client.test'], []]);
  });

  it('is not asked for when one of several addresses is private', async () => {
    const { clients } = guarded(['8.8.8.8', '127.0.0.1']);
    expect(await clients.find('https://client.test/id.json')).toEqual({
      problem: expect.stringContaining('not public'),
    });
  });

  it.each([
    'https://127.0.0.1/id.json',
    'https://[::1]/id.json',
    'https://2130706433/id.json',
    'https://localhost/id.json',
    'https://metadata.google.internal/id.json',
    'https://client.test:22/id.json',
    'https://client.test/',
    'https://client.test',
    'https://user:pass@client.test/id.json',
    'https://client.test/id.json#a',
    'https://client.test/a/../id.json',
    'https://client.test/a/%2e%2E/id.json',
    'https://client.test/./id.json',
    'https://client.test\\@evil.example/id.json',
    `https://client.test/${'x'.repeat(512)}`,
    'HTTPS://client.test/id.json',
  ])('named by %s is not even looked up', async (id) => {
    const { clients, resolved } = guarded(['8.8.8.8']);
    expect(await clients.find(id)).toEqual({ problem: expect.any(String) });
    expect(resolved).toEqual([]);
  });

  it.each(['http://client.test/id.json', 'ftp://client.test/id.json', 'slc_unknown'])(
    'is not meant by %s, which is no registered client',
    async (id) => {
      const { clients, resolved } = guarded(['8.8.8.8']);
      expect(await clients.find(id)).toEqual({ problem: expect.stringContaining('not registered here') });
      expect(resolved).toEqual([]);
    },
  );
});

describe('the clients that are known here', () => {
  it.each([...KNOWN_CLIENTS.keys()])('%s is used when its host does not answer', async (id) => {
    const clients = clientsWith({
      resolve: (_, __, callback) => callback(Object.assign(new Error('no network'), { code: 'ENOTFOUND' }), []),
    });
    expect(await clients.find(id)).toEqual(KNOWN_CLIENTS.get(id));
  });
});
