/**
 * One visit to a source of accounts. It is read once for all that have it, and what is new is taken in for each of them as an event of
 * its own. The cursor is stored in the commit of the last of these events: a crash before it repeats the visit, and a repeat is the
 * same match. An owner that came later, or rested, first reads what the others know already.
 */
import type { Clock } from '../../base/clock.ts';
import type { Seal } from '../../delivery/webhooks/seal.ts';
import type { Page } from '../../sources/contract/page.ts';
import type { Post } from '../../sources/contract/post.ts';
import type { Source, SourceGap } from '../../sources/contract/source.ts';
import type { Browser } from '../../sources/fetch/browser.ts';
import { type SourceSecret, visitedConfig } from '../../sources/kinds/account-source.ts';
import { createSource } from '../../sources/kinds/kinds.ts';
import type { SharedReader } from '../../sources/reading/document-reader.ts';
import { type Sink, visitSource } from '../../sources/run.ts';
import type { FetchOwner, SourceFetch, SourceUse, Store } from '../../store/store.ts';
import type { AccountUses } from '../accounts/account-uses.ts';
import type { Ingest } from '../ingest/ingest.ts';
import { beginPart, type VisitPart } from './parts.ts';
import type { AnswersSeen, VisitHttp } from './visit-http.ts';

interface SinkFor {
  /** They have read nothing yet, so that all that is there is new to them. Where others go on from the cursor, it stays theirs. */
  readonly isFirst: boolean;
  readonly movesCursor: boolean;
  /** How many events each source got. */
  readonly events: Map<string, number>;
}

/** The events of a visit go to each of its owners, as events of that account alone. */
function sinkFor(
  { store, ingest, confirm }: { store: Store; ingest: Pick<Ingest, 'add'>; confirm: () => Promise<void> },
  owners: readonly FetchOwner[],
  { isFirst, movesCursor, events }: SinkFor,
): Sink {
  return {
    cursor: async (name) => (isFirst ? undefined : store.cursor(name)),
    async add(pages, cursor, posts) {
      const refused: string[] = [];
      const parts = partsFor(owners, pages, posts);
      const mark = movesCursor ? cursor : undefined;
      for (const [at, { owner, platform, payloads }] of parts.entries()) {
        await confirm();
        const given = await ingest.add(
          platform,
          payloads,
          owner.sourceId,
          at === parts.length - 1 ? mark : undefined,
          owner.accountId,
        );
        refused.push(...given);
        events.set(owner.sourceId, (events.get(owner.sourceId) ?? 0) + payloads.length - given.length);
      }
      return refused.slice(0, Math.max(pages.length, posts.length));
    },
    // Kinds that are visited hear of no deletions.
    erase: async () => {},
    noteGaps: (gaps) => noteGapsOf(store, owners, gaps),
  };
}

/** The events that each owner gets on each platform; without events one part is left for the cursor. */
function partsFor(owners: readonly FetchOwner[], pages: readonly Page[], posts: readonly Post[]) {
  const parts = owners.flatMap((owner) =>
    owner.platforms.map((platform) => ({
      owner,
      platform,
      payloads: platform === 'x' ? posts : pages.map((page) => namedFor(owner, page)),
    })),
  );
  const full = parts.filter(({ payloads }) => payloads.length > 0);
  return full.length === 0 ? parts.slice(0, 1) : full;
}

/** A page tells the name that its reader gave the source. */
const namedFor = ({ name }: FetchOwner, page: Page): Page => ({ ...page, source: { ...page.source, name } });

/** Gaps of an account are told to that account alone. */
async function noteGapsOf(store: Pick<Store, 'noteGaps'>, owners: readonly FetchOwner[], gaps: readonly SourceGap[]) {
  await store.noteGaps(
    owners.flatMap(({ accountId, sourceId, platforms }) =>
      platforms.flatMap((platform) =>
        gaps.map(({ cause, ...gap }) => ({
          ...gap,
          platform,
          accountId,
          source: sourceId,
          cause: `${cause}:${sourceId}`,
        })),
      ),
    ),
  );
}

export interface VisitDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ingest: Pick<Ingest, 'add'>;
  readonly seal: Seal;
  readonly http: VisitHttp;
  readonly reader: SharedReader;
  readonly uses: Pick<AccountUses, 'add'>;
  /** For pages that are made by scripts. */
  readonly browser: Browser | undefined;
  readonly signal: AbortSignal;
  /** A visit ends after so many milliseconds, and goes on later. */
  readonly partMs: number;
  /** The address to begin with: those before it were visited by earlier parts. */
  readonly from: number;
  /** Whether those that it reads for may make no more fetches, after some. */
  isSpent(used: SourceUse): boolean;
  /** Throws when another node visits in our place. */
  confirm(): Promise<void>;
  /** Like `confirm`, at the moment of a request and without asking the store. */
  assertHeld(): void;
}

/** The outcome of a visit. */
export interface VisitOutcome extends AnswersSeen {
  /** The problem; undefined when all addresses answered as they should. */
  readonly problem: string | undefined;
  /** Whether one of the addresses did, at least. */
  readonly hasAnswered?: boolean | undefined;
  /** Events by the id of the source that got them. */
  readonly events: ReadonlyMap<string, number>;
  /** The ids of sources for which no address could be read. */
  readonly unread: ReadonlySet<string>;
  /** The bytes and requests that were fetched for a source. */
  useOf(sourceId: string): SourceUse;
  /** The address that the next part of the visit begins with; undefined when all were visited. */
  readonly next?: number | undefined;
}

