import { describe, expect, it } from 'vitest';
import { isOff, isOurResource, isRegistered, oauthAddress, redirectPlace, redirectProblem } from './addresses.ts';
import { cleanName, documentUrlProblem, isDocumentId, readDocument } from './client-document.ts';

describe('an address that a browser may be sent to', () => {
  it.each([
    'https://agent.example/callback?x=1',
    'http://localhost/callback',
    'http://localhost:65535',
    'http://127.0.0.1:7/a',
    'http://[::1]:80/',
    'cursor://anysphere.cursor-mcp/oauth',
    'vscode://x.y/z',
    `https://a.example/${'x'.repeat(2_048 - 18)}`,
  ])('is %s', (uri) => {
    expect(redirectProblem(uri)).toBeUndefined();
  });

  it.each([
    [`https://a.example/${'x'.repeat(2_048 - 17)}`, 'It has more than 2048 characters.'],
    ['https://a.example/#x', 'It must have no fragment.'],
    ['https://a.example\\@b.example/', 'It is not a valid address.'],
    ['nothing', 'It is not a valid address.'],
    ['https://ada@a.example/', 'It must have no user name and no password.'],
    ['https://:secret@a.example/', 'It must have no user name and no password.'],
    ['https://*.example/', 'It must name one host.'],
    ['https:///a.example/', 'It is not a valid address.'],
    ['https://a.example?code=stolen&state=evil', 'Its query must have no `code`: the answer has one.'],
    ['http://localhost/cb?x=1&st%61te=evil', 'Its query must have no `state`: the answer has one.'],
    ['cursor://a/cb?iss=https://evil.example', 'Its query must have no `iss`: the answer has one.'],
    ['https://a.example/?error', 'Its query must have no `error`: the answer has one.'],
    ['javascript:alert(1)', 'An address that begins with javascript: is not accepted.'],
    ['http://a.example/', 'It must begin with https://, except for localhost, 127.0.0.1 and [::1].'],
    ['http://localhost.a.example/', 'It must begin with https://, except for localhost, 127.0.0.1 and [::1].'],
  ])('is not %s', (uri, problem) => {
    expect(redirectProblem(uri)).toBe(problem);
  });

  it('is one that was registered, to the character', () => {
    const registered = ['https://a.example/cb', 'http://127.0.0.1/cb?x=1'];
    expect(isRegistered(registered, 'https://a.example/cb')).toBe(true);
    for (const other of ['https://a.example/cb/', 'https://a.example:443/cb', 'https://a.example/cb#x', 'nothing'])
      expect(isRegistered(registered, other)).toBe(false);
    expect(isRegistered(['javascript:alert(1)'], 'javascript:alert(1)')).toBe(false);
  });

  it('may have another port on the own computer, and nothing else', () => {
    const registered = ['https://a.example/cb', 'http://127.0.0.1:1/cb?x=1'];
    expect(isRegistered(registered, 'http://127.0.0.1:2/cb?x=1')).toBe(true);
    expect(isRegistered(registered, 'http://127.0.0.1/cb?x=1')).toBe(true);
    expect(isRegistered(registered, 'http://localhost:1/cb?x=1')).toBe(false);
    expect(isRegistered(registered, 'http://127.0.0.1:1/cb')).toBe(false);
  });

  it('is shown as a host, or as the program that opens', () => {
    expect(redirectPlace('https://a.example:8443/cb')).toEqual({ host: 'a.example:8443', isThisComputer: false });
    expect(redirectPlace('http://localhost:7/cb')).toEqual({ host: 'localhost:7', isThisComputer: true });
    expect(redirectPlace('cursor://x/cb')).toEqual({ host: 'cursor://x', isThisComputer: true });
  });
});

