/** Every URL that no webhook may go to, against listeners that count who comes. */
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import type { Resolve } from '../src/delivery/webhooks/egress.ts';
import { createSender } from '../src/delivery/webhooks/sender.ts';
import { openService } from './stages/service.ts';
import { hasSharedData, sharedJson } from './stages/shared-data.ts';

const urls = hasSharedData ? sharedJson<{ url: string; why: string }[]>('security/ssrf-urls.json') : [];

/** The ports that the URLs name, as far as this machine lets us listen there. */
async function canaries(): Promise<{ connections: () => number; listening: number; close: () => void }> {
  const ports = new Set(urls.flatMap(({ url }) => (URL.canParse(url) ? [Number(new URL(url).port || 80)] : [])));
  let connections = 0;
  const servers: Server[] = [];
  for (const port of [...ports, 443, 8443]) {
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    const listens = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen(port, '0.0.0.0', () => done(true));
    });
    if (listens) servers.push(server);
  }
  return {
    connections: () => connections,
    listening: servers.length,
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

/** Names lead where the list says they lead: inside. */
const inside: Resolve = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

describe.runIf(hasSharedData)('shared: URLs that no webhook may go to', () => {
  it('are refused when a webhook is made, or lead to no connection', async () => {
    const traps = await canaries();
    expect(traps.listening).toBeGreaterThan(1);
    await using test = await openService({ delivery: { resolve: inside } });
    const caller = await test.caller('one');
    const send = createSender({
      clock: systemClock,
      egress: { allowPrivate: false, ownAddresses: () => [], resolve: inside },
    });
    for (const { url } of urls) {
      const made = await test.call(caller, 'createWebhook', { url }).catch((error: { code: string }) => error);
      const isMade = 'webhook_id' in made;
      const tried = isMade ? await test.call(caller, 'testWebhook', { webhook_id: made.webhook_id }) : made;
      expect(tried).toMatchObject(isMade ? { delivered: false, status_code: null } : { code: 'invalid_argument' });
      // A webhook that was stored under laxer rules is stopped when it is sent to.
      if (!URL.canParse(url)) continue;
      const sent = await send({ url, headers: {}, body: '{}', signal: new AbortController().signal });
      expect(sent).toMatchObject({ statusCode: undefined, error: expect.any(String) });
    }
    expect(traps.connections()).toBe(0);
    traps.close();
  });
});
