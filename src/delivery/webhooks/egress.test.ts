import { describe, expect, it } from 'vitest';
import { checkedAddress, guardedLookup, isPublicAddress, type Resolve, webhookUrlProblem } from './egress.ts';

describe('addresses', () => {
  it.each(
    `0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255
     192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1
     240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::7f00:1 64:ff9b::7f00:1 64:ff9b:1::1 100::1
     2001::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0
     fec0::1 ff02::1 localhost example.com`.split(/\s+/),
  )('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.0.1',
    '172.32.0.1',
    '192.0.1.1',
    '168.63.129.15',
    '2606:4700:4700::1111',
    '2a00:1450::1',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('URLs', () => {
  it.each([
    'http://example.com/',
    'https://example.com:444/',
    'https://user@example.com/',
    'https://:pass@example.com/',
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
    'https://0x7f.1/',
    'https://2130706433/',
    'https://127。0。0。1/',
    'https://localhost/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://intranet/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,hi',
  ])('%s is refused', (url) => {
    expect(webhookUrlProblem(new URL(url), false)).toBeTypeOf('string');
  });

  it.each(['https://example.com/', 'https://example.com:8443/a?b#c', 'https://bücher.example/'])(
    '%s may be tried',
    (url) => {
      expect(webhookUrlProblem(new URL(url), false)).toBeUndefined();
    },
  );

  it('may be anything on the web in development, but hold no password', () => {
    expect(webhookUrlProblem(new URL('http://127.0.0.1:9000/'), true)).toBeUndefined();
    expect(webhookUrlProblem(new URL('http://a:b@127.0.0.1:9000/'), true)).toBeTypeOf('string');
    expect(webhookUrlProblem(new URL('ftp://127.0.0.1/'), true)).toBeTypeOf('string');
  });
});

describe('a look-up', () => {
  const addresses = [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:220:1::1', family: 6 },
  ];
  const lookup = guardedLookup({
    allowPrivate: false,
    ownAddresses: () => [],
    resolve: (_, __, callback) => callback(null, addresses),
  });

  it('gives all addresses, or the first with its family, as it is asked', () => {
    const answers: unknown[][] = [];
    lookup('a.example', { all: true }, (...answer) => void answers.push(answer));
    lookup('a.example', {}, (...answer) => void answers.push(answer));
    expect(answers).toEqual([
      [null, addresses],
      [null, '93.184.216.34', 4],
    ]);
  });

  const resolving = (error: NodeJS.ErrnoException | null, found: { address: string; family: number }[]) => ({
    allowPrivate: false,
    ownAddresses: () => ['93.184.216.40'],
    resolve: ((_, __, callback) => callback(error, found)) satisfies Resolve,
  });
  const away = Object.assign(new Error('away'), { code: 'ENOTFOUND' });

  it.each([
    ['a name that is not found', resolving(away, []), 'away'],
    ['a name without an address', resolving(null, []), 'The host name has no address.'],
    [
      'a name of which one address is private',
      resolving(null, [...addresses, { address: '10.0.0.1', family: 4 }]),
      'The host name resolves to an address that is not public.',
    ],
    [
      'a name of this machine',
      resolving(null, [{ address: '93.184.216.40', family: 4 }]),
      'The host name resolves to an address that is not public.',
    ],
  ])('fails for %s', async (_, egress, message) => {
    const failed = await new Promise<Error | null>((done) => {
      guardedLookup(egress)('a.example', {}, (error) => done(error));
    });
    expect(failed?.message).toBe(message);
    await expect(checkedAddress(egress, 'a.example')).rejects.toThrow(message);
  });

  it('for a client without a lookup of its own gives one address that was checked, or says why none', async () => {
    const egress = resolving(null, addresses);
    expect(await checkedAddress(egress, 'a.example')).toBe('93.184.216.34');
    await expect(checkedAddress(egress, '93.184.216.34')).rejects.toThrow('must have a host name');
    await expect(checkedAddress(egress, 'localhost')).rejects.toThrow('The host of the URL must be public.');
    expect(await checkedAddress({ ...egress, allowPrivate: true }, '127.0.0.1')).toBe('127.0.0.1');
  });
});
