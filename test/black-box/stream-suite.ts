/** The stream as others read it: the `eventsource` package, and plain HTTP. */
import { EventSource } from 'eventsource';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../bench/random.ts';
import { loadConfig } from '../../src/app/config.ts';
import { openStore } from '../../src/app/open-store.ts';
import { until } from '../stages/receiver.ts';
import { run } from './cli.ts';
import { CUTS, cuttingProxy } from './cutting-proxy.ts';
import { addRule } from './rules.ts';
import { callServer, failureIn, KEY, type Started, type StartServer } from './server.ts';

const post = (id: number, word = 'lava') => ({ data: { id: String(1_000_000 + id), text: `${word} ${id}` } });

/** Every match id, oldest first, as the list has them. */
async function listed(server: Started): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await server.call('POST', '/matches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    ids.push(...(body['matches'] as { id: string }[]).map(({ id }) => id));
    cursor = body['next_cursor'] as string | undefined;
  } while (cursor !== undefined);
  return ids.toReversed();
}

const withKey = (url: string | URL, init: RequestInit): Promise<Response> =>
  fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${KEY}` } });

/** The text of a stream until it ends or something is in it. */
async function readUntil(response: Response, wanted: RegExp): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body!) {
    text += decoder.decode(bytes, { stream: true });
    if (wanted.test(text)) break;
  }
  return text;
}

const openStream = (
  server: Started,
  query = '',
  headers: Record<string, string> = { authorization: `Bearer ${KEY}` },
) => fetch(`${server.url}/matches/stream${query}`, { headers });

export function streamSuite(start: StartServer): void {
  describe('the stream of one server', () => {
    /** All tests that need no settings share it; each has words and ids of its own. */
    let server: Started;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server[Symbol.asyncDispose]());

    it('loses, doubles and disorders nothing through random cuts, in the eyes of eventsource', async () => {
      const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32));
      await using proxy = await cuttingProxy(server.url, randomFrom(seed));
      await addRule(server, 'lava');
      const heard: string[] = [];
      const source = new EventSource(`${proxy.url}/matches/stream`, { fetch: withKey });
      source.addEventListener('match', ({ data }) => heard.push((JSON.parse(data as string) as { id: string }).id));
      await new Promise<void>((done) => {
        source.addEventListener('open', () => done(), { once: true });
      });
      for (let from = 0; proxy.cuts < CUTS; from += 50) {
        await server.push(
          'x',
          Array.from({ length: 50 }, (_, index) => post(from + index)),
        );
      }
      await server.push('x', [post(999_999)]);
      const expected = await listed(server);
      await until(async () => heard.length >= expected.length);
      source.close();
      expect(heard, `seed ${seed}`).toEqual(expected);
      expect(proxy.cuts).toBe(CUTS);
    });

    it('begins after a cursor or the last event id, and is held to rule and platform', async () => {
      const [magma, ash] = [await addRule(server, 'magma'), await addRule(server, 'ash')];
      const before = (await server.call('POST', '/matches', {})).body['latest_cursor'] as string;
      await server.push('x', [post(800_001, 'magma'), post(800_002, 'ash'), post(800_003, 'magma')]);
      const all = await readUntil(await openStream(server, `?cursor=${before}`), /(event: match[\s\S]*){3}\n\n/);
      const events = [...all.matchAll(/^event: match\nid: (\S+)\ndata: (.*)$/gm)];
      const { body } = await server.call('POST', '/matches', { limit: 3 });
      expect(events.map(([, , data]) => JSON.parse(data!) as unknown)).toEqual(
        (body['matches'] as unknown[]).toReversed(),
      );
      const headers = { authorization: `Bearer ${KEY}`, 'last-event-id': events[0]![1]! };
      // The header is newer than the address: it is what a client sends when it comes back.
      const rest = await readUntil(
        await openStream(server, `?cursor=${before}`, headers),
        /(event: match[\s\S]*){2}\n\n/,
      );
      expect([...rest.matchAll(/^id: (\S+)\ndata/gm)].map(([, id]) => id)).toEqual(events.slice(1).map(([, id]) => id));
      const some = await readUntil(
        await openStream(server, `?cursor=${before}&rule_id=${ash}`),
        /event: match[\s\S]*\n\n/,
      );
      expect(some).toContain('ash 800002');
      expect(some).not.toContain('magma');
      await server.push('x', [post(800_004, 'magma')]);
      const live = await openStream(server, `?rule_id=${magma}&platform=x`);
      expect([live.headers.get('content-type'), live.headers.get('x-accel-buffering')]).toEqual([
        'text/event-stream; charset=utf-8',
        'no',
      ]);
      await server.push('x', [post(800_005, 'ash'), post(800_006, 'magma')]);
      expect(
        [...(await readUntil(live, /event: match[\s\S]*\n\n/)).matchAll(/"text":"(\w+ \d+)"/g)].map(([, text]) => text),
      ).toEqual(['magma 800006']);
    });

    it('opens with a ticket, once', async () => {
      await addRule(server, 'basalt');
      const { body } = await server.call('POST', '/api.CreateStreamTicket');
      const opened = await openStream(server, `?ticket=${body['ticket'] as string}`, {});
      await server.push('x', [post(800_010, 'basalt')]);
      expect(await readUntil(opened, /event: match[\s\S]*\n\n/)).toContain('basalt 800010');
      expect((await openStream(server, `?ticket=${body['ticket'] as string}`, {})).status).toBe(401);
    });

    it('ends at once when its key is revoked, by the server or by another process', async () => {
      for (const elsewhere of [false, true]) {
        const { body } = await server.call('POST', '/api.CreateKey', { name: 'reader', scope: 'read' });
        const stream = await openStream(server, '', { authorization: `Bearer ${body['key'] as string}` });
        const ended = readUntil(stream, /event: end[\s\S]*\n\n/);
        if (elsewhere) await run(['keys', 'revoke', body['id'] as string], server.settings);
        else await server.call('POST', '/api.RevokeKey', { key_id: body['id'] });
        expect(await ended).toContain('"reason":"key_revoked"');
      }
    });

    it('ends with a word when the server stops', async () => {
      const ended = readUntil(await openStream(server), /event: end[\s\S]*\n\n/);
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(await ended).toContain('"reason":"stopping"');
    });
  });

  // After it: on a shared broker only one server may run at a time.
  describe('the stream', () => {
    it('refuses by name what it cannot do', async () => {
      await using narrow = await start({ SLUICE_STREAMS: '1' });
      const ask = (query: string) => narrow.call('GET', `/matches/stream${query}`);
      expect(failureIn(await callServer(narrow.url, 'GET', '/matches/stream', undefined, { key: undefined }))).toBe(
        '401 unauthenticated',
      );
      expect(
        failureIn(await callServer(narrow.url, 'GET', '/matches/stream?ticket=no', undefined, { key: undefined })),
      ).toBe('401 unauthenticated');
      expect(failureIn(await ask('?rule_id=rule_unknown'))).toBe('404 not_found');
      expect(failureIn(await ask('?platform=y'))).toBe('400 invalid_argument');
      expect(failureIn(await ask('?cursor=made-up'))).toBe('400 invalid_argument');
      expect(failureIn(await ask('?colour=red'))).toBe('400 invalid_argument');
      expect(failureIn(await narrow.call('POST', '/matches/stream', {}))).toBe('405 unimplemented');
      expect((await narrow.call('HEAD', '/matches/stream')).status).toBe(405);
      const first = await openStream(narrow);
      expect(failureIn(await ask(''))).toBe('429 resource_exhausted');
      await first.body!.cancel();
    });

    it('refuses a cursor that retention has overtaken, and says where to go on', async () => {
      await using before = await start({ SLUICE_RETENTION_DAYS: '1' });
      await addRule(before, 'lava');
      const { body } = await before.call('POST', '/matches', {});
      await before.push('x', [post(1), post(2)]);
      await before.end('SIGTERM');
      await using store = await openStore(loadConfig(before.settings));
      const later = new Date(Date.now() + 2 * 86_400_000);
      while ((await store.removeSlice(later)).more);
      await using again = await start({ SLUICE_RETENTION_DAYS: '1' }, before.dataDir);
      const refused = await again.call('GET', `/matches/stream?cursor=${body['latest_cursor'] as string}`);
      expect(failureIn(refused)).toBe('400 failed_precondition');
      expect(refused.body['details']).toMatchObject({ reason: 'cursor_expired', oldest_cursor: expect.any(String) });
      const { oldest_cursor } = refused.body['details'] as { oldest_cursor: string };
      const resumed = await openStream(again, `?cursor=${oldest_cursor}`);
      expect(resumed.status).toBe(200);
      await resumed.body!.cancel();
    });
  });
}
