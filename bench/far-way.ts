/** The way to a database that is further away, in a thread of its own: pushes that are made and answered meanwhile do not lengthen it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { hostname, port } = workerData as { hostname: string; port: number };
let roundTripMs = 0;
parentPort!.on('message', (milliseconds: number) => {
  roundTripMs = milliseconds;
});
const server = createServer((near) => {
  const far = connect(port, hostname);
  for (const [one, other] of [[near, far] as const, [far, near] as const])
    one
      .setNoDelay()
      .on('error', () => {})
      .on('close', () => other.destroy());
  near.on('data', (chunk) => far.write(chunk));
  far.on('data', (chunk) => void setTimeout(roundTripMs).then(() => near.write(chunk)));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
parentPort!.postMessage((server.address() as AddressInfo).port, []);
