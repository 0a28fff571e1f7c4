/** Erasing posts: their matches go at once, a tombstone keeps them out, and removal takes their text off the disk. */
import type { Platform } from '../../domain/platform.ts';
import { decodeText } from '../rows/texts.ts';
import { announcedEnd, EVERY_ACCOUNT, eventText, NOTHING_ERASED, postText, tombstoneEnd } from '../rows/tombstones.ts';
import type { AnnouncedOptions, Erasure } from '../store.ts';
import { accountNumber } from './accounts.ts';
import { transaction } from './connection.ts';
import { hideRecent, ringOwners } from './erased.ts';
import { EVENTS_OF_POST, namesOf } from './event-names.ts';
import { eraseSamples } from './rehearsals.ts';
import { type Doomed, doomedSql, removeMatches } from './remove-matches.ts';
import type { Sql } from './sql.ts';
import { addTombstone, eventSlice, refusalsIn, storedVersions } from './tombstones.ts';

/** By way of the event: an account may have millions of matches. */
const OF_POST = doomedSql(`(SELECT * FROM matches INDEXED BY matches_of_event
  WHERE event IN (${EVENTS_OF_POST}))`);

/** `freed` hears that pages of the log may hold what was erased. */
export const erasureWrites = (sql: Sql, days: number, freed: () => void) => {
  const erasing = <T>(work: () => T): T => {
    freed();
    return transaction(sql, work);
  };
  return {
    deleteMatches: (accountId: string, platform: Platform, postId: string, now: Date): number =>
      erasing(() => {
        const account = accountNumber(sql, accountId);
        if (account === undefined) return 0;
        addTombstone(sql, account, eventText(platform, postId), tombstoneEnd(now, days));
        hideRecent(sql, accountId, platform, postId);
        eraseSamples(sql, platform, postId, account);
        const matches = ofPost(sql, platform, postId).filter((one) => one.account === account);
        return erase(sql, matches).matches;
      }),
    eraseEverywhere: (platform: Platform, postId: string, now: Date): Erasure =>
      erasing(() => {
        addTombstone(sql, EVERY_ACCOUNT, eventText(platform, postId), tombstoneEnd(now, days));
        for (const owner of ringOwners(sql, platform)) hideRecent(sql, owner, platform, postId);
        eraseSamples(sql, platform, postId);
        return erase(sql, ofPost(sql, platform, postId));
      }),
    eraseAnnounced: (
      platform: Platform,
      postIds: readonly string[],
      { onlyStored = false }: AnnouncedOptions,
      now: Date,
    ): Erasure => {
      // Most of what a platform announces was never stored: it costs a look.
      const ids = onlyStored ? postIds.filter((id) => storedVersions(sql, platform, id).length > 0) : postIds;
      if (ids.length === 0) return NOTHING_ERASED;
      return erasing(() => {
        const doomed = ids.flatMap((postId) => {
          const versions = storedVersions(sql, platform, postId);
          const until = versions.length > 0 ? tombstoneEnd(now, days) : announcedEnd(now);
          addTombstone(sql, EVERY_ACCOUNT, postText(platform, postId), until);
          for (const version of versions) eraseSamples(sql, platform, version);
          return versions.flatMap((version) => ofPost(sql, platform, version));
        });
        return erase(sql, doomed);
      });
    },
    applyTombstones: (from: number): { erased: number; next: number | undefined } =>
      erasing(() => {
        // The rings and samples of a restored file may hold what was erased: previews begin anew.
        if (from === 0)
          for (const table of ['recent', 'recent_totals', 'recent_erased', 'rehearsal_samples'])
            sql.run(`DELETE FROM ${table}`);
        const events = eventSlice(sql, from);
        const doomed = [...Map.groupBy(events, ({ platform }) => platform)].flatMap(([platform, slice]) =>
          refusedIn(sql, platform, slice),
        );
        const last = events.at(-1);
        return { erased: erase(sql, doomed).matches, next: last === undefined ? undefined : last.number + 1 };
      }),
  };
};

function refusedIn(sql: Sql, platform: Platform, events: readonly { post_id: string }[]): Doomed[] {
  const named = events.map(({ post_id }) => ({ postId: decodeText(post_id) }));
  const refusals = refusalsIn(sql, platform, named);
  return named.flatMap((event) =>
    ofPost(sql, platform, event.postId).filter(({ account }) => refusals.isRefused(event, account)),
  );
}

const ofPost = (sql: Sql, platform: Platform, postId: string): Doomed[] =>
  sql.rows<Doomed>(OF_POST, namesOf(platform, postId));

/** A post that is stored twice, pushed and seen by all accounts, may name its matches twice. */
function erase(sql: Sql, doomed: readonly Doomed[]): Erasure {
  const matches = [...new Map(doomed.map((match) => [match.position, match])).values()];
  removeMatches(sql, matches, { erase: true });
  const accounts = [...new Set(matches.map(({ account }) => account))];
  return {
    matches: matches.filter(({ deleted }) => deleted === 0).length,
    accountIds: accounts.map(
      (number) => sql.row<{ id: string }>('SELECT id FROM accounts WHERE number = ?', [number])!.id,
    ),
  };
}
