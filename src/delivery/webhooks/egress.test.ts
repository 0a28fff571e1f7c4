import { describe, expect, it } from 'vitest';
import { guardedLookup, isPublicAddress, webhookUrlProblem } from './egress.ts';

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
});
