/** List Matches and Delete Matches. */
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import type { StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { MatchPage, MatchQuery } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller } from '../access/change-notes.ts';
import type { Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import { type CoverageScope, coverage, coverageOfPage } from '../coverage/coverage-shapes.ts';
import { invalidArgument } from '../errors.ts';
import { eraseForAll } from '../outlets/erasure.ts';
import type { RequestInfo } from '../perform/operation.ts';
import { allow, wishOf } from '../perform/perform.ts';
import { type PageText, pageBytes, type ShownPage } from '../reader/reader.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { characters, listedMatch, matchToJson, platform } from '../shapes.ts';
import { matchFields, queryOfFilter, readerOf } from './match-filter.ts';
import { type MatchesRoom, operation } from './room.ts';
import { type MatchScan, scan } from './scan-matches.ts';

export const exampleMatch: z.input<typeof listedMatch> = {
  id: 'match_01k3zqb2v4n8s6d0f3h5j7k9m1',
  created_at: '2026-11-15T08:30:00.123Z',
  platform: 'x',
  platform_post_id: '1989234567890123456',
  rule_id: 'rule_01k3zq8m7e5w9c2t4r6y8p0a1b',
  rule_name: 'Volcano news',
  rule_version: 1,
  payload: { data: { id: '1989234567890123456', text: 'The volcano is erupting again.' } },
  highlights: [
    { field: 'data.text', start: 4, end: 11 },
    { field: 'data.text', start: 15, end: 23 },
  ],
  event_id: 'event_8v3m0q2x5w7t9r1p',
  source: 'x',
  story_id: 'st_01k3zqb2v4000',
  story_first: true,
  relevance: null,
  rating: null,
};

const exampleAssessment = {
  complete: true,
  complete_from: '2026-11-01T06:00:00.000Z',
  complete_through: '2026-11-15T08:31:00.000Z',
  reasons: [],
};

/** A page ends with the match that brings its payloads to this, however many were asked for: a payload may have 1 MiB. */
const PAGE_BYTES = 4 * 1024 * 1024;

export const matchFilter = z.strictObject({
  ...matchFields,
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .default(50)
    .describe('How many to return at most. A page also ends when its payloads have 4 MiB.'),
  cursor: z.string().optional().describe('`next_cursor` of an earlier answer.'),
  min_relevance: matchFields.min_relevance.describe(
    'Only matches of this `relevance` or more; those whose relevance is null are left out. Where a match is `judged`, that decides. A page looks through 5,000 matches, so it may be empty and still have a `next_cursor`.',
  ),
});
type ListInput = z.output<typeof matchFilter>;

/** A page looks through so many rows and bytes for relevant matches. */
const RELEVANT_BUDGET = { rows: 5_000, bytes: 64 * 1024 * 1024 };

export const listMatches = operation({
  name: 'listMatches',
  summary: 'List matches',
  description:
    'The matches of one rule or of the whole account, newest first. All fields are optional. `next_cursor` leads to older matches and is absent on the last page. A page ends at 4 MiB of payloads, so it may hold fewer than `limit` matches and still have a `next_cursor`. A stream that starts at `latest_cursor` continues without a gap or a repeat. Pages stay stable while new matches arrive. `coverage` says up to when the answer is complete, and why not further.',
  access: 'read',
  grants: 'rules',
  input: matchFilter,
  output: z.object({
    matches: z.array(listedMatch),
    next_cursor: z.string().optional(),
    latest_cursor: z.string(),
    coverage,
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, limit: 1 },
    output: {
      matches: [exampleMatch],
      next_cursor: 'qM1zP0vYt3wRk8aB',
      latest_cursor: 'Zr7uXc2dLe9sHn4T',
      coverage: { ...exampleAssessment, platforms: { x: exampleAssessment }, gaps: [] },
    },
  },
  async run(context, caller, input, request) {
    const page = await pageOfMatches(context, caller, input, request);
    return { matches: page.matches.map(matchToJson), ...(await aroundOf(context, caller, input, page)) };
  },
});

/** Matches, and bytes of payloads, of a page that the main thread shows: a few milliseconds. */
const SHORT_PAGE = 100;
const SHORT_PAGE_BYTES = 512 * 1024;
/** Fields for which payloads are read, until the page is full or the budget is used up. */
const SEARCHED = ['text', 'author', 'domain', 'language', 'source', 'min_relevance'] as const;

const isSearch = (input: ListInput): boolean => SEARCHED.some((field) => input[field] !== undefined);
const isLongPage = (input: ListInput): boolean => input.limit > SHORT_PAGE || isSearch(input);

/** Answers List Matches as JSON text. Pollers repeat the same request, so it is cached until the store changes. */
export async function listMatchesText(
  context: MatchesRoom,
  caller: Caller,
  input: ListInput,
  request: Pick<RequestInfo, 'signal'>,
): Promise<Buffer> {
  // A search that its caller gives up ends; a page that callers share does not.
  const page = isSearch(input)
    ? await writeMatches(context, caller, input, request)
    : await context.matchPages.get(JSON.stringify([caller.account.id, caller.grant?.ruleIds, input]), () =>
        writeMatches(context, caller, input, { signal: new AbortController().signal }),
      );
  return pageBytes(page);
}

interface ReadPage extends ShownPage {
  /** Whether it has fewer matches than were asked for, because of its bytes. */
  readonly isCut: boolean;
}

interface PageRequest {
  readonly caller: Caller;
  readonly input: ListInput;
  readonly bytes: number;
}

/** A page of matches. */
export const matchPage: Job<ReadContext, PageRequest, ReadPage> = {
  name: 'matchPage',
  run: (context, { caller, input, bytes }) => readMatchPage(context, caller, input, bytes),
};

interface TextPage extends Pick<ReadPage, 'next' | 'latest' | 'isCut'> {
  /** The matches as JSON, with commas between them. Payloads are copied as they are stored. */
  readonly pieces: readonly Uint8Array[];
  /** When the newest and the oldest of them were stored. */
  readonly matches: readonly { readonly createdAt: Date }[];
}

const COMMA = Buffer.from(',');

/**
 * Text by text: one letter beyond Latin would make a string of all of them twice as wide, and slow to encode. The texts are those that
 * are kept with the matches, so a page that is kept has no copy of them.
 */
async function textPage(context: ReadContext, request: PageRequest): Promise<TextPage> {
  const { matches, ...page } = await storedPage(context, request);
  const texts = await context.reader.texts(matches);
  const ends = matches.length === 0 ? [] : [matches[0]!, matches.at(-1)!];
  const pieces = texts.flatMap((text, index) => (index === 0 ? [text] : [COMMA, text]));
  return { ...page, pieces, matches: ends.map(({ createdAt }) => ({ createdAt })) };
}

/** A page of matches as JSON text. */
export const matchPageText: Job<ReadContext, PageRequest, TextPage> = {
  name: 'matchPageText',
  async run(context, request) {
    const page = await textPage(context, request);
    return { ...page, pieces: [Buffer.concat(page.pieces)] };
  },
};

/** A page that turns out to be long is read again, whole, by a compute thread. */
async function runPage<Output extends Pick<ReadPage, 'isCut'>>(
  context: MatchesRoom,
  job: Job<ReadContext, PageRequest, Output>,
  { caller, input }: Omit<PageRequest, 'bytes'>,
  request: Pick<RequestInfo, 'signal'>,
  runHere: (context: ReadContext, request: PageRequest) => Promise<Output> = job.run,
): Promise<Output> {
  if (!isLongPage(input)) {
    const page = await runHere(context, { caller, input, bytes: SHORT_PAGE_BYTES });
    if (!page.isCut) return page;
  }
  return context.compute.run(job, { caller, input, bytes: PAGE_BYTES }, wishOf(context, caller, request));
}

async function writeMatches(
  context: MatchesRoom,
  caller: Caller,
  input: ListInput,
  request: Pick<RequestInfo, 'signal'>,
): Promise<PageText> {
  const page = await runPage(context, matchPageText, { caller, input }, request, textPage);
  const around = JSON.stringify(await aroundOf(context, caller, input, page));
  return {
    pieces: [Buffer.from('{"matches":['), ...page.pieces, Buffer.from(`],${around.slice(1)}`)],
    joined: undefined,
    isAsked: false,
  };
}

/** The answer without its matches. */
const aroundOf = async (
  context: MatchesRoom,
  caller: Caller,
  input: ListInput,
  page: Pick<TextPage, 'matches' | 'next' | 'latest'>,
) => ({
  ...(page.next === undefined ? {} : { next_cursor: context.cursors.write(caller.account.id, 'older', page.next) }),
  latest_cursor: context.cursors.writePlace(caller.account.id, 'newer', page.latest),
  coverage: await coverageOfPage(context, await scopeOf(context, caller, input), input, page),
});

/** One page, for interfaces that write matches in another way. */
export const pageOfMatches = (
  context: MatchesRoom,
  caller: Caller,
  input: ListInput,
  request: Pick<RequestInfo, 'signal'>,
): Promise<ShownPage> => runPage(context, matchPage, { caller, input }, request);

/** The scope of a list: its account, platform and rule. */
export async function scopeOf(
  context: MatchesRoom,
  caller: Caller,
  { platform: name, rule_id }: { platform?: Platform | undefined; rule_id?: string | undefined },
): Promise<CoverageScope> {
  const rule = rule_id === undefined ? undefined : await ruleOf(context, caller, rule_id);
  return { accountId: caller.account.id, platform: name, rule, ruleIds: caller.grant?.ruleIds };
}

export async function readMatchPage(
  context: ReadContext,
  caller: Caller,
  input: ListInput,
  bytes: number,
): Promise<ReadPage> {
  const page = await storedPage(context, { caller, input, bytes });
  return { ...page, matches: await context.reader.show(page.matches) };
}

async function storedPage(
  context: ReadContext,
  { caller, input, bytes }: PageRequest,
): Promise<MatchPage & Pick<ReadPage, 'isCut'>> {
  const accountId = caller.account.id;
  const { limit, cursor, min_relevance } = input;
  const query: MatchQuery = {
    ...(await queryOfFilter(context, caller, input)),
    limit,
    bytes,
    ...(cursor === undefined ? {} : { before: context.cursors.read(accountId, 'older', 'cursor', cursor) }),
  };
  const read = readerOf(context, caller, input);
  const page =
    min_relevance === undefined
      ? await read(query)
      : await relevantPage(context, { read, query, least: min_relevance }, { limit, bytes });
  return { ...page, isCut: page.next !== undefined && page.matches.length < limit };
}

/** It ends with the match that brings it to its limit or its bytes. */
async function relevantPage(
  context: ReadContext,
  of: Omit<MatchScan, 'budget'>,
  { limit, bytes }: { limit: number; bytes: number },
): Promise<MatchPage> {
  const kept: StoredMatch[] = [];
  let keptBytes = 0;
  const scanned = await scan(context, { ...of, budget: RELEVANT_BUDGET }, (match) => {
    kept.push(match);
    keptBytes += Buffer.byteLength(match.json ?? JSON.stringify(match.payload));
    return kept.length >= limit || keptBytes >= bytes;
  });
  return { ...scanned, matches: kept };
}

export const deleteMatches = operation({
  name: 'deleteMatches',
  summary: 'Erase a post',
  description:
    'Erases everything that the account holds of one post or page, for instance when a platform or a person demands it, and refuses the post when it comes again. Reposts, quotes and edits that carry its text are erased and refused, too. Returns the number of deleted matches. The audit log has it under `erasure_id`: who erased how many matches, and no text. With `all_accounts` a full key of the operator’s account erases it for everybody.',
  access: 'full',
  input: z.strictObject({
    platform,
    platform_post_id: characters(1, 2_048),
    all_accounts: z.boolean().optional().describe('For all accounts. Only the operator may.'),
    same_text: z
      .boolean()
      .optional()
      .describe(
        'With `all_accounts`: every other post with the same text is erased and refused, too, if this one is stored and its text has at least 20 characters. What is kept of the text is a digest under the key of the installation.',
      ),
  }),
  output: z.object({
    deleted: z.int(),
    erasure_id: z.string().describe('The id of the entry in the audit log.'),
  }),
  example: {
    input: { platform: PLATFORMS[0], platform_post_id: exampleMatch.platform_post_id },
    output: { deleted: 2, erasure_id: 'ers_01k3zq0a1b2c3d4e5f6g7h8j9k' },
  },
  async run(context, caller, { platform: name, platform_post_id, all_accounts, same_text }) {
    if (same_text === true && all_accounts !== true)
      throw invalidArgument([{ path: 'same_text', message: 'Needs `all_accounts`: a text is erased for everybody.' }]);
    const { store, live, nodes, clock } = context;
    const erasure_id = newId('ers', clock.now());
    const note = { id: erasure_id, by: byCaller(caller), accountId: caller.account.id };
    if (all_accounts === true) {
      allow({ access: 'operator' }, caller);
      return { deleted: await eraseForAll(context, name, platform_post_id, note, same_text), erasure_id };
    }
    const deleted = await store.deleteMatches(caller.account.id, name, platform_post_id, note);
    live.forget(caller.account.id);
    if (deleted > 0) await nodes.caughtUp();
    return { deleted, erasure_id };
  },
});
