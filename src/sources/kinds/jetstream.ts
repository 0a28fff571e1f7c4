/**
 * Bluesky's Jetstream: every public post, over WebSockets to two hosts that vouch for each other. The cursor has the last
 * event of each host: its `seq` there, and its time for when the host answers no more for that `seq`.
 */
import { z } from 'zod';
import { pageId } from '../contract/page.ts';
import type { Source, SourceArrival, SourceContext, SourceGap } from '../contract/source.ts';
import { hostOf, SourceError } from '../fetch/source-error.ts';
import { UNREADABLE, unreadOf } from '../text/read-items.ts';
import type { ArchiveHost } from './bluesky/archive-client.ts';
import { openHost, readHost } from './bluesky/host.ts';
import type { HostCursor, HostItem } from './bluesky/host-state.ts';
import { mergeStreams } from './bluesky/merge.ts';
import { deletedIn, isTextless, pageOfEvent, postOfEvent } from './bluesky/post.ts';
import { createWitnesses, type Witness, type Witnesses } from './bluesky/witnesses.ts';

const HOSTS = ['wss://jetstream.us-east.bsky.network', 'wss://jetstream.us-west.bsky.network'] as const;

const socketAddress = z.url({ protocol: /^wss?$/, error: 'must be a ws or wss address' });

export const jetstreamOptions = z.strictObject({
  /** A host, or one of its two paths. */
  url: socketAddress.default(HOSTS[0]),
  /** A second host that vouches for the first; `none` to rely on one. */
  witness: z.union([z.literal('none'), socketAddress]).optional(),
  /** Accounts to follow, by their DIDs; all when there are none. */
  dids: z.array(z.string().startsWith('did:')).max(10_000).default([]),
  /** Seconds of silence after which it connects again. */
  stall: z.number().positive().default(60),
  /** Frames as zstd: a tenth of the bytes, and more work here. */
  compress: z.boolean().default(false),
  /** Whether the hosts' archive is read for what is older than their window; always, with a key. */
  archive: z.boolean().default(false),
  /** The key of the archive. Bluesky's hosts ask for one. */
  key: z.string().min(1).optional(),
});
type Options = z.output<typeof jetstreamOptions>;

/** The window of the hosts. A host that has less says so. */
const WINDOW_MS = 36 * 3_600_000;
/** Between two connections to one host, doubled each time. */
const PAUSES_MS = { first: 250, most: 30_000 };

export function jetstream(name: string, options: Options, pauses = PAUSES_MS): Source {
  const urls = hostsOf(options);
  return {
    name,
    kind: 'jetstream',
    replaysMs: WINDOW_MS,
    async *read(context) {
      const cursors = readCursor(await context.cursor());
      const hosts = urls.map((url) =>
        openHost({ ...options, url, archive: archiveOf(options, url) }, cursors.get(url) ?? seedOf(cursors)),
      );
      const witnesses = createWitnesses(hosts, context.clock.elapsed());
      const holes: OpenHole[] = [];
      const healing: Healing = { by: undefined };
      const streams = witnesses.all.map((witness) => keptUp(context, witness, witnesses, { pauses, healing }));
      for await (const arrived of mergeStreams(streams)) yield arrivalOf(name, context, { witnesses, holes }, arrived);
    },
  };
}

export const isBlueskyHost = (url: string): boolean =>
  HOSTS.some((host) => new URL(host).host === URL.parse(url)?.host);

/** The archive of a host; undefined when it is not asked. A key goes to its own host, or to both of Bluesky's. */
export function archiveOf(options: Options, url: string): ArchiveHost | undefined {
  const { archive, key, dids } = options;
  const isFor = url === options.url || (isBlueskyHost(url) && isBlueskyHost(options.url));
  if (key !== undefined) return isFor ? { url, key, dids } : undefined;
  return archive ? { url, dids } : undefined;
}

