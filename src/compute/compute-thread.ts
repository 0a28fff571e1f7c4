/** The thread that computes: one job at a time, whole, with plain loops. Nothing waits for it but who asked. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { openObjects } from '../base/object-store.ts';
import { languages } from '../rules/languages.ts';
import { milliseconds } from '../service/compute.ts';
import type { ReadContext } from '../service/context.ts';
import { asServiceError, ServiceError } from '../service/errors.ts';
import { createReadContext } from '../service/parts/read-context.ts';
import { openReadView } from '../store/read-view.ts';
import { createColdReader } from '../store/rows/whole-rows.ts';
import { runJob } from './jobs.ts';
import { refusalOf, StoppedError, type ThreadAnswer, type ThreadOrder, type ThreadQuestion } from './messages.ts';

const order: ThreadOrder = workerData;
const port = parentPort!;
let stop: ThreadQuestion['stop'] = new Int32Array(1);

function checkpoint(): void {
  if (Atomics.load(stop, 0) !== 0) throw new StoppedError('Nobody wants the answer any more.');
}

const { settings, shapes, sealingKey } = order;
let opened: Promise<ReadContext> | undefined;

/** The next job opens again what could not be opened: a database that was away may be back. */
function contextOf(): Promise<ReadContext> {
  opened ??= openContext().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function openContext(): Promise<ReadContext> {
  const { cold } = order;
  const reader = cold && createColdReader(openObjects(cold.place), cold.textKey);
  const store = await openReadView(order.storeUrl, checkpoint, reader);
  const known = languages(order.language);
  return createReadContext({ store, clock: systemClock, settings, languages: known, shapes, sealingKey, checkpoint });
}

port.on('message', (question: ThreadQuestion) => void reply(question));

async function reply(question: ThreadQuestion): Promise<void> {
  stop = question.stop;
  const before = process.threadCpuUsage();
  const said = await outcomeOf(question);
  const message: ThreadAnswer = { ...said, cpuMilliseconds: milliseconds(process.threadCpuUsage(before)) };
  port.postMessage(message, 'answer' in said ? [...buffersIn(said.answer)] : []);
}

async function outcomeOf({ job, input }: ThreadQuestion) {
  try {
    return { answer: await runJob(await contextOf(), job, input) };
  } catch (cause) {
    const error = asServiceError(cause);
    return error instanceof ServiceError ? { refusal: refusalOf(error) } : { defect: error };
  }
}

/** Bytes are handed over, not copied, unless others share their memory: small buffers of Node have theirs in one pool. */
function* buffersIn(answer: unknown): Generator<ArrayBuffer> {
  if (answer instanceof Uint8Array) {
    const { buffer, byteLength } = answer;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) yield buffer;
  } else if (typeof answer === 'object' && answer !== null && 'bytes' in answer) {
    yield* buffersIn(answer.bytes);
  }
}