const ORDER = ['x', 'firehose'] as const;

/** Throws what the store throws, and when another node has taken over. */
export async function visit(deps: VisitDeps, fetch: SourceFetch, owners: readonly FetchOwner[]): Promise<VisitOutcome> {
  const secret = secretOf(deps.seal, fetch.secret);
  const events = new Map<string, number>();
  const { http, seen } = deps.http.open(fetch.host, secret ?? undefined, deps.assertHeld);
  const config = secret === null ? { problem: UNREADABLE } : visitedConfig(fetch.key, fetch, secret);
  const uses = new Map<string, SourceUse>();
  const useOf = (sourceId: string) => uses.get(sourceId) ?? { bytes: 0, fetches: 0 };
  const unread = new Set<string>();
  const markUnread = (some: readonly FetchOwner[]) => {
    for (const { sourceId } of some) unread.add(sourceId);
  };
  if ('problem' in config) {
    markUnread(owners);
    return { ...seen, events, useOf, unread, problem: config.problem };
  }
  const source = createSource(config);
  const rounds = roundsFor(fetch, owners);
  // An owner that comes later reads all addresses in one visit: the next one takes it for one of the others.
  const part =
    rounds.length === 1 ? beginPart(deps.clock, deps.from, deps.partMs, () => deps.isSpent(seen)) : undefined;
  let problem: string | undefined;
  let hasAnswered = false;
  for (const { to, ...how } of rounds) {
    if (unread.size > 0) {
      // A page that could not be read for the others is not asked for a second time: it was asked for all of them.
      markUnread(to);
      const shared = useOf(rounds[0]!.to[0]!.sourceId);
      for (const { sourceId } of to) uses.set(sourceId, shared);
      break;
    }
    const { bytes, fetches } = seen;
    const found = await readFor(deps, source, to, { ...how, events, http, part, through: fetch.lastGoodAt });
    problem = found.problem ?? problem;
    hasAnswered ||= found.hasAnswered;
    if (found.isUnread) markUnread(to);
    // An owner that comes later does not pay for the others, nor they for it.
    for (const { sourceId } of to) uses.set(sourceId, { bytes: seen.bytes - bytes, fetches: seen.fetches - fetches });
  }
  return { ...seen, events, useOf, unread, problem, hasAnswered, next: part?.next };
}

interface RoundPlan extends Omit<SinkFor, 'events'> {
  readonly to: readonly FetchOwner[];
}

function roundsFor({ visits }: SourceFetch, owners: readonly FetchOwner[]): RoundPlan[] {
  const fresh = owners.filter(({ isFresh }) => isFresh);
  const settled = owners.filter(({ isFresh }) => !isFresh);
  return [
    // The cursors of a source that was never visited are of one that was deleted during a visit, and added again.
    ...(settled.length > 0 ? [{ to: settled, isFirst: visits === 0, movesCursor: true }] : []),
    // After the others: what is published between the two comes again with the next visit, and is not skipped.
    ...(fresh.length > 0 ? [{ to: fresh, isFirst: true, movesCursor: settled.length === 0 }] : []),
  ];
}

/** It was sealed with another key. */
const UNREADABLE = 'Its secret cannot be read any more. Change the source, and give its secret again.';

/** Null when it was sealed with another key. */
function secretOf(seal: Seal, sealed: string | undefined): SourceSecret | undefined | null {
  if (sealed === undefined) return undefined;
  const text = seal.unseal(sealed);
  return text === undefined ? null : (JSON.parse(text) as SourceSecret);
}

interface Round extends SinkFor {
  readonly http: ReturnType<VisitHttp['open']>['http'];
  readonly part: VisitPart | undefined;
  /** Up to when earlier visits were complete. */
  readonly through: Date | undefined;
}

interface RoundFound {
  readonly problem: string | undefined;
  readonly hasAnswered: boolean;
  readonly isUnread: boolean;
}

async function readFor(
  deps: VisitDeps,
  source: Source,
  owners: readonly FetchOwner[],
  { http, part, through, ...round }: Round,
): Promise<RoundFound> {
  const { clock, browser, signal, uses } = deps;
  const reader = deps.reader.for({
    owner: owners[0]!.accountId,
    signal,
    // Accounts that share a source share what it takes to read it.
    onCpu: (milliseconds) => {
      for (const { accountId } of owners) uses.add(accountId, { cpu_ms: milliseconds / owners.length });
    },
  });
  let problem: string | undefined;
  let hasAnswered = false;
  const onLive = () => {
    hasAnswered = true;
  };
  const platforms = ORDER.filter((platform) => owners.some((owner) => owner.platforms.includes(platform)));
  const figures = await visitSource(heard(source, onLive), sinkFor(deps, owners, round), {
    clock,
    http,
    reader,
    browser,
    signal,
    platforms,
    part,
    through,
    onTrouble: (message) => {
      problem ??= message;
    },
  });
  if (figures.state === 'live') return { problem: undefined, hasAnswered, isUnread: false };
  const isUnread = figures.state !== 'blind' && figures.events === 0;
  return { problem: problem ?? 'It did not answer.', hasAnswered, isUnread };
}

/** A source whose addresses are heard of when they answer. */
const heard = (source: Source, onLive: () => void): Source => ({
  ...source,
  read: (context) =>
    source.read({
      ...context,
      live() {
        onLive();
        context.live();
      },
    }),
});
