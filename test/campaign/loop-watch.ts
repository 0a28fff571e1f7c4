/**
 * Loaded into a server under test (`node --import`): notes each turn of the event loop that used more than 50 ms of the
 * processor, as a line of the file in SLUICE_TEST_BLOCKS. The processor's time counts, so that a busy machine adds no blocks.
 * A timer fires every few milliseconds, so what was used between two firings is one long turn and little more. Where the
 * process had to wait for the processor, one turn takes up all requests that came meanwhile: their number is in the line.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 5;
const LONGEST_MS = 50;

const file = process.env['SLUICE_TEST_BLOCKS'];

if (isMainThread && file !== undefined) {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [before, at, requests] = [used(), Date.now(), 0];
  subscribe('http.server.request.start', () => requests++);
  setInterval(() => {
    const [now, time] = [used(), Date.now()];
    const block = { at: time, cpu: Math.round(now - before), wall: time - at, requests };
    [before, at, requests] = [now, time, 0];
    if (block.cpu > LONGEST_MS + EVERY_MS) appendFileSync(file, `${JSON.stringify(block)}\n`);
  }, EVERY_MS).unref();
}
