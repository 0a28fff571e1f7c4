import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { challengeAnswer, isSigned } from './webhook-endpoint.ts';

const SECRET = 'a secret';
const digestOf = (content: string, secret = SECRET) => createHmac('sha256', secret).update(content).digest('base64');

describe('a challenge', () => {
  it('is answered with the digest of its token', () => {
    expect(challengeAnswer(SECRET, 'MTY3-abc_9.=')).toBe(`sha256=${digestOf('MTY3-abc_9.=')}`);
  });

  // Whoever could have a body signed as a challenge could deliver it.
  it.each([
    '{}',
    '{"data":{"id":"1"}}',
    '"a"',
    '[1]',
    'two words',
    '',
    'a\n',
    'a'.repeat(257),
    'é',
    undefined,
    ['a', 'b'],
  ])('that may be a body is not: %o', (token) => {
    expect(challengeAnswer(SECRET, token)).toBeUndefined();
  });
});

describe('a signature', () => {
  const body = Buffer.from('{"data":{"id":"1","text":"é"}}');
  const right = `sha256=${digestOf(body.toString())}`;

  it('is that of the very bytes', () => {
    expect(isSigned(SECRET, body, right)).toBe(true);
    expect(isSigned(SECRET, Buffer.concat([body, Buffer.from(' ')]), right)).toBe(false);
  });

  it.each([
    undefined,
    '',
    'sha256=',
    digestOf(body.toString()),
    right.slice(0, -4),
    `${right}AAAA`,
    `sha1=${digestOf(body.toString())}`,
    `sha256=${digestOf(body.toString(), 'the secret before')}`,
    [right],
  ])('is not %o', (header) => {
    expect(isSigned(SECRET, body, header)).toBe(false);
  });
});
