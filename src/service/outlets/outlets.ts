/** The outlets of matches, live subscribers and webhooks, built from their parts. */
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import type { Clock } from '../../base/clock.ts';
import { trimEnd } from '../../base/parse-url.ts';
import type { Tracer } from '../../base/tracing.ts';
import { createLive, type Live } from '../../delivery/live/live.ts';
import { traceDeliveries } from '../../delivery/webhooks/attempt-spans.ts';
import { createDispatcher } from '../../delivery/webhooks/dispatcher.ts';
import type { Resolve } from '../../delivery/webhooks/egress.ts';
import type { EventWriter } from '../../delivery/webhooks/events.ts';
import type { Encode } from '../../delivery/webhooks/formats.ts';
import { EVENT_RETRY_AFTER, RETRY_AFTER } from '../../delivery/webhooks/outcome.ts';
import {
  createSeal,
  keyCheck,
  SEALING_KEY_BYTES,
  SEALING_KEY_SETTING,
  type Seal,
} from '../../delivery/webhooks/seal.ts';
import { createSender } from '../../delivery/webhooks/sender.ts';
import { createSinkTransports } from '../../delivery/webhooks/sink-transports.ts';
import { type Send, sendByScheme } from '../../delivery/webhooks/transport.ts';
import type { Match } from '../../domain/match.ts';
import type { Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import { keyWorks } from '../access/keys.ts';
import { sessionWorks } from '../access/sessions.ts';
import { matchText, type Reader } from '../reader/reader.ts';
import type { Log, Metrics } from '../telemetry.ts';
import { type Cursors, createCursors } from './cursors.ts';
import { briefEventData, briefEventDigest } from './event-data.ts';
import { createMailOutlet, type MailOutlet, type MailSettings } from './mail-outlet.ts';
import { notifier } from './notify.ts';

export interface OutletOptions {
  /** How many streams one account may have open. */
  readonly streams: number;
  /** For development: webhooks may go to any address. */
  readonly allowPrivate: boolean;
  /** Seconds before the second attempt of a delivery, the third, and so on. */
  readonly schedule: readonly number[];
  /** Seconds before the second attempt for a subscription of an agent, the third, and so on. */
  readonly eventSchedule: readonly number[];
  /** The `data` of an event about a match. */
  readonly eventData: EventWriter['data'];
  readonly eventDigest: EventWriter['digest'];
  /** The installation's secret: webhook secrets and cursors are encrypted with it. */
  readonly sealingKey: Uint8Array;
  /** The machine's own addresses. */
  readonly ownAddresses: () => readonly string[];
  readonly resolve: Resolve;
  readonly random: () => number;
  /** The address at which people reach the console: chats link to it. */
  readonly publicUrl?: string | undefined;
  /** The operator's mail server. E-mail needs the public URL too. */
  readonly mail?: MailSettings | undefined;
  /** Objects, NATS and Kafka, where a thread of their own sends to them. */
  readonly sinks?: Send;
  /** Takes the place of HTTP where there is no network, as in a simulation. */
  readonly send?: Send;
}

/** The page to rate at is the console's list of the rule's matches, with the match in the address: rating takes a click there, so no prefetch rates. */
const encoderOf = ({ publicUrl, eventData }: OutletOptions): Encode =>
  Object.assign((match: Match) => matchText(match), {
    eventData,
    ...(publicUrl !== undefined && {
      rateUrl: ({ ruleId, id }: Match) => `${trimEnd(publicUrl, '/')}/#/matches?rule=${ruleId}&match=${id}`,
      server: publicUrl,
    }),
  });

/** One transport for each scheme of an address. */
function createTransports(clock: Clock, egress: OutletOptions, mail: MailOutlet | undefined): Send {
  const http = createSender({ clock, egress });
  const sinks = egress.sinks ?? createSinkTransports({ clock, egress });
  return sendByScheme({
    'https:': http,
    'http:': http,
    's3:': sinks,
    'nats:': sinks,
    'kafka:': sinks,
    ...(mail && { 'mailto:': mail.transport }),
  });
}

const mailOf = (clock: Clock, seal: Seal, { mail, publicUrl }: OutletOptions): MailOutlet | undefined =>
  mail === undefined || publicUrl === undefined ? undefined : createMailOutlet({ clock, seal, publicUrl }, mail);

export type Outlets = ReturnType<typeof createOutlets>;

interface Deps {
  readonly store: Store;
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly metrics: Pick<Metrics, 'delivery' | 'webhookDisabled'>;
  /** Identifies this process among those on its store. */
  readonly holder: Holder;
  /** How far the matches of a stream can be relied on, as JSON. */
  readonly coverage?: Parameters<typeof createLive>[0]['coverage'];
  readonly onWalked?: Parameters<typeof createLive>[0]['onWalked'];
  readonly tracer?: Tracer | undefined;
}

const defaultOptions = (): OutletOptions => ({
  streams: 1_000,
  allowPrivate: false,
  schedule: RETRY_AFTER,
  eventSchedule: EVENT_RETRY_AFTER,
  eventData: briefEventData,
  eventDigest: briefEventDigest,
  sealingKey: randomBytes(SEALING_KEY_BYTES),
  ownAddresses: () => [],
  resolve: lookup,
  random: Math.random,
});

export function createOutlets(deps: Deps, given: Partial<OutletOptions>) {
  const { store, reader, clock, log, version, metrics, holder, tracer } = deps;
  const options: OutletOptions = { ...defaultOptions(), ...given };
  const seal = createSeal(options.sealingKey);
  const cursors = createCursors(options.sealingKey);
  const mail = mailOf(clock, seal, options);
  const traces = tracer && traceDeliveries(tracer);
  const transports = options.send ?? createTransports(clock, options, mail);
  const send = traces?.sending(transports) ?? transports;
  const { schedule, eventSchedule, random, publicUrl } = options;
  const encode = encoderOf(options);
  const dispatcher = createDispatcher({
    outbox: traces?.following(store) ?? store,
    matches: reader,
    clock,
    log,
    send,
    seal,
    version,
    encode,
    server: publicUrl,
    events: {
      data: options.eventData,
      digest: options.eventDigest,
      cursor: (accountId, position) => cursors.writePlace(accountId, 'event', position),
    },
    schedule,
    eventSchedule,
    random,
    keyFits: () => keyFits(store, options.sealingKey),
    holder,
    onAttempt({ outcome, disable }, notices) {
      metrics.delivery(outcome.status === 'pending' ? 'retrying' : outcome.status);
      if (disable !== undefined) metrics.webhookDisabled();
      for (const { webhookId } of notices) dispatcher.changed(webhookId);
    },
  });
  const notify = notifier({ store, clock, log, server: publicUrl }, dispatcher);
  return { live: openLive(deps, cursors), dispatcher, mail, send, seal, cursors, options, encode, notify, traces };
}

/** The key may have been changed under this process. */
async function keyFits(store: Store, key: Uint8Array): Promise<boolean> {
  const own = keyCheck(key);
  return ((await store.agreedSettings())[SEALING_KEY_SETTING] ?? own) === own;
}

const openLive = ({ store, reader, clock, log, coverage, onWalked }: Deps, cursors: Cursors): Live =>
  createLive({
    matches: { latest: () => store.latest(), matchesAfter: reader.after },
    clock,
    log,
    cursor: (accountId, position) => cursors.write(accountId, 'newer', position),
    placeCursor: (accountId, position) => cursors.writePlace(accountId, 'newer', position),
    encode: matchText,
    silences: (accountId) => store.silences(accountId, clock.now()),
    ...(coverage && { coverage }),
    ...(onWalked && { onWalked }),
    sessionWorks: (session) => sessionWorks(store, session, clock.now()),
    works: async (accountId, keyId) => keyWorks(await store.keys(accountId), keyId, clock.now()),
  });
