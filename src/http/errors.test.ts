import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ServiceError } from '../service/errors.ts';
import { StoreError } from '../store/error.ts';
import { failureOf, isDefect, isStoreAway, RequestError, unreadable } from './errors.ts';

/** An error as the framework throws it. */
const refusal = (code: string, statusCode: number) => Object.assign(new Error('in its words'), { code, statusCode });

describe('a failure', () => {
  it('has the status of its code, and the code, the message and the details in its body', () => {
    const statuses = ERROR_CODES.map((code) => failureOf(new ServiceError(code, 'why', { details: { a: 1 } })));
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 401, 403, 404, 405, 409, 429, 500, 503, 504]);
    expect(statuses[0]!.body).toEqual({ code: 'invalid_argument', message: 'why', details: { a: 1 } });
  });

  it('names the scheme where a key is wanted, and nowhere else', () => {
    expect(failureOf(new ServiceError('unauthenticated', '')).headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
    expect(failureOf(new ServiceError('permission_denied', '')).headers).toEqual({});
  });

  it('says when to try again in whole seconds, one at least', () => {
    const wait = (retryAfter: number) => failureOf(new ServiceError('unavailable', '', { retryAfter })).headers;
    expect([wait(0), wait(0.2), wait(7.1)].map((headers) => headers['Retry-After'])).toEqual(['1', '1', '8']);
  });

  it('of HTTP itself has its own status and headers, and lists its issue', () => {
    const error = new RequestError('unimplemented', 'no', { headers: { Allow: 'GET' } });
    expect(failureOf(error)).toEqual({
      status: 405,
      headers: { Allow: 'GET' },
      body: { code: 'unimplemented', message: 'no', details: {} },
    });
    expect(failureOf(unreadable('too long', 413))).toMatchObject({
      status: 413,
      body: { code: 'invalid_argument', details: { issues: [{ path: '', message: 'too long' }] } },
    });
  });

  it.each([
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 413, 'too large'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 415, 'Content-Type'],
    ['FST_ERR_CTP_INVALID_TYPE', 400, 415, 'Content-Type'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 400, 'Content-Length'],
    ['FST_ERR_BAD_URL', 400, 400, 'path'],
    ['FST_ERR_OTHER', 400, 400, 'cannot be read'],
    ['FST_ERR_OTHER', 499, 499, 'cannot be read'],
  ])('%s of the framework (%i) is answered %i in our words', (code, given, status, words) => {
    const failure = failureOf(refusal(code, given));
    expect(failure.status).toBe(status);
    expect(failure.body).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(words) });
    expect(failure.body.message).not.toContain('in its words');
    expect(isDefect(refusal(code, given))).toBe(false);
  });

  it.each([
    ['an error of ours', new TypeError('secret')],
    ['a failure of the framework', refusal('FST_ERR_X', 500)],
    ['a status without a code', Object.assign(new Error('secret'), { statusCode: 404 })],
    ['a status below 400', refusal('FST_ERR_X', 399)],
    ['a store that broke', new StoreError('damaged', 'secret')],
    ['nothing', undefined],
  ])('by a defect says nothing of the defect: %s', (_, thrown) => {
    const { status, body } = failureOf(thrown);
    expect([status, body.code, isDefect(thrown), isStoreAway(thrown)]).toEqual([500, 'internal', true, false]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it.each(['full', 'away', 'unwritable', 'busy'] as const)(
    'of a store that is %s passes, and is no defect',
    (reason) => {
      const away = new StoreError(reason, 'secret');
      expect(failureOf(away)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
      expect(JSON.stringify(failureOf(away))).not.toContain('secret');
      expect([isDefect(away), isStoreAway(away)]).toEqual([false, true]);
    },
  );

  it('because the service itself is busy is not blamed on the store', () => {
    expect(isStoreAway(new ServiceError('unavailable', 'too busy'))).toBe(false);
  });
});
