/**
 * The posts that X announces as deleted, on its compliance stream. Large levels have it, in four parts that are read side by
 * side. A part replays up to five minutes, or from a time on; a repeat does no harm.
 */
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { recordIn, textIn } from '../../base/json.ts';
import type { Deletions } from '../platform.ts';
import { LineSplitter, parseRecord } from './lines.ts';
import type { OpenResult, PathOpener } from './open-stream.ts';
import { xIdIn } from './wire.ts';

const COMPLIANCE_PATH = '/2/tweets/compliance/stream';
export const DELETION_PARTS = ['1', '2', '3', '4'] as const;

const MINUTE = 60_000;
/** X replays this much of what was missed without a time. */
const BACKFILL_MS = 5 * MINUTE;
/** X sends a heartbeat every 20 seconds. Without a byte for this long the connection is dead. */
const SILENCE_MS = MINUTE;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * MINUTE;
/** After the token was refused, or the level has no such stream. */
const REFUSED_PAUSE_MS = 60 * MINUTE;

interface Deps {
  readonly open: PathOpener;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

/** Runs until the signal aborts, and connects again by itself. */
export async function* readDeletions(
  deps: Deps,
  part: string,
  since: Date | undefined,
  signal: AbortSignal,
): AsyncGenerator<Deletions> {
  const { open, clock } = deps;
  let from = since;
  let pause = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const opened = await open(deletionPath(part, from, clock.now()), signal);
    if (opened.kind === 'open') {
      from ??= opened.date;
      for await (const deletions of readBody(opened.body, clock, signal)) {
        pause = FIRST_PAUSE_MS;
        from = deletions.through;
        yield deletions;
      }
    } else {
      from = afterRefusal(deps, opened, part, from);
      pause = isRefused(opened) ? REFUSED_PAUSE_MS : pause;
    }
    await clock.sleep(pause, signal);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** A short time away is asked for in minutes, a longer one by its beginning. By a clock that is behind X's it may seem to be none. */
export function deletionPath(part: string, from: Date | undefined, now: Date): string {
  const query = new URLSearchParams({ partition: part });
  const away = from === undefined ? 0 : now.getTime() - from.getTime();
  if (from !== undefined && away > BACKFILL_MS) query.set('start_time', from.toISOString());
  else if (from !== undefined) query.set('backfill_minutes', String(Math.max(1, Math.ceil(away / MINUTE))));
  return `${COMPLIANCE_PATH}?${query.toString()}`;
}

const isRefused = (result: OpenResult): boolean =>
  result.kind === 'refused' && (result.status === 401 || result.status === 403);

/** The time to go on from. What lies further back than X replays is lost, and said to be. */
function afterRefusal(
  { clock, log }: Deps,
  result: Exclude<OpenResult, { kind: 'open' }>,
  part: string,
  from: Date | undefined,
): Date | undefined {
  if (result.kind !== 'refused' || result.status !== 400 || from === undefined) {
    const reason = result.kind === 'refused' ? `${result.status} ${result.problem.title}` : result.message;
    log.warn({ platform: 'x', part, reason }, 'deletions that X announces cannot be read at the moment');
    return from;
  }
  const next = new Date(clock.now().getTime() - BACKFILL_MS);
  log.warn(
    { platform: 'x', part, from: from.toISOString(), to: next.toISOString() },
    'X does not replay deletions from this time; erase the posts that a compliance job lists',
  );
  return next;
}

/** Yields the deletions of one connection, in pieces as they come. It ends with the connection. */
async function* readBody(body: Readable, clock: Clock, signal: AbortSignal): AsyncGenerator<Deletions> {
  const lines = new LineSplitter();
  const silence = createSilence(clock, () => body.destroy());
  const stop = () => body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      silence.heard();
      const found = lines.feed(chunk).flatMap((line) => ('bytes' in line ? (deletionIn(line.bytes) ?? []) : []));
      if (found.length === 0) continue;
      const through = Math.max(...found.map(({ at }) => at));
      yield { postIds: found.flatMap(({ postId }) => postId ?? []), through: new Date(through) };
    }
  } catch {
    // The connection broke, or was ended above.
  } finally {
    silence.end();
    signal.removeEventListener('abort', stop);
    body.destroy();
  }
}

function createSilence(clock: Clock, onSilence: () => void) {
  let waiting = new AbortController();
  const wait = async ({ signal }: AbortController): Promise<void> => {
    await clock.sleep(SILENCE_MS, signal);
    if (!signal.aborted) onSilence();
  };
  void wait(waiting);
  return {
    heard() {
      waiting.abort();
      waiting = new AbortController();
      void wait(waiting);
    },
    end: () => waiting.abort(),
  };
}

/** A post that may no longer be shown. Other events, such as an edit, name no post to erase and move the time alone. */
export function deletionIn(line: Uint8Array): { readonly postId: string | undefined; readonly at: number } | undefined {
  const parsed = parseRecord(line);
  const data = 'broken' in parsed ? undefined : recordIn(recordIn(parsed.value)?.['data']);
  const [kind, event] = Object.entries(data ?? {})[0] ?? [];
  const record = recordIn(event);
  const at = Date.parse(textIn(record?.['event_at']) ?? '');
  if (Number.isNaN(at)) return undefined;
  const isGone = kind === 'delete' || kind === 'drop';
  return { postId: isGone ? xIdIn(recordIn(record?.['tweet'])?.['id']) : undefined, at };
}
