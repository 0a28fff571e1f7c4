/** `/2/tweets/compliance/stream`: posts that were deleted, in four parts, with a replay of five minutes or from a time on. */
import type { Clock } from '../../src/base/clock.ts';
import { type Answer, type Call, type Outcome, TAKEN } from '../http.ts';
import { openWire, type Wire } from '../wire.ts';
import { invalidRequest, problem } from './problems.ts';

const HEARTBEAT = 20_000;
const MINUTE = 60_000;
const PARTS = 4;

interface Deletion {
  readonly id: string;
  readonly at: number;
}

export interface Compliance {
  open(call: Call, headers: Readonly<Record<string, string>>): Outcome;
  /** The post was deleted: every reader of its part is told. */
  delete(id: string): void;
  /** Ends all connections. */
  close(): void;
  readonly connections: number;
}

export function createCompliance(clock: Clock, isOffered: boolean): Compliance {
  const deletions: Deletion[] = [];
  const readers = new Map<Wire, number>();

  return {
    open(call, headers) {
      if (!isOffered) return NOT_ENROLLED;
      const part = call.query.get('partition') ?? '';
      if (!/^[1-4]$/.test(part))
        return invalidRequest(
          'partition',
          [part],
          `The \`partition\` query parameter value [${part}] is not between 1 and 4`,
        );
      const from = beginning(call.query, clock.now().getTime());
      if (typeof from !== 'number') return from;
      const wire = openWire(call.request, { headers: { ...headers, 'content-type': 'application/json' }, gzip: true });
      readers.set(wire, Number(part));
      wire.signal.addEventListener('abort', () => readers.delete(wire));
      void beat(clock, wire);
      for (const deletion of deletions)
        if (deletion.at >= from && partOf(deletion.id) === Number(part)) wire.send(lineOf(deletion));
      return TAKEN;
    },
    delete(id) {
      const deletion = { id, at: clock.now().getTime() };
      deletions.push(deletion);
      for (const [wire, part] of readers) if (part === partOf(id)) wire.send(lineOf(deletion));
    },
    close() {
      for (const wire of readers.keys()) wire.close('end');
    },
    get connections() {
      return readers.size;
    },
  };
}

/** By the last digits of the id. */
const partOf = (id: string): number => (Number(id.slice(-4).replaceAll(/\D/g, '0')) % PARTS) + 1;

const NOT_ENROLLED: Answer = problem(403, {
  client_id: '12345678',
  detail: 'The compliance stream is not part of your access level.',
  title: 'Client Forbidden',
  required_enrollment: 'Enterprise',
  reason: 'client-not-enrolled',
  type: 'https://api.twitter.com/2/problems/client-forbidden',
});

function beginning(query: URLSearchParams, now: number): number | Answer {
  const [minutes, start] = [query.get('backfill_minutes'), query.get('start_time')];
  if (minutes !== null && !/^[1-5]$/.test(minutes))
    return invalidRequest('backfill_minutes', [minutes], `The value [${minutes}] is not between 1 and 5`);
  if (start === null) return minutes === null ? Number.POSITIVE_INFINITY : now - Number(minutes) * MINUTE;
  const from = Date.parse(start);
  return Number.isNaN(from) ? invalidRequest('start_time', [start], `The value [${start}] is not a time`) : from;
}

async function beat(clock: Clock, wire: Wire): Promise<void> {
  while (!wire.signal.aborted) {
    await clock.sleep(HEARTBEAT, wire.signal);
    if (!wire.signal.aborted) wire.send('\r\n');
  }
}

const lineOf = ({ id, at }: Deletion): string =>
  `${JSON.stringify({ data: { delete: { tweet: { id, author_id: '2244994945' }, event_at: new Date(at).toISOString() } } })}\r\n`;
