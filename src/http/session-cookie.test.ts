import { describe, expect, it } from 'vitest';
import { sessionCookie, sessionToken } from './auth.ts';

const answer = JSON.stringify({ session: 'secret', expires_at: '2026-11-15T08:30:00.000Z' });

describe('the cookie of a session', () => {
  it('is bound to this very host over https, and read by no script', () => {
    const cookie = sessionCookie('https://sluice.example');
    expect(cookie.name).toBe('__Host-sluice_session');
    expect(cookie.of(answer)).toBe(
      '__Host-sluice_session=secret; Path=/; HttpOnly; SameSite=Strict; Secure; Expires=Sun, 15 Nov 2026 08:30:00 GMT',
    );
    expect(cookie.none).toBe('__Host-sluice_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0');
  });

  it.each([undefined, 'http://127.0.0.1:4800'])('works without https as well: %s', (url) => {
    const cookie = sessionCookie(url);
    expect(cookie.name).toBe('sluice_session');
    expect(cookie.of(answer)).not.toContain('Secure');
  });
});

describe('the token of a session', () => {
  const headers = { 'x-sluice-session': '1', cookie: 'other=1; sluice_session=secret ; last=2' };

  it('is read from its cookie, wherever it stands', () => {
    expect(sessionToken(headers, 'sluice_session')).toBe('secret');
    expect(sessionToken({ ...headers, 'sec-fetch-site': 'same-origin' }, 'sluice_session')).toBe('secret');
    expect(sessionToken({ ...headers, cookie: 'sluice_session=a=b' }, 'sluice_session')).toBe('a');
  });

  it.each([
    ['a request without our header, which another site could make', { cookie: headers.cookie }],
    ['a page of another site', { ...headers, 'sec-fetch-site': 'cross-site' }],
    ['an address in the bar', { ...headers, 'sec-fetch-site': 'none' }],
    ['another cookie', { ...headers, cookie: 'xsluice_session=secret' }],
    ['an empty cookie', { ...headers, cookie: 'sluice_session=' }],
    ['no cookie', { 'x-sluice-session': '1' }],
  ])('is not taken from %s', (_, given) => expect(sessionToken(given, 'sluice_session')).toBeUndefined());
});
