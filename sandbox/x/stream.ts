/** `/2/tweets/search/stream`: the live stream, its backfill, and the replay of an interval. */
import { serverError } from '../context.ts';
import { type Answer, type Call, LOST, type Outcome, TAKEN } from '../http.ts';
import { openWire, type Wire } from '../wire.ts';
import { readSelection } from './fields.ts';
import {
  invalidRequest,
  NO_RULES,
  problem,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_REQUESTS,
  USAGE_CAPPED,
} from './problems.ts';
import { XSender } from './sender.ts';
import { isEnterprise, type KeptPost, type XState } from './state.ts';

const HEARTBEAT = 20_000;
/** The intervals of X3, in turn. */
const UNEVEN = [19_000, 21_500, 20_300, 19_600, 21_200];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MOST_RECOVERIES = 2;
/** A reader that is more bytes behind is disconnected. */
const MOST_WAITING = 64 * 1024 * 1024;

/** The senders that get new posts. */
export type Live = Set<Pick<XSender, 'deliver' | 'strike'>>;

export function openXStream(state: XState, live: Live, call: Call, headers: Readonly<Record<string, string>>): Outcome {
  const refused = refusalOf(state);
  if (refused !== undefined) return refused;
  const selection = readSelection(call.query);
  if ('status' in selection) return selection;
  const span = readSpan(state, call.query);
  if ('status' in span) return span;
  if (state.book.size === 0 || state.context.faults.take('X19') !== undefined) return NO_RULES;
  const full = fullness(state, span.interval !== undefined);
  if (full !== undefined) return full;

  const wire = openWire(call.request, { headers: { ...headers, 'content-type': 'application/json' }, gzip: true });
  const stream = state.context.nextStream();
  const sender = new XSender(state.context, wire, selection, stream);
  state.connections.add(span.interval ? 'recovery' : 'live', wire, call.request.socket.remoteAddress ?? '');
  void beat(state, wire);
  if (span.interval !== undefined) void recover(state, span.interval, wire, sender);
  else follow(state, live, span, wire, sender);
  return TAKEN;
}

/** Faults that refuse a connection. */
function refusalOf({ context: { clock, faults } }: XState): Outcome | undefined {
  if (faults.take('X5', ({ on }) => on === 'connect') !== undefined) return LOST;
  const broken = faults.take('X6');
  if (broken !== undefined) return serverError(broken.status);
  const limited = faults.take('X7');
  if (limited !== undefined) {
    const now = clock.now().getTime() + limited.skew * 1_000;
    const headers = {
      ...TOO_MANY_REQUESTS.headers,
      date: new Date(now).toUTCString(),
      'x-rate-limit-remaining': '0',
      'x-rate-limit-reset': String(Math.floor(now / 1_000) + limited.seconds),
    };
    return { ...TOO_MANY_REQUESTS, headers };
  }
  return faults.take('X9') === undefined ? undefined : USAGE_CAPPED;
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

interface Span {
  /** How many milliseconds to reach back before the live posts. */
  readonly backfill: number;
  readonly interval: Interval | undefined;
}

function readSpan(state: XState, query: URLSearchParams): Span | Answer {
  const [minutes, start, end] = ['backfill_minutes', 'start_time', 'end_time'].map((name) => query.get(name));
  const now = state.context.clock.now().getTime();
  if (minutes != null && !/^[0-5]$/.test(minutes)) {
    const message = `The \`backfill_minutes\` query parameter value [${minutes}] is not between 0 and 5`;
    return invalidRequest('backfill_minutes', [minutes], message);
  }
  const asked = (minutes != null && minutes !== '0') || start != null || end != null;
  if (asked && (!isEnterprise(state) || state.replayFrom > now - DAY)) return notEntitled();
  if (start == null && end == null) return { backfill: Number(minutes ?? 0) * MINUTE, interval: undefined };
  const from = Date.parse(start ?? '');
  const to = end == null ? now : Date.parse(end);
  if (Number.isNaN(from)) return badTime('start_time', start);
  if (Number.isNaN(to) || to <= from || to > now + MINUTE) return badTime('end_time', end);
  if (from < now - DAY - MINUTE) return badTime('start_time', start);
  return { backfill: 0, interval: { from, to } };
}

const badTime = (name: string, value: string | null | undefined): Answer =>
  invalidRequest(
    name,
    [value ?? ''],
    `The \`${name}\` query parameter value [${value ?? ''}] is not a time within the last 24 hours`,
  );

export const notEntitled = (): Answer =>
  problem(403, {
    client_id: '12345678',
    detail: 'Backfill, recovery and webhooks are not part of your access level.',
    title: 'Client Forbidden',
    required_enrollment: 'Enterprise',
    reason: 'client-not-enrolled',
    type: 'https://api.twitter.com/2/problems/client-forbidden',
  });

function fullness(state: XState, isRecovery: boolean): Answer | undefined {
  const { connections } = state;
  if (isRecovery) return connections.open('recovery').length < MOST_RECOVERIES ? undefined : TOO_MANY_CONNECTIONS;
  const most = isEnterprise(state) ? 2 : 1;
  if (connections.open('live', 'phantom').length < most) return undefined;
  if (connections.open('phantom').length > 0) state.onPhantom();
  return TOO_MANY_CONNECTIONS;
}

async function beat({ context: { clock, faults } }: XState, wire: Wire): Promise<void> {
  for (let turn = 0; !wire.signal.aborted; turn++) {
    const pause = faults.take('X3') === undefined ? HEARTBEAT : UNEVEN[turn % UNEVEN.length]!;
    await clock.sleep(pause, wire.signal);
    if (!wire.signal.aborted) wire.send('\r\n');
  }
}

function follow(state: XState, live: Live, { backfill }: Span, wire: Wire, sender: XSender): void {
  const { clock, faults } = state.context;
  const again = faults.take('X12', ({ reconnect }) => reconnect);
  if (again !== undefined) for (const post of state.posts.slice(-again.copies)) sender.deliver(post);
  if (backfill > 0) {
    const more = (faults.take('X14')?.seconds ?? 0) * 1_000;
    const now = clock.now().getTime();
    for (const post of postsBetween(state, now - backfill - more, now)) sender.deliver(post);
  }
  const limited = {
    deliver(post: KeptPost) {
      sender.deliver(post);
      if (wire.waiting > MOST_WAITING) wire.close('reset');
    },
    strike: () => sender.strike(),
  };
  live.add(limited);
  wire.signal.addEventListener('abort', () => live.delete(limited));
  sender.strike();
}

const postsBetween = ({ posts, replayFrom }: XState, from: number, to: number): KeptPost[] =>
  posts.filter(({ at }) => at >= Math.max(from, replayFrom) && at <= to);

async function recover(state: XState, { from, to }: Interval, wire: Wire, sender: XSender): Promise<void> {
  const posts = postsBetween(state, from, to);
  const cut = state.context.faults.take('X17');
  const last = cut === undefined ? posts.length : cut.count > 0 ? cut.count : Math.floor(posts.length / 2);
  for (const post of posts.slice(0, last)) {
    if (wire.signal.aborted) return;
    sender.deliver(post);
    await wire.drained();
  }
  wire.close(cut === undefined ? 'end' : 'reset');
}
