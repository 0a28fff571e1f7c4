/** EventStreams against a server that speaks its protocol: server-sent events with ids, resumed by Last-Event-ID. */
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { wikipedia, wikipediaOptions } from '../../src/sources/kinds/wikipedia.ts';
import { loadLanguages } from '../../src/sources/text/language.ts';
import { openServer } from './server.ts';
import { passages, stage } from './stage.ts';

const change = (number: number, more: object = {}) => ({
  $schema: '/mediawiki/recentchange/1.0.0',
  meta: {
    uri: `https://en.wikipedia.org/wiki/Page_${number}`,
    id: `uuid-${number}`,
    dt: '2026-11-15T08:30:00Z',
    domain: 'en.wikipedia.org',
    stream: 'mediawiki.recentchange',
  },
  id: number,
  type: 'edit',
  namespace: 0,
  title: `Page ${number}`,
  comment: `/* History */ added [[Rome|the city]] &amp; more ${number}`,
  timestamp: 1_763_195_400,
  user: 'Someone',
  bot: false,
  server_name: 'en.wikipedia.org',
  ...more,
});

const idOf = (offset: number) => JSON.stringify([{ topic: 'eqiad.mediawiki.recentchange', partition: 0, offset }]);

interface Break {
  /** Bytes sent before the connection is cut; −1 answers 503 at once. */
  readonly after: number;
}

/** Resumes after the id it is given; where `repeats`, a few events earlier, as Kafka does. */
async function openStreams(changes: readonly object[], breaks: readonly Break[] = [], repeats = 0) {
  let connections = 0;
  const server = await openServer((request, response) => {
    const cut = breaks[connections++];
    if (cut?.after === -1) return void response.writeHead(503).end();
    const last = request.headers['last-event-id'];
    const [place] = last === undefined ? [] : (JSON.parse(String(last)) as { offset: number }[]);
    const from = place === undefined ? 0 : Math.max(0, place.offset + 1 - repeats);
    const text = changes
      .slice(from)
      .map((one, at) => `event: message\nid: ${idOf(from + at)}\ndata: ${JSON.stringify(one)}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const bytes = Buffer.from(`:ok\n\n${text.join('')}`);
    if (cut === undefined) response.write(bytes);
    else cutShort(response, bytes.subarray(0, cut.after));
  });
  return server;
}

function cutShort(response: ServerResponse, bytes: Buffer): void {
  response.write(bytes, () => response.destroy());
}

const sourceAt = (url: string, options = {}) =>
  wikipedia('wiki', wikipediaOptions.parse({ url: `${url}/v2/stream/recentchange`, ...options }));

describe('wikipedia', () => {
  beforeAll(loadLanguages);

  it('reads comments that are made to be slow as fast as any other', async () => {
    const hostile = ['/*', '[[', '[[a|', '<', '&'].map((piece, at) =>
      change(at, { comment: piece.repeat(200_000), title: piece }),
    );
    await using server = await openStreams(hostile);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === hostile.length);
    for (const page of test.pages) expect(passages(page).join('').length).toBeLessThan(2_100);
  });

  it('makes a page of an edit', async () => {
    await using server = await openStreams([change(1)]);
    await using test = stage(sourceAt(server.url));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]).toMatchObject({
      id: 'wiki:uuid-1',
      url: 'https://en.wikipedia.org/wiki/Page_1',
      domain: ['en.wikipedia.org', 'wikipedia.org'],
      title: 'Page 1',
      language: 'en',
      publish_time: '2025-11-15T08:30:00',
      page_types: ['/Article', '/Article/Wiki'],
    });
    expect(passages(test.pages[0]!)).toEqual(['+History added the city & more 1']);
  });

  it('leaves out canaries, bots, logs and other wikis', async () => {
    const canary = change(1, { meta: { ...change(1).meta, domain: 'canary' } });
    const others = [
      change(2, { bot: true }),
      change(3, { type: 'log' }),
      change(4, { server_name: 'de.wikipedia.org' }),
    ];
    await using server = await openStreams([canary, ...others, { nonsense: true }, change(5, { type: 'new' })]);
    await using test = stage(sourceAt(server.url, { wikis: ['en.wikipedia.org'] }));
    await test.until(() => test.pages.length === 1);
    expect(test.pages[0]?.id).toBe('wiki:uuid-5');
    expect(test.cursors.get('source:wiki')).toBe(idOf(5));
  });

  it('loses nothing and repeats nothing, wherever the bytes are cut', async () => {
    const changes = Array.from({ length: 30 }, (_, number) => change(number));
    const cut = fc.record({ after: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 12_000 })) });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 5 }), fc.nat(3), async (breaks, repeats) => {
        await using server = await openStreams(changes, breaks, repeats);
        await using test = stage(sourceAt(server.url));
        await test.until(() => test.pages.length >= 30);
        expect(test.pages.map(({ id }) => id)).toEqual(changes.map((_, number) => `wiki:uuid-${number}`));
      }),
      { numRuns: 15 },
    );
  });

  it('leaves a server that has fallen silent, and one that ends the stream', async () => {
    await using server = await openServer((request, response) => {
      const last = request.headers['last-event-id'];
      const number = last === undefined ? 0 : (JSON.parse(String(last)) as { offset: number }[])[0]!.offset + 1;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`id: ${idOf(number)}\ndata: ${JSON.stringify(change(number))}\n\n`);
      if (number === 1) response.end();
    });
    await using test = stage(sourceAt(server.url, { stall: 1 }));
    await test.until(() => test.pages.length >= 3);
    expect(test.pages.map(({ id }) => id)).toEqual(['wiki:uuid-0', 'wiki:uuid-1', 'wiki:uuid-2']);
    const troubles = test.troubles.map((trouble) => trouble.replace(/^\S+ /, ''));
    expect(troubles).toEqual(expect.arrayContaining(['sent nothing for too long.', 'ended the stream.']));
    expect(server.requests[0]?.headers).toMatchObject({ accept: 'text/event-stream' });
  });
});
