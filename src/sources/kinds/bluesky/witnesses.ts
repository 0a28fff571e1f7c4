/**
 * Two hosts vouch for each other. Both are read whole, so that each brings what the other withholds; here is decided how
 * far they are complete together, and whose word counts. A host that was found to withhold does not count, until it has
 * withheld nothing for ten minutes.
 */
import { createComparison, type HostComparison } from './compare.ts';
import type { Host, HostCursor } from './host-state.ts';
import { commitKey, isNewCommit } from './post.ts';
import type { JetEvent } from './wire.ts';

/** A host under watch. */
export interface Witness {
  readonly host: Host;
  /** The last event that was taken: the host may have read on. */
  last: HostCursor | undefined;
  /** Monotonic milliseconds since when it brings nothing; undefined while it brings events. */
  awaySince: number | undefined;
  /** Its last connection broke, and no event has come since. */
  hasFailed: boolean;
  incident: Incident | undefined;
  /** The time that the other host was read without this one, in microseconds. */
  alone: { readonly from: number; to: number; toldAt: number } | undefined;
}

/** A time in which a host withheld events, in microseconds. */
interface Incident {
  readonly from: number;
  last: number;
  count: number;
  toldAt: number;
}

export interface Withholding {
  readonly host: string;
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
  readonly isFirst: boolean;
}

export interface Unwitnessed {
  readonly from: Date;
  readonly to: Date;
  readonly isOver: boolean;
}

export interface Witnesses {
  readonly all: readonly Witness[];
  /** Answers whether the event is new: no host has brought it before. */
  take(witness: Witness, event: JetEvent): boolean;
  lacks(witness: Witness, until: number): void;
  /** The reports about hosts that withhold. */
  withholding(): Withholding[];
  /** Times that were read from one host alone: as they go on, and once the other one has caught up. */
  unwitnessed(elapsed: number): Unwitnessed[];
  /** Everything up to then has come, as far as those that count can say; undefined when none of them counts. */
  reaches(now: Date, elapsed: number): Date | undefined;
  /** Events come only from hosts whose word does not count. */
  isBlind(elapsed: number): boolean;
  /** Whether another host has brought everything of this span (in microseconds), and counts. */
  isCovered(witness: Witness, span: { readonly from: number; readonly to: number }): boolean;
}

/** A host may be away this long before the other one counts alone. */
const GRACE_MS = 60_000;
/** An event reaches the hosts this far apart. */
const LEAD = 10_000_000;
const FORGIVEN = 600_000_000;
/** While it lasts, it is told this often. */
const TOLD_EVERY = 30_000_000;

export function createWitnesses(hosts: readonly Host[], elapsed: number): Witnesses {
  const all = hosts.map(
    (host): Witness => ({
      host,
      last: host.last,
      awaySince: elapsed,
      hasFailed: false,
      incident: undefined,
      alone: undefined,
    }),
  );
  const comparison: HostComparison | undefined = all.length === 2 ? createComparison() : undefined;
  return {
    all,
    take(witness, event) {
      witness.awaySince = undefined;
      const at = all.indexOf(witness);
      const key = commitKey(event);
      if (key !== undefined) return comparison?.saw(at, key, event.time, isNewCommit(event)) ?? true;
      comparison?.heard(at, event.time);
      return true;
    },
    lacks: (witness, until) => comparison?.lacks(all.indexOf(witness), until),
    withholding() {
      for (const { host, time } of comparison?.found() ?? []) note(all[host]!, time);
      return all.flatMap((witness) => tell(witness) ?? []);
    },
    unwitnessed: (elapsedNow) => all.flatMap((witness) => unwitnessedBy(witness, all, elapsedNow) ?? []),
    reaches: (now, elapsedNow) => reachOf(all, now, elapsedNow),
    isBlind: (elapsedNow) => countedOf(all, elapsedNow).length === 0,
    isCovered: (witness, { from, to }) =>
      all.some(({ host, last, incident }) => {
        const isOther = host !== witness.host && incident === undefined;
        return isOther && last !== undefined && last.since <= from && last.time >= to;
      }),
  };
}

function note(witness: Witness, time: number): void {
  witness.incident ??= { from: time - LEAD, last: time, count: 0, toldAt: 0 };
  witness.incident.last = Math.max(witness.incident.last, time);
  witness.incident.count++;
}

/** At its beginning, while it lasts, and when it is over. */
function tell(witness: Witness): Withholding | undefined {
  const { host, incident } = witness;
  if (incident === undefined) return undefined;
  const { from, last, count, toldAt } = incident;
  const isOver = (witness.last?.time ?? 0) > last + FORGIVEN;
  if (isOver) witness.incident = undefined;
  if (last - toldAt < TOLD_EVERY && !(isOver && last > toldAt)) return undefined;
  incident.toldAt = last;
  const [start, end] = [from, last].map((time) => new Date(time / 1_000));
  return { host: host.url, from: start!, to: end!, count, isFirst: toldAt === 0 };
}

function unwitnessedBy(witness: Witness, all: readonly Witness[], elapsed: number): Unwitnessed | undefined {
  const other = all.find((one) => one !== witness)?.last;
  if (other === undefined) return undefined;
  const { last, awaySince } = witness;
  const isAway = awaySince !== undefined && elapsed - awaySince >= GRACE_MS;
  if (isAway) {
    witness.alone ??= { from: (last?.time ?? other.since) - LEAD, to: other.time, toldAt: 0 };
    witness.alone.to = other.time;
  }
  const { alone } = witness;
  if (alone === undefined) return undefined;
  const isOver = !isAway && (last?.time ?? 0) >= alone.to && (last?.since ?? 0) <= alone.from + LEAD;
  if (!isOver && alone.to - alone.toldAt < TOLD_EVERY) return undefined;
  alone.toldAt = alone.to;
  if (isOver) witness.alone = undefined;
  return { from: new Date(alone.from / 1_000), to: new Date((alone.to + TOLD_EVERY) / 1_000), isOver };
}

const countedOf = (all: readonly Witness[], elapsed: number): Witness[] =>
  all.filter(({ incident, awaySince }) => {
    const isThere = awaySince === undefined || elapsed - awaySince < GRACE_MS || all.length === 1;
    return isThere && incident === undefined;
  });

function reachOf(all: readonly Witness[], now: Date, elapsed: number): Date | undefined {
  const counted = countedOf(all, elapsed);
  const least = Math.min(...counted.map(({ last }) => last?.time ?? Number.NEGATIVE_INFINITY));
  if (!Number.isFinite(least)) return undefined;
  const reach = least - (all.length > 1 ? LEAD : 0);
  // Before a host was first heard, or after a hole of it, nothing is known.
  if (counted.some(({ last }) => last!.since > reach)) return undefined;
  return new Date(Math.min(reach / 1_000, now.getTime()));
}
