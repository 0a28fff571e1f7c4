/** Stories when matches leave: their parts count what is there, and go with the last of it. */
import type { Platform } from '../../domain/platform.ts';
import type { Db, Value } from '../db.ts';
import type { StoryPart } from '../nouns/stories.ts';
import type { Position } from '../order.ts';

/** Parts of a deleted rule that go, and parts that lose their oldest matches, in one transaction: each is looked up. */
const SLICE = 500;
/** Parts past retention that are taken up in one transaction. Those that go as a whole are cheap. */
const OLD_SLICE = 5_000;

const KEYS = 'unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])';
const IS_PART = 'p.story = k.story AND p.rule = k.rule AND p.platform = k.platform AND p.source = k.source';

const keysOf = (parts: readonly StoryPart[]): Value[] => [
  parts.map(({ story }) => story),
  parts.map(({ rule }) => rule),
  parts.map(({ platform }) => platform),
  parts.map(({ source }) => source),
];

/** One match after the other along the index of the story: a join may begin with every event. */
const OF_PART = `m.story = p.story AND m.platform = p.platform AND m.rule = p.rule
  AND coalesce((SELECT e.source FROM events e WHERE e.number = m.event), '') = p.source`;

/** The position of a part's next match after one, or of the one before it. */
const matchIn = (range: string, order: 'ASC' | 'DESC'): string =>
  `(SELECT m.position FROM matches m WHERE ${OF_PART} AND ${range} ORDER BY m.position ${order} LIMIT 1)`;

export interface LostMatch {
  readonly position: Position;
  readonly story: Position | null;
  readonly rule: number;
  readonly platform: Platform;
  readonly event: number;
}

/** Before their events go. Erasures keep commits out meanwhile. */
export async function takeFromStories(db: Db, lost: readonly LostMatch[]): Promise<void> {
  const told = lost.flatMap(({ story, ...match }) => (story === null ? [] : [{ ...match, story }]));
  if (told.length === 0) return;
  const events = await db.rows<{ number: number; source: string }>(
    `SELECT number, coalesce(source, '') AS source FROM events WHERE number = ANY($1)`,
    [[...new Set(told.map(({ event }) => event))]],
  );
  const sources = new Map(events.map(({ number, source }) => [number, source]));
  const gone = told.map((match) => ({ ...match, source: sources.get(match.event) ?? '' }));
  const parts = [
    ...Map.groupBy(gone, ({ story, rule, platform, source }) => `${story} ${rule} ${platform} ${source}`).values(),
  ];
  const keys = keysOf(parts.map(([first]) => first!));
  // A part has lost what is past retention before: its first match is a later one.
  await db.run(
    `UPDATE story_parts p SET matches = p.matches -
       (SELECT count(*) FROM unnest(k.gone::bigint[]) AS g (position) WHERE g.position >= p.first)
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS k (story, rule, platform, source, gone)
     WHERE ${IS_PART}`,
    [...keys, parts.map((of) => `{${of.map(({ position }) => position).join()}}`)],
  );
  await db.run(
    `DELETE FROM story_parts p USING ${KEYS} AS k (story, rule, platform, source) WHERE ${IS_PART} AND p.matches <= 0`,
    keys,
  );
  await db.run(
    `UPDATE story_parts p SET first = coalesce(${matchIn('m.position >= p.first', 'ASC')}, p.first),
       last = coalesce(${matchIn('m.position <= p.last', 'DESC')}, p.last)
     FROM ${KEYS} AS k (story, rule, platform, source)
     WHERE ${IS_PART} AND (p.first = ANY($5::bigint[]) OR p.last = ANY($5::bigint[]))`,
    [...keys, gone.map(({ position }) => position)],
  );
}

/** Parts lose what is past retention before it is out of sight. False when none has anything of it. */
export async function trimStoryParts(db: Db, below: Position): Promise<boolean> {
  const parts = await db.rows<{ place: string; first: Position; last: Position }>(
    `SELECT ctid::text AS place, first, last FROM story_parts WHERE first < $1 ORDER BY first LIMIT ${OLD_SLICE} FOR UPDATE`,
    [below],
  );
  const newest = parts.at(-1)?.first;
  if (newest === undefined) return false;
  const lasting = parts.filter(({ last }) => last >= below).slice(0, SLICE);
  await db.run('DELETE FROM story_parts WHERE first <= $1 AND last < $2', [newest, below]);
  await db.run(
    `UPDATE story_parts p SET first = coalesce(${matchIn('m.position >= $2', 'ASC')}, p.last),
       matches = p.matches - (SELECT count(*) FROM matches m WHERE ${OF_PART} AND m.position >= p.first AND m.position < $2)
     WHERE p.ctid = ANY($1::tid[])`,
    [lasting.map(({ place }) => place), below],
  );
  return true;
}

/** False when a deleted rule has no part in any story. */
export const dropStoryParts = async (db: Db, rule: number): Promise<boolean> =>
  (await db.run(
    `DELETE FROM story_parts WHERE ctid = ANY(ARRAY(SELECT ctid FROM story_parts WHERE rule = $1 LIMIT ${SLICE}))`,
    [rule],
  )) > 0;
