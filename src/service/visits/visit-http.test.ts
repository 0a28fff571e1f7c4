import { expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { HttpRequest } from '../../sources/fetch/fetch-url.ts';
import { createVisitHttp } from './visit-http.ts';

it('sends a secret to the host that it is for, and to no other that the source asks', async () => {
  const asked: Pick<HttpRequest, 'url' | 'secrets'>[] = [];
  const get = async ({ url, secrets }: HttpRequest) => {
    asked.push({ url, secrets });
    return { status: 200, url, isDetour: false, headers: {}, body: Buffer.from(''), retryAfter: undefined };
  };
  const headers = { cookie: 'session=hush' };
  const { http } = createVisitHttp(fakeClock(), { get }, 0).open('shop.example', { headers });
  const { signal } = new AbortController();
  const urls = ['https://shop.example/lamp', 'https://other.example/lamp', 'https://shop.example/robots.txt'];
  for (const url of urls) await http.get({ url, signal, headers: {} });
  expect(asked).toEqual([
    { url: urls[0], secrets: headers },
    { url: urls[1], secrets: undefined },
    { url: urls[2], secrets: undefined },
  ]);
});
