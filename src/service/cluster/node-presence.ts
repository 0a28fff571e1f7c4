/**
 * This node among the others on the store: it reports which rule changes it has applied, and the others wait for it until
 * its last report is seven seconds old.
 */
import type { Clock } from '../../base/clock.ts';
import type { NodeReport, Store } from '../../store/store.ts';

/** The other nodes wait this long for a node after its last report. */
const PRESENT_FOR_MS = 7_000;
const REPORT_EVERY_MS = 2_000;

export interface NodePresence {
  /** Reports what this node has applied: at once when `isNews`, else when a report is due. */
  report(applied: number, isNews: boolean): Promise<void>;
  /** Until when the others wait for this node, on the clock of `elapsed`. */
  readonly presentUntil: number;
  /** How many milliseconds the clock of this node is ahead of the store's, within about a round trip. */
  readonly clockAhead: number;
  /** How many nodes answer requests, this one among them: they share the request limit of a key. */
  readonly apis: number;
}

export function createNodePresence(
  store: Pick<Store, 'reportNode' | 'nodes'>,
  clock: Clock,
  node: Pick<NodeReport, 'id' | 'roles'>,
): NodePresence {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let countedAt = Number.NEGATIVE_INFINITY;
  let apis = 1;
  let clockAhead = 0;

  async function countApis(): Promise<void> {
    countedAt = clock.elapsed();
    const others = (await store.nodes(clock.now())).filter(({ id, roles }) => id !== node.id && roles.includes('api'));
    apis = 1 + others.length;
  }

  return {
    async report(applied, isNews) {
      const begun = clock.elapsed();
      if (isNews || begun - reportedAt >= REPORT_EVERY_MS) {
        const asked = clock.now();
        const told = await store.reportNode({ ...node, applied }, asked, PRESENT_FOR_MS);
        // The store looked at its clock somewhere on the way.
        clockAhead = asked.getTime() + (clock.elapsed() - begun) / 2 - told.getTime();
        reportedAt = begun;
      }
      if (begun - countedAt >= REPORT_EVERY_MS) await countApis();
    },
    get presentUntil() {
      return reportedAt + PRESENT_FOR_MS;
    },
    get clockAhead() {
      return clockAhead;
    },
    get apis() {
      return apis;
    },
  };
}
