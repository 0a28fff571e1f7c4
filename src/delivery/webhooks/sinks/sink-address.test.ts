import { describe, expect, it } from 'vitest';
import { isSink, placesOf, shownSink, sinkAddress } from './sink-address.ts';

describe('the address of a sink', () => {
  it.each([
    ['nats://nats.example/lava', 'nats', [['nats.example', 4_222]], 'lava', false, undefined],
    ['NATS://Nats.Example:1/lava.hot', 'nats', [['nats.example', 1]], 'lava.hot', false, undefined],
    ['kafka://a.example/topic', 'kafka', [['a.example', 9_092]], 'topic', false, undefined],
    [
      'kafka://a.example:65535,b.example/topic?tls=on',
      'kafka',
      [
        ['a.example', 65_535],
        ['b.example', 9_092],
      ],
      'topic',
      true,
      undefined,
    ],
    ['nats://ada:s%20ecret@a.example/s', 'nats', [['a.example', 4_222]], 's', false, 'ada:s ecret'],
    ['nats://100%@a.example/s', 'nats', [['a.example', 4_222]], 's', false, '100%'],
  ])('%s', (url, scheme, hosts, name, hasTls, login) => {
    expect(sinkAddress(url)).toEqual({
      scheme,
      hosts: hosts.map(([hostname, port]) => ({ hostname, port })),
      name,
      hasTls,
      login,
    });
  });

  it.each([
    'https://a.example/topic',
    'nats://a.example',
    'nats://a.example/',
    'nats://a.example/a/b',
    'nats://a.example/a b',
    'nats://a.example/a?tls=off',
    'nats://a.example/a#b',
    'nats://a.example,b.example/a',
    'nats://a.example:65536/a',
    'nats://a.example:123456/a',
    'nats://-a.example/a',
    'nats://a.example-/a',
    'kafka://a.example,,b.example/a',
    'kafka://a.example,b_c/a',
    'nats://a.example/a.*',
    'nats://a.example/>',
    'nats://a.example/$JS.API',
    'nats://a.example/_INBOX.a',
    'nats://a.example/a..b',
    'kafka://a.example/.',
    'kafka://a.example/..',
    `kafka://a.example/${'t'.repeat(250)}`,
  ])('is not %s', (url) => expect(sinkAddress(url)).toBeUndefined());

  it('takes the longest name, and names that only look like those of NATS itself', () => {
    expect(sinkAddress(`kafka://a.example/${'t'.repeat(249)}`)?.name).toHaveLength(249);
    expect(sinkAddress('kafka://a.example/...')?.name).toBe('...');
    expect(sinkAddress('nats://a.example/_INBOXES')?.name).toBe('_INBOXES');
    expect(sinkAddress('nats://a.example/a.$b')?.name).toBe('a.$b');
  });

  it('is known by its scheme alone', () => {
    expect(['nats://a', 'KAFKA:b', 'kafkas://a', 'https://nats:', '', undefined].map((url) => isSink(url))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('is shown without what signs in, and reads back as the same place', () => {
    const shown = (url: string) => shownSink(sinkAddress(url)!);
    expect(shown('kafka://ada:secret@A.example,b.example:1/t?tls=on')).toBe(
      'kafka://a.example:9092,b.example:1/t?tls=on',
    );
    expect(shown('nats://token@a.example/s')).toBe('nats://a.example:4222/s');
    expect(placesOf([{ hostname: 'a', port: 1 }])).toBe('a:1');
  });
});
