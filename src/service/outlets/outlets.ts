/** The ways out for matches, live subscribers and webhooks, made from their parts. */
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import type { Clock } from '../../base/clock.ts';
import { createLive, type Live } from '../../delivery/live/live.ts';
import { createDispatcher, type Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import type { Resolve } from '../../delivery/webhooks/egress.ts';
import { RETRY_AFTER } from '../../delivery/webhooks/schedule.ts';
import { createSeal, SEALING_KEY_BYTES, type Seal } from '../../delivery/webhooks/seal.ts';
import { createSender, type Send } from '../../delivery/webhooks/sender.ts';
import type { Store } from '../../store/store.ts';
import { type Cursors, createCursors } from '../cursors.ts';
import type { Holder } from '../lease.ts';
import { matchText } from '../match-text.ts';
import type { Log } from '../telemetry.ts';

export interface OutletOptions {
  /** Open streams of one account. */
  readonly streams: number;
  /** For development: webhooks at any address. */
  readonly allowPrivate: boolean;
  /** Seconds before the second attempt of a delivery, the third and so on. */
  readonly schedule: readonly number[];
  /** The installation's secret: it seals webhooks' secrets, and cursors are keyed with it. */
  readonly sealingKey: Uint8Array;
  /** The machine's own addresses. */
  readonly ownAddresses: () => readonly string[];
  readonly resolve: Resolve;
  readonly random: () => number;
  /** Takes the place of HTTP where there is no network, as in a simulation. */
  readonly send?: Send;
}

export interface Outlets {
  readonly live: Live;
  readonly dispatcher: Dispatcher;
  readonly send: Send;
  readonly seal: Seal;
  readonly cursors: Cursors;
  readonly options: OutletOptions;
}

interface Deps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** This process among those on its store. */
  readonly holder: Holder;
}

export function createOutlets({ store, clock, log, version, holder }: Deps, given: Partial<OutletOptions>): Outlets {
  const options: OutletOptions = {
    streams: 1_000,
    allowPrivate: false,
    schedule: RETRY_AFTER,
    sealingKey: randomBytes(SEALING_KEY_BYTES),
    ownAddresses: () => [],
    resolve: lookup,
    random: Math.random,
    ...given,
  };
  const seal = createSeal(options.sealingKey);
  const cursors = createCursors(options.sealingKey);
  const send = options.send ?? createSender({ clock, egress: options });
  const live = createLive({
    matches: store,
    clock,
    log,
    cursor: (accountId, position) => cursors.write(accountId, 'newer', position),
    encode: matchText,
    works: (accountId, keyId) => keyWorks(store, clock, accountId, keyId),
  });
  const { schedule, random } = options;
  const dispatcher = createDispatcher({
    outbox: store,
    clock,
    log,
    send,
    seal,
    version,
    encode: matchText,
    schedule,
    random,
    holder,
  });
  return { live, dispatcher, send, seal, cursors, options };
}

async function keyWorks(store: Store, clock: Clock, accountId: string, keyId: string): Promise<boolean> {
  const key = (await store.keys(accountId)).find(({ id }) => id === keyId);
  return key !== undefined && (key.expiresAt === undefined || key.expiresAt > clock.now());
}
