/** The thread that makes a snapshot: from the one before and the changes since, or from the stored rules. */
import { parentPort, workerData } from 'node:worker_threads';
import { makeSnapshot, type SnapshotOrder } from './make-snapshot.ts';

const order: SnapshotOrder = workerData;
parentPort!.postMessage(await makeSnapshot(order), []);
