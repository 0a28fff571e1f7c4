/** The thread of the attempts to sinks: all of them at once, until the program ends. */
import { lookup } from 'node:dns';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { machineAddresses } from './egress.ts';
import type { SinkAnswer, SinkOrder, SinkThreadData } from './sink-thread.ts';
import { createSinkTransports } from './sink-transports.ts';
import type { WebhookRequest } from './transport.ts';

const { allowPrivate }: SinkThreadData = workerData;
const port = parentPort!;
const send = createSinkTransports({
  clock: systemClock,
  egress: { allowPrivate, ownAddresses: machineAddresses, resolve: lookup },
});
const underWay = new Map<number, AbortController>();

port.on('message', (order: SinkOrder) => {
  if ('isAborted' in order) underWay.get(order.number)?.abort();
  else void attempt(order.number, order.request);
});

async function attempt(number: number, request: Omit<WebhookRequest, 'signal'>): Promise<void> {
  const aborting = new AbortController();
  underWay.set(number, aborting);
  const answer: SinkAnswer = { number, sent: await send({ ...request, signal: aborting.signal }) };
  underWay.delete(number);
  port.postMessage(answer);
}
