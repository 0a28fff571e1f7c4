/**
 * The way from stored matches to matches that are given out: stored match, highlights, relevance, shown match. Lists, streams,
 * webhooks, exports, feeds and tools all read here, so that they show the same.
 */
import type { Clock } from '../../base/clock.ts';
import { pausesBetweenPieces, piecesOf } from '../../base/cooperate.ts';
import { createLru } from '../../base/lru.ts';
import { createVersionedCache, type VersionedCache } from '../../base/versioned-cache.ts';
import {
  type Highlight,
  type Match,
  type StoredMatch,
  type StoredStory,
  type Story,
  withPayload,
} from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Query } from '../../rules/query.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { AfterPage, AfterQuery, MatchPage, MatchQuery, Store, StoryPage, StoryQuery } from '../../store/store.ts';
import { highlightToJson, matchHead, matchToJson } from '../shapes.ts';
import { createReadEvents, type ReadEvent, type ReadEvents } from './read-events.ts';
import type { JudgedRelevance, Relevance } from './relevance.ts';
import { storyTitle } from './story-title.ts';

export interface Reader {
  /** Newest first. */
  page(query: MatchQuery): Promise<ShownPage>;
  /** Oldest first. */
  after(query: AfterQuery): Promise<ShownAfterPage>;
  one(accountId: string, matchId: string): Promise<Match | undefined>;
  /** The matches that a webhook is owed. */
  owed(webhookId: string, until: Date, limit: number, bytes: number): Promise<Match[]>;
  at(positions: readonly number[]): Promise<Match[]>;
  stories(query: StoryQuery): Promise<ShownStoryPage>;
  /** Stories with their texts, which are kept for readers that come back to them. */
  toldStories(query: StoryQuery): Promise<Omit<StoryPage, 'stories'> & { readonly stories: ToldStory[] }>;
  /** Matches that were read from the store in another way. */
  show(matches: readonly StoredMatch[]): Promise<Match[]>;
  /** Matches as JSON in UTF-8, which is kept for readers that come back to them. */
  texts(matches: readonly StoredMatch[]): Promise<Buffer[]>;
  /** The relevance alone. */
  score(match: StoredMatch): Promise<number | undefined>;
  /** The score of a match with its reason. */
  judge(match: StoredMatch): Promise<JudgedRelevance>;
  /** How many events were analysed. */
  readonly analysed: number;
}

export type ShownPage = Omit<MatchPage, 'matches'> & { readonly matches: Match[] };
export type ShownAfterPage = Omit<AfterPage, 'matches'> & { readonly matches: Match[] };
type ShownStoryPage = Omit<StoryPage, 'stories'> & { readonly stories: Story[] };

export interface ToldStory extends Story {
  readonly title: string;
  /** The first match as JSON, as an operation answers it. */
  readonly firstText: string;
}

interface ReaderDeps {
  readonly store: Pick<Store, 'matches' | 'matchesAfter' | 'match' | 'owedMatches' | 'matchesAt' | 'stories'>;
  readonly relevance: Relevance;
  /** The query of a text that matched; undefined when it does not parse any more. */
  readonly queryOf: (platform: Platform, text: RuleText) => Query | undefined;
}

/** A match with what was made of it. */
interface ShownMatch {
  readonly match: StoredMatch;
  /** The basis that it was judged on. */
  readonly basis: ReturnType<Relevance['basis']>;
  readonly shown: Match;
  bytes: Buffer | undefined;
  /** These two are made of a match that begins a story. */
  listed: string | undefined;
  title: string | undefined;
}

/** The weight of a match: its fields, and its text in two forms. About as many are kept as the store keeps. */
const BYTES_OF_MATCH = 1_024;
const BYTES_OF_CHARACTER = 2;
const SHOWN_BYTES = 8 * 1024 * 1024;

export function createReader({ store, relevance, queryOf }: ReaderDeps): Reader {
  const events = createReadEvents();
  const showAll = createShownMatches({ relevance, queryOf }, events);

  async function storiesOf(query: StoryQuery) {
    const page = await store.stories(query);
    return { page, firsts: await showAll(page.stories.map(({ first }) => first)) };
  }

  const show: Reader['show'] = async (matches) => (await showAll(matches)).map(({ shown }) => shown);

  return {
    show,
    texts: async (matches) => (await showAll(matches)).map(bytesOf),
    score: (match) => relevance.score(match, events.of(match)),
    judge: (match) => relevance.judge(match, events.of(match)),
    get analysed() {
      return events.analysed;
    },
    page: async (query) => shownPage(await store.matches(query), show),
    after: async (query) => shownPage(await store.matchesAfter(query), show),
    async one(accountId, matchId) {
      const match = await store.match(accountId, matchId);
      return match && (await show([match]))[0];
    },
    owed: async (...owed) => show(await store.owedMatches(...owed)),
    at: async (positions) => show(await store.matchesAt(positions)),
    async stories(query) {
      const { page, firsts } = await storiesOf(query);
      return { ...page, stories: page.stories.map((story, index) => ({ ...story, first: firsts[index]!.shown })) };
    },
    async toldStories(query) {
      const { page, firsts } = await storiesOf(query);
      return { ...page, stories: page.stories.map((story, index) => toldStory(story, firsts[index]!)) };
    },
  };
}

