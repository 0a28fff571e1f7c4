import tls from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { type Answerer, openServer } from '../../../test/sources/server.ts';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { createSourceHttp } from './fetch-url.ts';

const http = createSourceHttp({ clock: fakeClock(), userAgent: 'sluice-tests', isPublic: () => true });
const { signal } = new AbortController();
const PACKED = { gzip: gzipSync('lava'), 'x-gzip': gzipSync('lava'), br: brotliCompressSync('lava') };

describe.each(Object.entries(PACKED))('an answer that is called %s', (encoding, packed) => {
  const get = async (answer: Answerer) => {
    await using server = await openServer(answer);
    return (await http.get({ url: server.url, signal })).body.toString();
  };

  it.each([200, 204, 304])('and has nothing in it is empty: %i', async (status) =>
    expect(await get((_, response) => void response.writeHead(status, { 'content-encoding': encoding }).end())).toBe(
      '',
    ),
  );

  it('is unpacked', async () =>
    expect(await get((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(packed))).toBe(
      'lava',
    ));

  it.each([1, 5])('fails when it ends after %i bytes', async (bytes) => {
    const cut = packed.subarray(0, bytes);
    const got = get((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(cut));
    await expect(got).rejects.toThrow('failed (Z_BUF_ERROR)');
  });

  it('fails when its connection breaks before the first byte', async () => {
    const got = get((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': '99' }).flushHeaders();
      response.socket!.end();
    });
    await expect(got).rejects.toThrow('broke the connection');
  });
});

it('makes no context of trusted certificates anew for a request', async () => {
  await using server = await openServer((_, response) => void response.end());
  const made = vi.spyOn(tls, 'createSecureContext');
  const own = createSourceHttp({ clock: fakeClock(), userAgent: 'sluice-tests', isPublic: () => true });
  const url = server.url.replace('http:', 'https:');
  for (let count = 0; count < 3; count++) await expect(own.get({ url, signal })).rejects.toThrow('127.0.0.1');
  expect(made).toHaveBeenCalledTimes(1);
});
