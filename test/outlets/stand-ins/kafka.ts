/**
 * A small Kafka broker: it speaks the frames that a producer needs, checks the CRC of every batch, the order of an idempotent
 * producer, and keeps the records. No topic is made by asking for it.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { readBatch, type StoredRecord } from './kafka-batch.ts';
import { Reader, Writer } from './kafka-wire.ts';

export interface KafkaBroker extends AsyncDisposable {
  readonly port: number;
  /** By partition, in order. */
  readonly partitions: StoredRecord[][];
  /** The next requests meet these: an error of a produce request, or a connection cut after the records were kept. */
  readonly faults: (number | 'cut')[];
}

interface BrokerOptions {
  readonly topic: string;
  /** The host that it names itself by. */
  readonly advertised?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly mostBytes?: number;
}

const PRODUCE = 0;
const METADATA = 3;
const API_VERSIONS = 18;
const INIT_PRODUCER_ID = 22;
/** Key, lowest and highest version. */
const APIS = [
  [PRODUCE, 3, 7],
  [METADATA, 1, 4],
  [API_VERSIONS, 0, 2],
  [INIT_PRODUCER_ID, 0, 1],
] as const;

const ERRORS = { none: 0, corrupt: 2, unknownTopic: 3, tooLarge: 10, invalidAcks: 21, unsupported: 35, outOfOrder: 45 };
const PARTITIONS = 3;

interface BrokerState extends BrokerOptions {
  port: number;
  nextProducer: bigint;
  /** The sequence that each producer must go on with, by producer and partition. */
  readonly sequences: Map<string, number>;
  readonly partitions: StoredRecord[][];
  readonly faults: (number | 'cut')[];
}

export async function openKafka(options: BrokerOptions): Promise<KafkaBroker> {
  const state: BrokerState = {
    ...options,
    port: 0,
    nextProducer: 1n,
    sequences: new Map(),
    partitions: Array.from({ length: PARTITIONS }, () => []),
    faults: [],
  };
  const sockets = new Set<Socket>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    readFrames(socket, (frame) => answer(state, socket, frame));
  };
  const server: Server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  state.port = (server.address() as AddressInfo).port;
  return {
    port: state.port,
    partitions: state.partitions,
    faults: state.faults,
    [Symbol.asyncDispose]: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function readFrames(socket: Socket, take: (frame: Buffer) => void): void {
  let waiting = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => {
    waiting = Buffer.concat([waiting, part]);
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
      const end = 4 + waiting.readInt32BE(0);
      take(waiting.subarray(4, end));
      waiting = waiting.subarray(end);
    }
  });
}

function answer(state: BrokerState, socket: Socket, frame: Buffer): void {
  const reader = new Reader(frame);
  const [key, version, correlation] = [reader.int16(), reader.int16(), reader.int32()];
  reader.string();
  const body = answerTo(state, key, version, reader);
  if (body === 'cut') return void socket.destroy();
  const whole = Buffer.concat([new Writer().int32(correlation).bytes, body]);
  socket.write(Buffer.concat([new Writer().int32(whole.length).bytes, whole]));
}

function answerTo(state: BrokerState, key: number, version: number, reader: Reader): Buffer | 'cut' {
  const [, least = 0, most = -1] = APIS.find(([api]) => api === key) ?? [];
  if (key === API_VERSIONS) return apiVersions(version > most ? 0 : version, version > most);
  if (version < least || version > most) throw new Error(`The broker has no version ${version} of API ${key}.`);
  if (key === METADATA) return metadata(state, version, reader);
  if (key === INIT_PRODUCER_ID)
    return new Writer()
      .int32(0)
      .int16(ERRORS.none)
      .int64(state.nextProducer++)
      .int16(0).bytes;
  return produce(state, version, reader);
}

function apiVersions(version: number, isUnsupported: boolean): Buffer {
  const writer = new Writer().int16(isUnsupported ? ERRORS.unsupported : ERRORS.none);
  writer.array(APIS, ([key, least, most]) => writer.int16(key).int16(least).int16(most));
  if (version >= 1) writer.int32(0);
  return writer.bytes;
}

function metadata({ port, advertised = '127.0.0.1', topic }: BrokerState, version: number, reader: Reader): Buffer {
  const asked = reader.array(() => reader.string()!) ?? [topic];
  const writer = new Writer();
  if (version >= 3) writer.int32(0);
  writer.array([port], () => writer.int32(1).string(advertised).int32(port).string(null));
  if (version >= 2) writer.string('stand-in');
  writer.int32(1);
  writer.array(asked, (name) => {
    writer
      .int16(name === topic ? ERRORS.none : ERRORS.unknownTopic)
      .string(name)
      .int8(0);
    writer.array(name === topic ? [0, 1, 2] : [], (index) => {
      writer.int16(ERRORS.none).int32(index).int32(1);
      writer.array([1], (node) => writer.int32(node)).array([1], (node) => writer.int32(node));
    });
  });
  return writer.bytes;
}

function produce(state: BrokerState, version: number, reader: Reader): Buffer | 'cut' {
  reader.string();
  const acks = reader.int16();
  reader.int32();
  const fault = state.faults.shift();
  const writer = new Writer();
  const topics = reader.array(() => ({
    name: reader.string()!,
    parts: reader.array(() => ({ index: reader.int32(), records: reader.block() }))!,
  }))!;
  writer.array(topics, ({ name, parts }) => {
    writer.string(name);
    writer.array(parts, ({ index, records }) => {
      const error = typeof fault === 'number' ? fault : acks === -1 ? keep(state, index, records) : ERRORS.invalidAcks;
      writer.int32(index).int16(error).int64(0n).int64(-1n);
      if (version >= 5) writer.int64(0n);
    });
  });
  return fault === 'cut' ? 'cut' : writer.int32(0).bytes;
}

/** Keeps the records of a batch, and answers the error. */
function keep({ sequences, partitions, mostBytes }: BrokerState, index: number, bytes: Buffer): number {
  if (bytes.length > (mostBytes ?? Number.POSITIVE_INFINITY)) return ERRORS.tooLarge;
  const batch = readBatch(bytes);
  if (batch === undefined) return ERRORS.corrupt;
  const { producerId, sequence, records } = batch;
  if (producerId >= 0n) {
    const key = `${producerId}/${index}`;
    const next = sequences.get(key) ?? 0;
    // A batch that comes once more is answered as if it were new.
    if (sequence < next) return ERRORS.none;
    if (sequence > next) return ERRORS.outOfOrder;
    sequences.set(key, next + records.length);
  }
  partitions[index]!.push(...records);
  return ERRORS.none;
}
