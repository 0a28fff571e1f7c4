/** Puts the parts of a service together: the ground, the ways in, the ways out, the loops, and the context of operations. */
import { createNamedLocks } from '../../base/named-lock.ts';
import type { Gap } from '../../domain/coverage.ts';
import { hearLoggedCpu } from '../access/cpu-use.ts';
import { createCallers } from '../access/keys.ts';
import { createSessions } from '../access/sessions.ts';
import { createEntryTickets, createStreamTickets } from '../access/tickets.ts';
import { computeHere } from '../compute.ts';
import type { Context } from '../context.ts';
import { recentCoverage } from '../coverage/coverage.ts';
import { createDeadTexts } from '../ingest/dead-texts.ts';
import { createDemo, NO_DEMO } from '../ingest/demo.ts';
import { createPushedBytes } from '../ingest/pushed-bytes.ts';
import { createTraffic } from '../ingest/traffic.ts';
import { createOAuth, type OAuth } from '../oauth/oauth.ts';
import { createChallengeCounter } from '../outlets/mail-outlet.ts';
import { createToldPlaces } from '../outlets/told-places.ts';
import { createWakeChains } from '../outlets/wake-chains.ts';
import { createMatchPages } from '../reader/reader.ts';
import { createReadiness } from '../readiness.ts';
import { createGround, type Ground, type ServiceParts } from './ground.ts';
import { createLoops, type Loops } from './loops.ts';
import { createWaysIn, createWaysOut, type WaysIn, type WaysOut } from './ways.ts';

export interface Parts extends Ground, WaysIn, WaysOut, Loops {
  readonly context: Context;
  /** Charges limits for the lines of the log that matchers store, until the signal aborts. */
  readonly chargeLogged: (signal: AbortSignal) => Promise<void>;
}

/** Milliseconds that a match takes which is read, or passed over, for a stream that catches up. The thread has other work meanwhile. */
const WALKED_MS = 0.01;

export function createParts(given: ServiceParts): Parts {
  const ground = createGround(given);
  // These are asked while the service runs, when the parts that they lead to have been made.
  const current = () => loops.follower.current();
  const onGap = (gap: Gap) => tellOfGap(ground, waysOut, gap);
  const waysIn = createWaysIn(ground, { current, onGap });
  const waysOut: WaysOut = createWaysOut(ground, {
    coverage: async (accountId, filter) => JSON.stringify(await recentCoverage(context, accountId, filter)),
    onWalked: (accountId, rows) => loops.onCpu(accountId, rows * WALKED_MS, 'main'),
  });
  const loops: Loops = createLoops(ground, waysIn, waysOut);
  const context: Context = createContext(ground, waysIn, waysOut, loops);
  const { broker } = given;
  const chargeLogged = async (signal: AbortSignal) =>
    broker === undefined ? undefined : hearLoggedCpu({ broker, context, ...loops }, signal);
  return { ...ground, ...waysIn, ...waysOut, ...loops, context, chargeLogged };
}

function tellOfGap({ given }: Ground, { outlets, noticeEvents }: WaysOut, gap: Gap): void {
  if (gap.to === undefined) given.metrics.gap(gap.platform);
  outlets.live.announce(gap);
  noticeEvents.look();
}

function createContext(ground: Ground, waysIn: WaysIn, waysOut: WaysOut, loops: Loops): Context {
  const { given, reading, roles, platforms, startRetry } = ground;
  const { store, clock, log, metrics, settings, tracer, history = {} } = given;
  const { outlets, noticeEvents, headNotices, matchSignals, signer } = waysOut;
  const { live, dispatcher, send, seal, encode, mail, notify } = outlets;
  const { follower } = loops;
  return {
    ...reading,
    ...waysIn,
    live,
    dispatcher,
    send,
    seal,
    notify,
    encode,
    mail,
    ...loops,
    store,
    clock,
    log,
    metrics,
    tracer,
    platforms,
    history,
    noticeEvents,
    matchSignals,
    ...createCounters(ground, follower),
    ...createAccess(ground, waysOut),
    compute: given.compute ?? computeHere(() => reading),
    signer,
    headNotices,
    deadTexts: createDeadTexts(reading.languages),
    nodes: follower,
    readiness: createReadiness({ ...waysIn, roles, follower, start: startRetry }),
    matchPages: createMatchPages(store, clock),
    sources: given.sources ?? (() => []),
    operatorSources: given.operatorSources ?? [],
    demo: given.demo ?? createDemo(NO_DEMO, undefined),
    deliveryLimits: outlets.options,
    settings,
    locks: createNamedLocks(),
  };
}

type Counters = Pick<Context, 'pushedBytes' | 'traffic' | 'challenges' | 'wakeChains' | 'toldPlaces'>;

/** The counters live in memory alone. */
const createCounters = ({ given: { clock, settings } }: Ground, follower: Loops['follower']): Counters => ({
  pushedBytes: createPushedBytes({
    clock,
    limits: settings.limits ?? {},
    sharers: () => follower.presence.apis,
    support: settings.support,
  }),
  traffic: createTraffic(clock),
  challenges: createChallengeCounter(clock),
  wakeChains: createWakeChains(),
  toldPlaces: createToldPlaces(),
});

type Access = Pick<Context, 'callers' | 'sessions' | 'streamTickets' | 'entryTickets' | 'oauth'>;

function createAccess(ground: Ground, waysOut: WaysOut): Access {
  const { store, clock } = ground.given;
  return {
    callers: createCallers(store),
    sessions: createSessions(store, clock),
    streamTickets: createStreamTickets(store, clock),
    entryTickets: createEntryTickets(store, clock),
    oauth: oauthOf(ground, waysOut),
  };
}

function oauthOf(
  { given: { store, clock, log, oauth } }: Ground,
  { outlets: { options }, matchSignals }: WaysOut,
): OAuth {
  return createOAuth({
    store,
    clock,
    log,
    egress: options,
    secret: options.sealingKey,
    onRevoked: (accountId) => matchSignals.committedElsewhere([accountId]),
    ...(oauth ?? { publicUrl: undefined, registration: false }),
  });
}
