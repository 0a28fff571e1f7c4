/** Pages that scripts make, in a real Chromium: it shows what they wrote, and reaches nobody by itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Browser, createBrowser } from '../../src/sources/fetch/browser.ts';
import { createSourceHttp } from '../../src/sources/fetch/fetch-url.ts';
import { chromiumPath } from '../console/visitors.ts';
import { openServer } from './server.ts';

const { signal } = new AbortController();

/** Resolves with the address that Chromium prints when it listens. */
async function startChromium(profile: string): Promise<{ process: ChildProcess; url: string }> {
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const process = spawn(chromiumPath!, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const chunk of process.stderr) {
    said += String(chunk);
    const [, url] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
    if (url !== undefined) return { process, url };
  }
  throw new Error(`Chromium did not start: ${said}`);
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.2', () => resolve((server.address() as AddressInfo).port)));

describe.runIf(chromiumPath !== undefined)('browser: pages that scripts make', () => {
  let profile: string;
  let chromium: Awaited<ReturnType<typeof startChromium>>;
  let browser: Browser;
  /** 127.0.0.1 stands for the public network; names of `inside` resolve to 127.0.0.2. */
  const http = createSourceHttp({
    clock: systemClock,
    userAgent: 'sluice-tests',
    isPublic: (address) => address === '127.0.0.1',
    allowPrivate: false,
    allowNamed: false,
    resolve: (hostname, _, callback) =>
      callback(null, [{ address: hostname.startsWith('inside') ? '127.0.0.2' : '127.0.0.1', family: 4 }]),
  });

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), 'sluice-browser-'));
    chromium = await startChromium(profile);
    browser = createBrowser(systemClock, chromium.url);
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => chromium.process.once('exit', resolve));
    chromium.process.kill('SIGKILL');
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  it('are read as they stand when their scripts have run, redirects and later requests included', async () => {
    await using server = await openServer((request, response) => {
      if (request.url === '/') return void response.writeHead(302, { location: '/shop/' }).end();
      if (request.url === '/shop/data.json')
        return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":39}');
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          '<html><head><title>Shop</title></head><body><div id="app"></div><script>fetch("data.json").then((a) => a.json()).then((d) => { document.querySelector("#app").textContent = "Now " + d.price; });</script></body></html>',
        );
    });
    const url = `http://open.example:${new URL(server.url).port}/`;
    const answer = await browser.load(http, url, signal);
    expect(answer.body.toString()).toContain('Now 39');
    expect(answer).toMatchObject({ status: 200, url: `${url}shop/` });
  });

  it('reach no private address, whatever they try', async () => {
    const reached: string[] = [];
    const inside = createServer((request, response) => {
      reached.push(request.url ?? '');
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('secret');
    });
    inside.on('connection', () => reached.push('connection'));
    const port = await listening(inside);
    const script = `
      const done = [];
      const to = ['http://127.0.0.2:${port}/a', 'http://inside.example:${port}/b', 'http://[::ffff:127.0.0.2]:${port}/c', 'http://localhost:${port}/d', '/away'];
      for (const url of to) done.push(fetch(url).then((a) => a.text(), () => 'refused'), fetch(url, { method: 'POST', body: 'x' }).then((a) => a.text(), () => 'refused'));
      done.push(new Promise((end) => { const s = new WebSocket('ws://127.0.0.2:${port}/'); s.onerror = () => end('refused'); s.onopen = () => end('open'); }));
      done.push(new Promise((end) => { const s = new EventSource('http://127.0.0.2:${port}/e'); s.onerror = () => end('refused'); }));
      done.push(new Promise((end) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://127.0.0.2:${port}/w').then(() => postMessage('open'), () => postMessage('refused'))"]))); w.onmessage = (m) => end(m.data); w.onerror = () => end('refused'); }));
      navigator.sendBeacon('http://127.0.0.2:${port}/beacon', 'x');
      done.push(typeof RTCPeerConnection);
      Promise.all(done).then((all) => { document.body.textContent = 'Tried ' + all.length + ': ' + [...new Set(all)].join(); });`;
    await using server = await openServer((request, response) => {
      if (request.url === '/away')
        return void response.writeHead(302, { location: `http://127.0.0.2:${port}/f` }).end();
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<html><body><iframe src="http://127.0.0.2:${port}/frame"></iframe><img src="http://127.0.0.2:${port}/i.png"><link rel="preconnect" href="http://127.0.0.2:${port}"><link rel="stylesheet" href="http://127.0.0.2:${port}/s.css"><script>${script}</script></body></html>`,
        );
    });
    const answer = await browser.load(http, `http://open.example:${new URL(server.url).port}/`, signal);
    expect(answer.body.toString()).toContain('Tried 14: refused,undefined');
    expect(reached).toEqual([]);
    inside.closeAllConnections();
    await new Promise((resolve) => inside.close(resolve));
  });

  it('that cannot be had are told as by any other fetch', async () => {
    await using server = await openServer((_, response) => void response.writeHead(404).end('<html>gone</html>'));
    const url = `http://open.example:${new URL(server.url).port}/`;
    await expect(browser.load(http, url, signal)).rejects.toThrow('answered 404');
    await expect(browser.load(http, 'http://inside.example/', signal)).rejects.toThrow('private address');
    const nobody = createBrowser(systemClock, 'http://127.0.0.1:9');
    await expect(nobody.load(http, url, signal)).rejects.toThrow('The browser cannot be reached.');
  });
});
