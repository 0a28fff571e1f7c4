import { expect, it } from 'vitest';
import { domainsOfUrl } from './domains.ts';

it.each([
  ['https://www.example.com/a', ['www.example.com', 'example.com']],
  ['https://a.b.example.co.uk/', ['a.b.example.co.uk', 'b.example.co.uk', 'example.co.uk']],
  ['http://Example.COM:8080?x', ['example.com']],
  ['https://user:pass@example.com#x', ['example.com']],
  ['https://example.com./', ['example.com']],
  ['https://192.168.0.1:80/', ['192.168.0.1']],
  ['https://[2001:db8::1]:443/', ['[2001:db8::1]']],
  ['https://co.uk/', ['co.uk']],
  ['https://www.gov.uk/a', ['www.gov.uk', 'gov.uk']],
  ['https://www.service.gov.uk/', ['www.service.gov.uk', 'service.gov.uk']],
  ['https://bbc.co.uk/', ['bbc.co.uk']],
  ['https://www.com/', ['www.com']],
  ['https://localhost/', ['localhost']],
  ['https:///', []],
  ['no url', []],
])('%s belongs to %j', (url, domains) => {
  expect(domainsOfUrl(url)).toEqual(domains);
});

it('gives no domains to a host that is longer than any DNS name', () => {
  const longest = `${'a.'.repeat(124)}a.com`;
  expect([longest.length, domainsOfUrl(`https://${longest}/`).length]).toEqual([253, 125]);
  expect(domainsOfUrl(`https://a${longest}/`)).toEqual([]);
});
