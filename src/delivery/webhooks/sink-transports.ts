/** The transports that need a client of their own, or write files: objects, NATS and Kafka. */
import type { Clock } from '../../base/clock.ts';
import type { Egress } from './egress.ts';
import { createS3Transport } from './objects/s3-transport.ts';
import { createSender } from './sender.ts';
import { createKafkaSink } from './sinks/kafka-sink.ts';
import { createNatsSink } from './sinks/nats-sink.ts';
import { type Send, sendByScheme } from './transport.ts';

export const createSinkTransports = (deps: { readonly clock: Clock; readonly egress: Egress }): Send =>
  sendByScheme({
    's3:': createS3Transport({ clock: deps.clock, http: createSender(deps) }),
    'nats:': createNatsSink(deps),
    'kafka:': createKafkaSink(deps),
  });