/** Bluesky's two hosts vouch for each other. For a host of someone else, a witness must be named. */
function hostsOf({ url, witness }: Options): string[] {
  const other = HOSTS.find((host) => host !== url);
  const second = witness ?? (HOSTS.some((host) => host === url) ? other : undefined);
  return second === undefined || second === 'none' || second === url ? [url] : [url, second];
}

const cursorShape = z.record(z.string(), z.object({ seq: z.number().optional(), time: z.number(), since: z.number() }));

/** By host. A cursor of one number is of an earlier version: a time. */
function readCursor(value: string | undefined): Map<string, HostCursor> {
  if (value === undefined) return new Map();
  if (/^\d+$/.test(value)) return new Map([['', { time: Number(value), since: Number(value) }]]);
  return new Map(Object.entries(cursorShape.parse(JSON.parse(value))));
}

/** A host that was not read before begins where the others were, by time: its `seq` is its own. */
function seedOf(cursors: Map<string, HostCursor>): HostCursor | undefined {
  const times = [...cursors.values()].map(({ time }) => time);
  return times.length === 0 ? undefined : { time: Math.min(...times), since: Math.min(...times) };
}

/** The cursor of each host stands at the event taken last: a host may have read on, and that is not stored yet. */
const cursorOf = (all: readonly Witness[]): { value: string } => ({
  value: JSON.stringify(
    Object.fromEntries(all.flatMap(({ host, last }) => (last === undefined ? [] : [[host.url, last]]))),
  ),
});

/** Which host reads its archive. */
interface Healing {
  by: Witness | undefined;
}

/** A hole that no other host has covered yet. */
interface OpenHole {
  readonly witness: Witness;
  readonly hole: { readonly from: number; readonly to: number };
}

interface WitnessItem {
  readonly witness: Witness;
  readonly item: HostItem;
  /** The host's place when it brought the item. */
  readonly last: HostCursor | undefined;
}

/** Connects to a host again and again. Throws when no other host is left that brings events. */
async function* keptUp(
  context: SourceContext,
  witness: Witness,
  { all, isCovered }: Witnesses,
  { pauses, healing }: { pauses: typeof PAUSES_MS; healing: Healing },
): AsyncIterable<WitnessItem> {
  const { clock, signal } = context;
  const isAlone = () => all.every((other) => other === witness || other.hasFailed);
  // One archive is enough: what it brings, the other host need not.
  const mayHeal = (): boolean => {
    const { last } = witness.host;
    const isOtherHere = all.some((other) => other !== witness && other.awaySince === undefined);
    const isHad = last !== undefined && isOtherHere && isCovered(witness, { from: last.time, to: last.time });
    if (isHad || (healing.by !== undefined && healing.by !== witness)) return false;
    healing.by = witness;
    return true;
  };
  let pause = pauses.first;
  while (!signal.aborted) {
    try {
      for await (const item of readHost(context, witness.host, mayHeal)) {
        witness.hasFailed = false;
        pause = pauses.first;
        yield { witness, item, last: witness.host.last };
      }
      if (healing.by === witness) healing.by = undefined;
    } catch (error) {
      if (signal.aborted) return;
      if (healing.by === witness) healing.by = undefined;
      witness.hasFailed = true;
      witness.awaySince ??= clock.elapsed();
      if (isAlone()) throw error;
      context.trouble(error instanceof Error ? error.message : String(error));
      const asked = error instanceof SourceError ? (error.retryAfter ?? 0) * 1_000 : 0;
      await clock.sleep(Math.max(asked, pause * (0.5 + Math.random() / 2)), signal);
      pause = Math.min(pause * 2, pauses.most);
    }
  }
}

