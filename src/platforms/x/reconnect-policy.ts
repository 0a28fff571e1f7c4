/**
 * Why a connection to X ended or could not be opened, and for each reason how long to wait and when the platform counts
 * as degraded. X answers 429 for too many requests, for too many connections and for a used-up plan; the body tells
 * which.
 */
import { doubling, growing, jittered, type Ladder } from '../pace.ts';
import type { Problem } from './wire.ts';

/** The table `PLANS` below says what each means. */
export type DisconnectReason =
  | 'dropped'
  | 'stall'
  | 'overlong'
  | 'suspect'
  | 'overflow'
  | 'network'
  | 'operational'
  | 'slow_reader'
  | 'server'
  | 'certificate'
  | 'rate'
  | 'connections'
  | 'forced'
  | 'no_rules'
  | 'rules'
  | 'quota'
  | 'billing'
  | 'auth'
  | 'app'
  | 'challenge'
  | 'request';

/** Failures of one family are counted together. */
type Family = 'network' | 'server' | 'rate' | 'connections' | 'auth' | 'fixed';

interface Plan {
  readonly family: Family;
  readonly ladder: Ladder;
  /** It was an open connection that ended: the first retry is at once, and the ladder begins after that. */
  readonly wasOpen?: true;
  /** The platform counts as degraded from this failure in a row on; 0 means from the first. */
  readonly degradedFrom: number;
}

const second = 1_000;
const minute = 60 * second;

/** X's recommendations: 250 ms more each time, up to 16 s; 5 s doubling up to 320 s; one minute doubling up to 15. */
const network = growing(250, 16 * second);
const server = (failures: number) => (failures === 1 ? 0 : doubling(5 * second, 320 * second)(failures - 1));
const rate = (failures: number) => doubling(minute, 15 * minute)(Math.max(1, failures - 1));
const auth = (failures: number) =>
  failures <= 3 ? doubling(5 * second, 320 * second)(Math.max(1, failures - 1)) : 5 * minute;
const every =
  (milliseconds: number): Ladder =>
  () =>
    milliseconds;

/** Ladders count from 1. A connection that never opened begins at 2: there is no immediate first retry for it. */
const PLANS: Readonly<Record<DisconnectReason, Plan>> = {
  // The connection broke, was silent for too long, sent a line that is too long, or sent only heartbeats; or we had no room.
  dropped: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  stall: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  overlong: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  suspect: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  overflow: { family: 'fixed', ladder: every(30 * second), degradedFrom: 0 },
  // No host was reached.
  network: { family: 'network', ladder: network, degradedFrom: 20 },
  // X announced the end.
  operational: { family: 'server', ladder: server, wasOpen: true, degradedFrom: 6 },
  slow_reader: { family: 'server', ladder: server, wasOpen: true, degradedFrom: 6 },
  // 5xx, redirects and other answers that X does not document; or a certificate that cannot be verified.
  server: { family: 'server', ladder: server, degradedFrom: 6 },
  certificate: { family: 'server', ladder: server, degradedFrom: 6 },
  // Too many requests; too many connections, one of which may be a dead one of ours; another program closed ours.
  rate: { family: 'rate', ladder: rate, degradedFrom: 4 },
  connections: { family: 'connections', ladder: rate, degradedFrom: 6 },
  forced: { family: 'connections', ladder: rate, wasOpen: true, degradedFrom: 6 },
  // There are no rules, which is no failure; or X does not accept one of them any more.
  no_rules: { family: 'fixed', ladder: every(30 * second), degradedFrom: Number.POSITIVE_INFINITY },
  rules: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
  // The operator has to act. We retry to see whether that has happened.
  quota: { family: 'fixed', ladder: every(60 * minute), degradedFrom: 0 },
  billing: { family: 'fixed', ladder: every(15 * minute), degradedFrom: 0 },
  auth: { family: 'auth', ladder: auth, degradedFrom: 4 },
  app: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
  // X reached our webhook, and did not get the right answer; or it did not reach it.
  challenge: { family: 'server', ladder: server, degradedFrom: 3 },
  request: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
};

export interface BackOff {
  /** How long to wait, and whether the platform counts as degraded. */
  after(reason: DisconnectReason): { readonly wait: number; readonly degraded: boolean; readonly isFirst: boolean };
  /** The stream was healthy for a while: all ladders start over. */
  reset(): void;
}

/** Waits that grow get jitter; a fixed wait does not. */
const JITTERED: readonly Family[] = ['network', 'server', 'rate', 'connections'];

export function createBackOff(random: () => number): BackOff {
  const failures = new Map<Family, number>();
  return {
    after(reason) {
      const { family, ladder, wasOpen, degradedFrom } = PLANS[reason];
      const before = failures.get(family) ?? 0;
      const now = wasOpen ? before + 1 : Math.max(before, 1) + 1;
      failures.set(family, now);
      const wait = ladder(now);
      return {
        wait: JITTERED.includes(family) ? jittered(wait, random) : wait,
        degraded: now >= degradedFrom,
        isFirst: before === 0,
      };
    },
    reset: () => failures.clear(),
  };
}

/** Why X refused to open a connection. */
export function refusalReason(status: number, problem: Problem): DisconnectReason {
  if (problem.connectionIssue === 'TooManyConnections') return 'connections';
  if (problem.connectionIssue === 'RuleConfigurationIssue') return 'no_rules';
  if (problem.connectionIssue === 'RulesInvalidIssue' || problem.type === 'noncompliant-rules') return 'rules';
  if (problem.title === 'UsageCapExceeded' || problem.type === 'usage-capped') return 'quota';
  switch (status) {
    case 400:
      return 'request';
    case 401:
    case 403:
      return 'auth';
    case 402:
      return 'billing';
    case 409:
      return 'no_rules';
    case 429:
      return 'rate';
    default:
      return 'server';
  }
}

const DISCONNECTS: Readonly<Record<string, DisconnectReason>> = {
  OperationalDisconnect: 'operational',
  UpstreamOperationalDisconnect: 'operational',
  UpstreamUncleanDisconnect: 'operational',
  InternalError: 'operational',
  ForceDisconnect: 'forced',
  SlowReader: 'slow_reader',
  ClientApplicationStateDegraded: 'app',
  InvalidRules: 'rules',
};

/** Why a message in the stream ends it; undefined if the message does not end it. */
export function disconnectReason(problem: Problem): DisconnectReason | undefined {
  const known = Object.hasOwn(DISCONNECTS, problem.disconnectType) ? DISCONNECTS[problem.disconnectType] : undefined;
  if (known !== undefined) return known;
  const ends =
    ['operational-disconnect', 'client-disconnected'].includes(problem.type) || problem.disconnectType !== '';
  return ends ? 'operational' : undefined;
}
