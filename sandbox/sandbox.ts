/**
 * X and Firehose on one port of this machine, with the same paths, shapes, limits and languages, and every fault of the
 * catalogue as a switch. It stands in for both in tests of Sluice, and of any other client. It calls no other host, and
 * keeps nothing when it stops.
 */
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../src/base/clock.ts';
import type { Payload } from '../src/domain/match.ts';
import type { Platform } from '../src/domain/platform.ts';
import type { XLevel } from '../src/rules/language.ts';
import type { Context } from './context.ts';
import { handleControl } from './control.ts';
import type { FaultName, FaultOptions } from './faults/catalogue.ts';
import { createFaults, type FaultReport } from './faults/faults.ts';
import { type Feed, openFeed, runFeed } from './feed.ts';
import { createFirehose } from './firehose/app.ts';
import type { Generation } from './firehose/stream.ts';
import { createFront } from './front.ts';
import type { Call, Outcome } from './http.ts';
import { createListener } from './listener.ts';
import { createRateLimits } from './rate-limit.ts';
import { createRecorder, type RecordedCall, type SentEvent } from './recorder.ts';
import type { HeldRule } from './rule-book.ts';
import { createX } from './x/app.ts';

export interface SandboxOptions {
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly host?: string;
  /** If it is not set, any bearer token is accepted. */
  readonly xToken?: string;
  readonly firehoseToken?: string;
  /** The secret that X signs deliveries to webhooks with. */
  readonly xConsumerSecret?: string;
  readonly xLevel?: XLevel;
  /** How many rules each allows; by default as many as the upstream. */
  readonly xRules?: number;
  readonly firehoseRules?: number;
  /** Which generation of payloads Firehose sends. */
  readonly firehosePayload?: Generation;
  /** The clock for heartbeats, windows, timeouts and every time that is sent. */
  readonly clock?: Clock;
  /** A feed of events; none by default. */
  readonly feed?: Feed;
  /** How many events the feed sends a second. */
  readonly rate?: number;
  /** `off` allows any number of requests. */
  readonly limits?: 'on' | 'off';
  /** How many events are kept for replay, and how many calls and sent events are recorded. */
  readonly keep?: number;
  /** Use HTTPS with a self-signed certificate. */
  readonly tls?: boolean;
  readonly log?: (message: string) => void;
}

export interface PostedEvent {
  readonly platform: Platform;
  readonly id: string;
  /** The rules that matched it. */
  readonly ruleIds: readonly string[];
  /** The `id:` of its update at Firehose. */
  readonly cursor?: string | undefined;
}

export interface Sandbox extends AsyncDisposable {
  readonly url: string;
  /** With `tls`, the certificate that clients must trust, in PEM. */
  readonly certificate: string | undefined;
  /** Matches an event, sends it to open streams and keeps it for replay. Throws if it is not a valid event. */
  post(platform: Platform, payload: Payload): PostedEvent;
  /** A post of X is deleted by its author: readers of the compliance stream are told. */
  deletePost(id: string): void;
  /** Ends the connections of the compliance stream. */
  endCompliance(): void;
  readonly complianceReaders: number;
  throwFault<N extends FaultName>(name: N, options?: FaultOptions<N>): void;
  /** Clears all faults. The counts of what has fired stay. */
  clearFaults(): void;
  fired(name: FaultName): number;
  faults(): FaultReport[];
  /** For Firehose, the rules of its first tap. */
  rules(platform: Platform): readonly HeldRule[];
  /** Adds a rule as another program would. It counts against no cap. */
  addForeignRule(platform: Platform, value: string, tag?: string): HeldRule;
  /** Deletes a rule as another program would. Returns whether there was one. */
  dropRule(platform: Platform, id: string): boolean;
  readonly calls: readonly RecordedCall[];
  readonly sent: readonly SentEvent[];
  /** Deliveries to webhooks that are not acknowledged yet, and are tried again. */
  readonly deliveries: number;
  /** How many streams are open. */
  connections(platform: Platform): number;
  /** Resolves when the sockets of all readers have taken what was sent. A feed faster than its readers waits for this. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

const KEEP = 100_000;

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = systemClock, host = '127.0.0.1', keep = KEEP, log = () => {} } = options;
  const eventAt = await openFeed(options.feed ?? 'off');
  const faults = createFaults();
  const recorder = createRecorder(keep);
  const stopping = new AbortController();
  let streams = 0;
  const context: Context = {
    clock,
    faults,
    recorder,
    keep,
    limits: createRateLimits(clock, options.limits !== 'off'),
    signal: stopping.signal,
    nextStream: () => ++streams,
  };
  const x = createX(context, {
    token: options.xToken,
    level: options.xLevel,
    rules: options.xRules,
    consumerSecret: options.xConsumerSecret,
  });
  const firehose = createFirehose(context, {
    token: options.firehoseToken,
    rules: options.firehoseRules,
    generation: options.firehosePayload,
  });
  const sides = { x, firehose };

  const route = (call: Call): Promise<Outcome> | Outcome => {
    if (call.path.startsWith('/sandbox/')) return handleControl(call, faults, offer);
    if (call.path.startsWith('/2/')) return x.handle(call);
    if (call.path.startsWith('/v1/')) return firehose.handle(call);
    return { status: 404, body: { message: 'There is nothing here. X is under /2/, Firehose under /v1/.' } };
  };
  const offer = (platform: Platform, payload: Payload) => sides[platform].post(payload);

  const front = createFront({ clock, recorder, log, route });
  const { server, certificate } = createListener(options.tls === true, faults, front);
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(options.port ?? 0, host, () => listening());
  });
  const { port } = server.address() as AddressInfo;

  const post: Sandbox['post'] = (platform, payload) => {
    const posted = offer(platform, payload);
    if ('rejected' in posted) throw new Error(`no event of ${platform}: ${posted.rejected}`);
    return { platform, ...posted };
  };
  const { rate } = options;
  const feeding = eventAt && runFeed(eventAt, { clock, rate, signal: stopping.signal, offer, log });

  const stop = async (): Promise<void> => {
    stopping.abort();
    x.stop();
    firehose.stop();
    await feeding;
    if (!server.listening) return;
    await new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  };

  return {
    url: `${options.tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificate,
    post,
    throwFault: faults.throw,
    clearFaults: () => faults.clear(),
    fired: faults.fired,
    faults: faults.reports,
    rules: (platform) => sides[platform].rules(),
    addForeignRule: (platform, value, tag) => sides[platform].addForeignRule(value, tag),
    deletePost: (id) => sides.x.deletePost(id),
    endCompliance: () => sides.x.endCompliance(),
    get complianceReaders() {
      return sides.x.complianceReaders;
    },
    get deliveries() {
      return x.deliveries;
    },
    dropRule: (platform, id) => sides[platform].dropRule(id),
    calls: recorder.calls,
    sent: recorder.sent,
    connections: (platform) => sides[platform].connections,
    async drained() {
      while (x.isBehind() || firehose.isBehind()) await new Promise((resolve) => setImmediate(resolve));
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
