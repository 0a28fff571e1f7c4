import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { openDevTools } from './dev-tools.ts';

it.each(['no JSON', '[1]', '{"id":1,"error":{}}'])(
  'a call fails, and nothing else, when %s comes back',
  async (frame) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    server.on('connection', (socket) => socket.on('message', () => socket.send(frame)));
    const { port } = server.address() as AddressInfo;
    await using tools = await openDevTools(`ws://127.0.0.1:${port}/`, new AbortController().signal);
    await expect(tools.call('Page.enable')).rejects.toThrow('does not speak the DevTools protocol');
    server.close();
  },
);
