/** The events of a visit go to each of its owners, as events of that account alone. */
import type { Page } from '../../sources/contract/page.ts';
import type { Post } from '../../sources/contract/post.ts';
import type { SourceGap } from '../../sources/contract/source.ts';
import type { Sink } from '../../sources/run.ts';
import type { FetchOwner, Store } from '../../store/store.ts';
import type { Ingest } from '../ingest/ingest.ts';

export interface SinkFor {
  /** They have read nothing yet, so that all that is there is new to them. Where others go on from the cursor, it stays theirs. */
  readonly isFirst: boolean;
  readonly movesCursor: boolean;
  /** How many events each source got. */
  readonly events: Map<string, number>;
}

export function sinkFor(
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
