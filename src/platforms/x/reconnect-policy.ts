/**
 * How a connection ends, or why there was none, each with what follows: how long to wait, and what to say meanwhile.
 * Of three kinds of 429 one is about requests, one about connections and one about money; the body tells them apart.
 */
import { doubling, growing, jittered, type Ladder } from '../back-off.ts';
import type { Problem } from './wire.ts';

/** In the order of the table below, which says what they mean. */
export type Ending =
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
  | 'request';

/** Failures of one family climb one ladder together. */
type Family = 'network' | 'server' | 'rate' | 'connections' | 'auth' | 'fixed';

interface Plan {
  readonly family: Family;
  readonly ladder: Ladder;
  /** It was an open connection that ended: the first time we are back at once, and the ladder begins after that. */
  readonly wasOpen?: true;
  /** From this failure in a row on, the platform counts as degraded; 0 from the first. */
  readonly degradedFrom: number;
}

const second = 1_000;
const minute = 60 * second;

/** X's own figures: a quarter of a second more each time, to 16 s; 5 s doubling to 320 s; a minute doubling to its window. */
const network = growing(250, 16 * second);
const server = (failures: number) => (failures === 1 ? 0 : doubling(5 * second, 320 * second)(failures - 1));
const rate = (failures: number) => doubling(minute, 15 * minute)(Math.max(1, failures - 1));
const auth = (failures: number) =>
  failures <= 3 ? doubling(5 * second, 320 * second)(Math.max(1, failures - 1)) : 5 * minute;
const every =
  (milliseconds: number): Ladder =>
  () =>
    milliseconds;

/** Ladders count from 1; a connection that never opened begins at 2, since nothing was lost that is had back at once. */
const PLANS: Readonly<Record<Ending, Plan>> = {
  // The connection broke, fell silent for too long, sent a line without end, or heartbeats alone; or we could not keep up.
  dropped: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  stall: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  overlong: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  suspect: { family: 'network', ladder: network, wasOpen: true, degradedFrom: 20 },
  overflow: { family: 'fixed', ladder: every(30 * second), degradedFrom: 0 },
  // Nobody was reached.
  network: { family: 'network', ladder: network, degradedFrom: 20 },
  // It said that it would end.
  operational: { family: 'server', ladder: server, wasOpen: true, degradedFrom: 6 },
  slow_reader: { family: 'server', ladder: server, wasOpen: true, degradedFrom: 6 },
  // 5xx, redirects, and whatever else is no answer of X's; or somebody else's certificate.
  server: { family: 'server', ladder: server, degradedFrom: 6 },
  certificate: { family: 'server', ladder: server, degradedFrom: 6 },
  // Too many requests; too many connections, of which one may be what is left of ours; somebody closed ours.
  rate: { family: 'rate', ladder: rate, degradedFrom: 4 },
  connections: { family: 'connections', ladder: rate, degradedFrom: 6 },
  forced: { family: 'connections', ladder: rate, wasOpen: true, degradedFrom: 6 },
  // There are no rules, which is no failure; or one of them is not taken any more.
  no_rules: { family: 'fixed', ladder: every(30 * second), degradedFrom: Number.POSITIVE_INFINITY },
  rules: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
  // Somebody has to do something; we look whether they have.
  quota: { family: 'fixed', ladder: every(60 * minute), degradedFrom: 0 },
  billing: { family: 'fixed', ladder: every(15 * minute), degradedFrom: 0 },
  auth: { family: 'auth', ladder: auth, degradedFrom: 4 },
  app: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
  request: { family: 'fixed', ladder: every(5 * minute), degradedFrom: 0 },
};

export interface Patience {
  /** How long to wait after this, and whether it has happened so often that somebody should know. */
  after(ending: Ending): { readonly wait: number; readonly degraded: boolean; readonly isFirst: boolean };
  /** The stream has been healthy for a while: all ladders begin anew. */
  rest(): void;
}

/** Those that climb are jittered; a fixed wait is kept to. */
const JITTERED: readonly Family[] = ['network', 'server', 'rate', 'connections'];

export function createPatience(random: () => number): Patience {
  const failures = new Map<Family, number>();
  return {
    after(ending) {
      const { family, ladder, wasOpen, degradedFrom } = PLANS[ending];
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
    rest: () => failures.clear(),
  };
}

/** What a refusal to connect means. */
export function refusalOf(status: number, problem: Problem): Ending {
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

const DISCONNECTS: Readonly<Record<string, Ending>> = {
  OperationalDisconnect: 'operational',
  UpstreamOperationalDisconnect: 'operational',
  UpstreamUncleanDisconnect: 'operational',
  InternalError: 'operational',
  ForceDisconnect: 'forced',
  SlowReader: 'slow_reader',
  ClientApplicationStateDegraded: 'app',
  InvalidRules: 'rules',
};

/** What a message inside the stream ends it with; undefined when it does not say that it ends. */
export function disconnectOf(problem: Problem): Ending | undefined {
  const known = Object.hasOwn(DISCONNECTS, problem.disconnectType) ? DISCONNECTS[problem.disconnectType] : undefined;
  if (known !== undefined) return known;
  const ends =
    ['operational-disconnect', 'client-disconnected'].includes(problem.type) || problem.disconnectType !== '';
  return ends ? 'operational' : undefined;
}
