import { describe, expect, it } from 'vitest';
import { parseUrl, shownSource, webUrl, withoutSecrets, withShownSources } from './parse-url.ts';

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

describe('the address of a source', () => {
  it.each([
    ['https://ann:hush@a.example:8443/feed?token=hush&page=2#hush', 'https://a.example:8443/feed?***'],
    ['https://a.example/feed.xml', 'https://a.example/feed.xml'],
    ['wss://a.example/?key=hush', 'wss://a.example/?***'],
    [`https://${LONG}/?hush`, '***'],
    ['https://[hush', '***'],
  ])('%s is shown as %s', (address, shown) => {
    expect(shownSource(address)).toBe(shown);
  });

  it.each([
    [
      'a.example answered 503 for https://a.example/f?token=hush.',
      'a.example answered 503 for https://a.example/f?***.',
    ],
    [
      'http://u:hush@a.example/ sends its readers to HTTPS://b.example/?hush for now.',
      'http://a.example/ sends its readers to https://b.example/?*** for now.',
    ],
    ['It is no feed (https://a.example/?hush).', 'It is no feed (https://a.example/?***).'],
    ['Nothing came.', 'Nothing came.'],
  ])('in “%s” is shown as everywhere', (message, shown) => {
    expect(withShownSources(message)).toBe(shown);
  });

  it.each([
    ['https://a.example/p?id=3&access_token=hush', 'https://a.example/p?id=3'],
    ['https://a.example/p?apikey=hush', 'https://a.example/p'],
    ['https://a.example/p?sig=hush&key=hush&client_secret=hush', 'https://a.example/p'],
    ['https://ann:hush@a.example/p', 'https://a.example/p'],
    ['https://a.example/p?author=ann&keyword=a+b', 'https://a.example/p?author=ann&keyword=a+b'],
    ['no address', 'no address'],
  ])('%s leads readers to %s', (address, link) => {
    expect(withoutSecrets(address)).toBe(link);
  });
});