/** Shows stored matches. Those that were shown last are kept. */
function createShownMatches(
  { relevance, queryOf }: Pick<ReaderDeps, 'relevance' | 'queryOf'>,
  events: ReadEvents,
): (matches: readonly StoredMatch[]) => Promise<ShownMatch[]> {
  /** By position. Fields of objects, and no maps with weak keys, which the collector of garbage goes through again and again. */
  const lately = createLru<number, ShownMatch>({
    limit: SHOWN_BYTES,
    weightOf: ({ match: { json = '' } }) => BYTES_OF_MATCH + BYTES_OF_CHARACTER * json.length,
  });

  async function showAnew(match: StoredMatch, basis: ShownMatch['basis']): Promise<ShownMatch> {
    const event = events.of(match);
    const shown = shownMatch(match, highlightsOf(queryOf, match, event), await relevance.judge(match, event));
    const made: ShownMatch = { match, basis, shown, bytes: undefined, listed: undefined, title: undefined };
    lately.set(match.position, made);
    return made;
  }

  return async (matches) => {
    const all: ShownMatch[] = [];
    const pause = pausesBetweenPieces();
    for (const match of matches) {
      const basis = relevance.basis(match);
      const known = lately.get(match.position);
      // The store answers the same object for a match that reads as before.
      if (known?.match === match && known.basis === basis) all.push(known);
      else {
        all.push(await showAnew(match, basis));
        const pausing = pause(piecesOf(match.json));
        if (pausing !== undefined) await pausing;
      }
    }
    return all;
  };
}

const shownPage = async <Page extends { readonly matches: readonly StoredMatch[] }>(
  page: Page,
  show: Reader['show'],
): Promise<Omit<Page, 'matches'> & { matches: Match[] }> => ({ ...page, matches: await show(page.matches) });

function highlightsOf(
  queryOf: ReaderDeps['queryOf'],
  { highlights: stored, matchedBy, platform, createdAt }: StoredMatch,
  event: ReadEvent,
): readonly Highlight[] {
  const query = stored === undefined && matchedBy !== undefined ? queryOf(platform, matchedBy) : undefined;
  return (query && event.highlights(query, createdAt)) ?? stored ?? [];
}

/** Field by field: a copy of the whole would parse the payload, which most readers pass on as text. */
function shownMatch(match: StoredMatch, found: readonly Highlight[], judged: JudgedRelevance): Match {
  const { json } = match;
  const fields = {
    id: match.id,
    createdAt: match.createdAt,
    position: match.position,
    platform: match.platform,
    platformPostId: match.platformPostId,
    ruleId: match.ruleId,
    ruleName: match.ruleName,
    ruleVersion: match.ruleVersion,
    highlights: found,
    matchedBy: match.matchedBy,
    editOf: match.editOf,
    source: match.source,
    sourceName: match.sourceName,
    storyId: match.storyId,
    storyFirst: match.storyFirst,
    rating: match.rating,
    judgement: match.judgement,
    relevanceVersion: match.relevanceVersion ?? 0,
    relevance: judged.relevance,
    relevanceBasis: judged.relevanceBasis,
    relevanceReason: judged.relevanceReason,
  };
  return json === undefined ? { ...fields, payload: match.payload } : withPayload({ ...fields, json });
}

/** Bytes of pages that are kept. */
const KEPT_BYTES = 16 * 1024 * 1024;

/** The bytes of an answer, piece by piece, and in one piece once it was asked for again. */
export interface PageText {
  pieces: readonly Uint8Array[];
  joined: Buffer | undefined;
  isAsked: boolean;
}

/** Most pages are asked for once: a copy of each, kept outside of V8's heap, would make it collect all of that again and again. */
export function pageBytes(page: PageText): Buffer {
  if (page.joined !== undefined) return page.joined;
  const bytes = Buffer.allocUnsafe(lengthOf(page));
  let at = 0;
  for (const piece of page.pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  if (page.isAsked) Object.assign(page, { pieces: [bytes], joined: bytes });
  page.isAsked = true;
  return bytes;
}

const lengthOf = ({ pieces }: PageText): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Keeps the rendered pages of List Matches by account and input until the store changes, and for at most a second: an answer says up to when it is complete. */
export function createMatchPages(store: Pick<Store, 'version'>, clock: Clock): VersionedCache<PageText> {
  const version = async () => `${Math.floor(clock.now().getTime() / 1_000)} ${await store.version()}`;
  return createVersionedCache(version, { limit: KEPT_BYTES, weightOf: lengthOf });
}

/** A match as JSON text on one line, with the payload as it is stored: the same fields as in a list. */
export function matchText(match: Match): string {
  const head = JSON.stringify(matchHead(match));
  const highlights = JSON.stringify(match.highlights.map(highlightToJson));
  return `${head.slice(0, -1)},"payload":${payloadText(match)},"highlights":${highlights}}`;
}

function toldStory(story: StoredStory, first: ShownMatch): ToldStory {
  first.listed ??= JSON.stringify(matchToJson(first.shown));
  if (story.began !== first.match)
    return { ...story, first: first.shown, firstText: first.listed, title: storyTitle(story.began) };
  first.title ??= storyTitle(story.began);
  return { ...story, first: first.shown, firstText: first.listed, title: first.title };
}

function bytesOf(one: ShownMatch): Buffer {
  one.bytes ??= Buffer.from(matchText(one.shown));
  return one.bytes;
}

/** JSON from a sender may have line breaks between its parts, and a line break would end the event of a stream. */
function payloadText(match: Match): string {
  const { json } = match;
  // The payload is parsed when it is looked at, so that it is not looked at without need.
  return json === undefined || /[\r\n]/.test(json) ? JSON.stringify(match.payload) : json;
}
