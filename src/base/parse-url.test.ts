import { describe, expect, it } from 'vitest';
import { parseUrl, webUrl } from './parse-url.ts';

const LONG = '火'.repeat(1_025);

describe('an address', () => {
  it.each([
    'https://example.com/a?b#c',
    'http://ann:secret@火山.example:8080/x',
    `https://example.com/${LONG}`,
    `https://example.com?${LONG}`,
    `https://example.com#${LONG}`,
    'mailto:ann@example.com',
    'no address',
    '',
  ])('is parsed as URL.parse does: %j', (text) => {
    expect(parseUrl(text)?.href).toBe(URL.parse(text)?.href);
  });

  it('is read against another one', () => {
    expect(parseUrl('../b', 'https://example.com/a/c')?.href).toBe('https://example.com/b');
    expect(parseUrl('//other.example/b', 'https://example.com/')?.href).toBe('https://other.example/b');
  });

  it.each([
    `http://${LONG}/`,
    `http:${LONG}`,
    `http:/${LONG}`,
    `http:\\\\${LONG}`,
    ` \n http://${LONG}`,
    `ht\ttp:/\n/${LONG}`,
    `http://a@${LONG}`,
    `http://${'%E7%81%AB'.repeat(200)}`,
  ])('is none where the host is longer than any name: %#', (text) => {
    expect(parseUrl(text)).toBeNull();
  });

  it('is none where only the other one would give it a scheme', () => {
    expect(parseUrl(`//${LONG}/`, 'https://example.com/')).toBeNull();
  });
});

describe('an address to link to', () => {
  it.each(['http://a.example/', 'https://a.example/'])('may be %s', (text) => {
    expect(webUrl(text)?.href).toBe(text);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'ftp://a.example/', 'a', `https://${LONG}`])(
    'is no other: %.20s',
    (text) => {
      expect(webUrl(text)).toBeUndefined();
    },
  );
});
