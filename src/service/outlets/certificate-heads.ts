/** Signed heads of the log of certificates. The head of a size is a function of the log: the same bytes on every node, at any time. */

import type { Clock } from '../../base/clock.ts';
import { type NodeAt, treeRoot, withNodes } from '../../base/merkle.ts';
import type { ChainSigner } from '../../base/signed-chain.ts';
import { createWakeUp } from '../../base/wake-up.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { headDeliveries } from '../../delivery/webhooks/notices.ts';
import { type CertificateHead, HEAD_TITLE } from '../../domain/certificate.ts';
import type { CertificateLogStore, Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';

export interface LogParts {
  readonly store: CertificateLogStore;
  readonly signer: ChainSigner;
}

/** How many heads a feed has. */
const FEED_HEADS = 20;

/** The head of a size that the log has or had; of the present without one. */
export async function headAt(parts: LogParts, size?: number): Promise<CertificateHead> {
  const asked = size ?? (await parts.store.certificateLogEnd()).size;
  return (await headsAt(parts, asked, 1))[0]!;
}

/** The heads after each of the last certificates, newest first. */
export async function newestHeads(parts: LogParts): Promise<CertificateHead[]> {
  const { size } = await parts.store.certificateLogEnd();
  return headsAt(parts, size, Math.min(size, FEED_HEADS));
}

/** Heads of so many sizes up to one, with one read of the nodes of all. */
async function headsAt({ store, signer }: LogParts, last: number, many: number): Promise<CertificateHead[]> {
  const sizes = Array.from({ length: many }, (_, at) => last - at);
  const first = Math.max(0, last - many);
  const added = await store.loggedCertificates(first, last - first);
  const roots = await readLog(store, async (node) => {
    const found: Buffer[] = [];
    for (const size of sizes) found.push(await treeRoot(size, node));
    return found;
  });
  return sizes.map((size, at) => {
    const root = roots[at]!.toString('base64url');
    const time = added[size - 1 - first]?.at.toISOString() ?? null;
    const signature = signer.signText(`${HEAD_TITLE}\n${size}\n${root}\n${time ?? ''}\n`);
    return { size, root, at: time, public_key: signer.publicKey, signature };
  });
}

/** Work on the tree with one statement, however large the log is. */
export const readLog = <T>(
  store: Pick<CertificateLogStore, 'certificateNodes'>,
  work: (node: NodeAt) => Promise<T>,
): Promise<T> => withNodes((places) => store.certificateNodes(places), work);

/**
 * Sends the head of the log of certificates to the webhooks that want heads, so that what the operator said is in the hands of
 * others. Certificates that come together are one head. The id of a delivery follows from the webhook and the head, so that any
 * number of processes and restarts send it once.
 */
export interface HeadNotices {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** A certificate was added. */
  look(): void;
}

interface Deps extends LogParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly dispatcher: Pick<Dispatcher, 'changed'>;
  /** Our public address, where it is known. */
  readonly server: string | undefined;
}

/** How long certificates are waited for that may come together. */
const PAUSE_MS = 5_000;
/** A head that is older was sent before, or nobody waits for it. */
const TOLD_MS = 24 * 60 * 60 * 1_000;

export function createHeadNotices(deps: Deps): HeadNotices {
  const { store, clock, log } = deps;
  const wakeUp = createWakeUp(clock);
  return {
    look: wakeUp.wake,
    async run(signal) {
      let told = 0;
      while (!signal.aborted) {
        const size = await tellHead(deps, told).catch((error: unknown) => {
          log.warn({ err: error }, 'The head of the log of certificates cannot be sent. Retrying in ten seconds.');
          return undefined;
        });
        told = size ?? told;
        // Other processes add certificates, too, and none of them says so.
        await wakeUp.sleep(size === undefined || store.isShared ? PAUSE_MS : Number.POSITIVE_INFINITY, signal);
        if (!signal.aborted) await clock.sleep(PAUSE_MS, signal);
      }
    },
  };
}

/** Answers with the size up to which is told. */
async function tellHead(deps: Deps, told: number): Promise<number> {
  const { store, clock, dispatcher, server } = deps;
  const { size, at } = await store.certificateLogEnd();
  const now = clock.now();
  if (size === told || at === undefined || now.getTime() - at.getTime() > TOLD_MS) return size;
  const webhooks = await store.headWebhooks();
  if (webhooks.length === 0) return size;
  const deliveries = headDeliveries(webhooks, await headAt(deps, size), now, server);
  await store.addNotices(deliveries);
  for (const { webhookId } of deliveries) dispatcher.changed(webhookId);
  return size;
}
