import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../platforms/platform.ts';
import { cleaned } from '../../platforms/upstream-call.ts';
import { platformFailure } from './pinned-texts.ts';

const page =
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1><script>alert(1)</script></body></html>';

describe('an upstream that refuses', () => {
  it.each(['unreachable', 'timeout'] as const)('says when to try again, although it did not: %s', (fault) => {
    const upstreamMessage = cleaned(page, 'token');
    const error = platformFailure('x', new PlatformError(fault, 'X answered 502.', { upstreamMessage }));
    expect(error).toMatchObject({ message: 'X answered 502.', retryAfter: 10 });
    expect(error).toMatchObject({
      details: { platform: 'x', upstream_message: '502 Bad Gateway 502 alert(1)' },
    });
  });

  it('keeps the time that the upstream stated', () => {
    const refusal = new PlatformError('unreachable', 'X answered 503.', { retryAfter: 120 });
    expect(platformFailure('x', refusal)).toMatchObject({ code: 'unavailable', retryAfter: 120 });
  });

  it('has no time to wait for where waiting does not help', () => {
    const refusal = new PlatformError('refused', 'X does not accept this rule.', { upstreamMessage: 'bad operator' });
    expect(platformFailure('x', refusal)).toMatchObject({ code: 'invalid_argument', retryAfter: undefined });
  });
});

describe('words of an upstream', () => {
  it('lose their tags in linear time, however many are never closed', () => {
    expect(cleaned('<'.repeat(10_000), 'token')).toHaveLength(300);
  });
});