function arrivalOf(
  name: string,
  context: SourceContext,
  { witnesses, holes }: { witnesses: Witnesses; holes: OpenHole[] },
  { witness, item: { event, hole, healed }, last }: WitnessItem,
): SourceArrival {
  const { all } = witnesses;
  if (hole !== undefined) {
    const gap = gapOf(context, witnesses, witness, hole);
    if (!gap.recovered) holes.push({ witness, hole });
    return { pages: [], gaps: [gap] };
  }
  witness.last = last;
  const filled = filledNow(witnesses, holes);
  if (healed !== undefined) return { pages: [], gaps: [recoveredGap(healed), ...filled], cursor: cursorOf(all) };
  if (event === undefined) return { pages: [], ...unreadFrom(witness), gaps: filled };
  const elapsed = context.clock.elapsed();
  const isNew = witnesses.take(witness, event);
  const gaps = [...filled, ...withheld(context, witnesses), ...unwitnessed(witnesses, elapsed)];
  const reaches = witnesses.reaches(context.clock.now(), elapsed);
  const deleted = isNew ? deletedIn(event) : undefined;
  const page = isNew && deleted === undefined ? pageOfEvent(name, event) : undefined;
  const post = page && postOfEvent(name, event);
  return {
    pages: page === undefined ? [] : [page],
    ...(post !== undefined && { posts: [post] }),
    cursor: cursorOf(all),
    ...(deleted !== undefined && { deleted: [pageId(name, deleted)] }),
    ...(isNew && isTextless(event) && unreadFrom(witness)),
    ...(gaps.length > 0 && { gaps }),
    ...(reaches !== undefined && { reaches }),
    ...(all.length > 1 && { failing: { addresses: witnesses.isBlind(elapsed) ? 1 : 0, of: 2 } }),
  };
}

/** An event of a host that cannot be read. */
const unreadFrom = ({ host }: Witness): Pick<SourceArrival, 'unread'> => {
  const unread = unreadOf(hostOf(host.url), [{ reason: UNREADABLE }]);
  return unread === undefined ? {} : { unread };
};

/** A certificate needs the word of both hosts. Coverage relies on one, when the other is away. */
const unwitnessed = (witnesses: Witnesses, elapsed: number): SourceGap[] =>
  witnesses.unwitnessed(elapsed).map(({ from, to, isOver }) => ({
    from,
    to,
    recovered: true,
    cause: isOver ? 'source_witnessed' : 'source_unwitnessed',
  }));

/** Another host may have brought what this one no longer has, but nobody can say whether it withheld something. */
function gapOf(
  { trouble }: SourceContext,
  witnesses: Witnesses,
  witness: Witness,
  hole: { readonly from: number; readonly to: number },
): SourceGap {
  const isCovered = witnesses.isCovered(witness, hole);
  const [from, to] = [new Date(hole.from / 1_000), new Date(hole.to / 1_000)];
  witnesses.lacks(witness, hole.to);
  const span = `${from.toISOString()} to ${to.toISOString()}`;
  if (!isCovered) trouble(`${hostOf(witness.host.url)} no longer has the events of ${span}.`);
  return { from, to, cause: isCovered ? 'source_unwitnessed' : 'source_down', recovered: isCovered };
}

/** The holes that another host has covered since: it was behind then, or read its archive. It alone gives its word for them. */
function filledNow({ isCovered }: Witnesses, holes: OpenHole[]): SourceGap[] {
  if (holes.length === 0) return [];
  const filled = holes.filter(({ witness, hole }) => isCovered(witness, hole));
  for (const one of filled) holes.splice(holes.indexOf(one), 1);
  // First that it came at all, then that one host says so.
  return filled.flatMap(({ hole }) => [recoveredGap(hole), { ...recoveredGap(hole), cause: 'source_unwitnessed' }]);
}

const recoveredGap = ({ from, to }: OpenHole['hole']): SourceGap => ({
  from: new Date(from / 1_000),
  to: new Date(to / 1_000),
  cause: 'source_down',
  recovered: true,
});

/** The events that a host withheld have come from the other one. */
const withheld = ({ trouble }: SourceContext, witnesses: Witnesses): SourceGap[] =>
  witnesses.withholding().map(({ host, from, to, count, isFirst }) => {
    const what = `${hostOf(host)} withholds posts: ${count} since ${from.toISOString()}`;
    if (isFirst) trouble(`${what}. They came from the other host; the word of this one does not count for now.`);
    return { from, to, cause: 'source_blind', recovered: true };
  });