describe('the address of a document', () => {
  it.each([
    ['https://a.example/id.json', undefined],
    ['https://a.example:8443/a/b?c', undefined],
    [`https://a.example/${'x'.repeat(512 - 18)}`, undefined],
    [`https://a.example/${'x'.repeat(512 - 17)}`, /more than 512/],
    ['https://a.example', /plain https/],
    ['https://A.example/x', /plain https/],
    ['https://a.example/x#y', /plain https/],
    ['https://a.example:99999/x', /plain https/],
    ['https://a.example/', /have a path/],
    ['https://127.0.0.1/x', /not an IP address/],
    ['https://a.example/../x', /no \. or \.\./],
    ['https://a.example/a/%2E', /no \. or \.\./],
    ['https://a.example/a/.?b', /no \. or \.\./],
  ])('%s has the problem %s', (id, problem) => {
    expect(documentUrlProblem(id) ?? 'none').toMatch(problem ?? /^none$/);
  });

  it('is told from the id of a program that registered', () => {
    expect(['https://a.example/x', 'HTTPS://a', 'slc_https:', 'http://a'].map(isDocumentId)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a document of a program', () => {
  const id = 'https://a.example/id.json';
  const whole = { client_id: id, client_name: ' An  agent ', redirect_uris: ['https://a.example/cb'] };

  it('names the program and where it is answered', () => {
    expect(readDocument(id, { ...whole, token_endpoint_auth_method: 'none', more: 1 })).toEqual({
      id,
      name: 'An agent',
      redirectUris: ['https://a.example/cb'],
      secretDigest: undefined,
      isVerified: true,
    });
    expect(readDocument(id, { ...whole, grant_types: ['authorization_code'] })).toHaveProperty('id');
  });

  it.each([
    [null, /^Its `` is wrong: /],
    [{ client_id: `${id}x` }, /not its own address/],
    [{ client_name: '' }, /`client_name`/],
    [{ redirect_uris: [] }, /`redirect_uris`/],
    [{ redirect_uris: Array.from({ length: 21 }, () => 'https://a.example/cb') }, /`redirect_uris`/],
    [{ redirect_uris: ['https://a.example/cb', 'http://a.example/'] }, /One of its redirect_uris is refused\. It must/],
    [{ redirect_uris: ['https://a.example/cb', 7] }, /^Its `redirect_uris\.1` is wrong: .+\.$/],
    [{ client_secret: 's' }, /^Its `client_secret` is wrong: must not be there\.$/],
    [{ token_endpoint_auth_method: 'client_secret_jwt' }, /asks for a secret/],
    [{ grant_types: ['refresh_token'] }, /authorization codes/],
    [{ logo_uri: 'http://a.example/l.png' }, /`logo_uri`/],
  ])('with %j is refused', (change, problem) => {
    expect(readDocument(id, change === null ? null : { ...whole, ...change })).toMatch(problem);
  });

  it('has a name of one line and a hundred characters, without what is invisible', () => {
    expect(cleanName('a\u200b\u202eb\u2028c')).toBe('abc');
    expect(cleanName(' \t ')).toBe('A program without a name');
    expect(cleanName('\u{1f600}'.repeat(101))).toBe('\u{1f600}'.repeat(100));
    expect(cleanName(`${'a'.repeat(99)} b`)).toBe('a'.repeat(99));
  });
});

describe('our own address', () => {
  it.each([
    ['https://sluice.example/', 'https://sluice.example', ''],
    ['https://sluice.example:8443/watch//', 'https://sluice.example:8443/watch', '/watch'],
    ['http://localhost:8787', 'http://localhost:8787', ''],
    ['http://[::1]:8787/', 'http://[::1]:8787', ''],
  ])('%s makes the issuer %s', (url, issuer, path) => {
    expect(oauthAddress(url)).toEqual({ issuer, resource: `${issuer}/mcp`, origin: new URL(url).origin, path });
  });

  it.each([
    undefined,
    'http://sluice.example',
    'https://sluice.example/?x',
    'https://sluice.example/#x',
    'https://ada@sluice.example/',
    'https://:pw@sluice.example/',
  ])('%s turns OAuth off', (url) => {
    expect(isOff(oauthAddress(url))).toBe(true);
  });

  it('is the resource of a client that writes it a little differently', () => {
    const address = oauthAddress('https://sluice.example');
    if (isOff(address)) throw new Error(address.off);
    for (const given of ['https://sluice.example/mcp', 'https://SLUICE.example/mcp/', 'https://sluice.example:443/mcp'])
      expect([given, isOurResource(address, given)]).toEqual([given, true]);
    const others = [
      'https://sluice.example/',
      'https://sluice.example/mcp?x',
      'https://sluice.example/mcp#x',
      'https://ada@sluice.example/mcp',
      'https://:pw@sluice.example/mcp',
      'nothing',
    ];
    for (const given of others) expect([given, isOurResource(address, given)]).toEqual([given, false]);
  });
});
