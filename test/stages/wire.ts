/** A way to a server that can be cut, refused, or made silent: bytes are then taken and go no further. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Wire extends AsyncDisposable {
  readonly port: number;
  /** How many have come and not gone. */
  readonly connections: number;
  /** Every connection is open, and nothing moves on it. */
  silence(): void;
  /** Every connection breaks, and new ones do at once. */
  refuse(): void;
  /** Connections that were silent break, and new ones go through. */
  mend(): void;
}

export async function openWire(to: number): Promise<Wire> {
  let state: 'open' | 'silent' | 'refusing' = 'open';
  const sockets = new Set<Socket>();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (state === 'refusing') return void near.destroy();
    const far = connect(to, '127.0.0.1');
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (state === 'open' && into.write(bytes)));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return sockets.size / 2;
    },
    silence() {
      state = 'silent';
    },
    refuse() {
      state = 'refusing';
      cut();
    },
    mend() {
      state = 'open';
      cut();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
    },
  };
}
