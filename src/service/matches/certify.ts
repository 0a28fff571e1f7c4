/** Certify: a signed statement of what was read for a rule in a span of time, and of what matched. */
import { z } from 'zod';
import { numberIn } from '../../base/json.ts';
import { withShownSources } from '../../base/parse-url.ts';
import { CERTIFICATE_TITLE, type Certificate } from '../../domain/certificate.ts';
import type { FeedState, Gap } from '../../domain/coverage.ts';
import type { StoredMatch } from '../../domain/match.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import { positionAt, timeOf } from '../../store/order.ts';
import type { Caller } from '../access/caller.ts';
import type { Job } from '../compute.ts';
import type { ReadContext } from '../context.ts';
import { feedsOf } from '../coverage/coverage.ts';
import { gapToJson } from '../coverage/coverage-shapes.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { wishOf } from '../perform/perform.ts';
import { ruleOf } from '../rules/read-rules.ts';
import { instant, ruleId } from '../shapes.ts';
import { exampleLogged, logCertificate, loggedCertificate } from './certificate-log.ts';
import { exampleMatch } from './matches.ts';
import { type MatchesRoom, operation } from './room.ts';

const DAY_MS = 24 * 3_600_000;
const LONGEST_SPAN_MS = 31 * DAY_MS;
const MOST_MATCHES = 2_000;
const MOST_GAPS = 100;
/** Matches are read from now back to `from`, this many at once and this often. */
const PAGE = 500;
const MOST_PAGES = 20;

interface Asked {
  readonly rule: Rule;
  readonly from: Date;
  readonly to: Date;
}

export const certify = operation({
  name: 'certify',
  summary: 'Certify what matched, or that nothing did',
  description:
    'A signed statement for a span of up to 31 days: which sources were read for the rule and how far, every match, and how many matches the account erased since `from`, which it lacks. It is refused where coverage has a gap that was not recovered, is not yet complete, where the rule was changed since `from`, or where matches of that time are past retention. It is in the public log of certificates before it is answered, with a proof. Anyone can verify it offline: `sluice verify FILE`.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({ rule_id: ruleId, from: instant, to: instant }),
  output: z.object({
    certificate: z.string().describe('Keep it byte for byte: each change of it is found.'),
    public_key: z.string().describe('The key of this installation, in hexadecimal.'),
    matches: z.int(),
    log: loggedCertificate,
  }),
  example: {
    input: { rule_id: exampleMatch.rule_id, from: '2026-11-15T08:00:00Z', to: '2026-11-15T09:00:00Z' },
    output: { certificate: `${CERTIFICATE_TITLE}\n…`, public_key: '3d4017c3…', matches: 0, log: exampleLogged },
  },
  async run(context, caller, input, request) {
    const rule = await ruleOf(context, caller, input.rule_id);
    const asked = { rule, from: new Date(input.from), to: new Date(input.to) };
    checkSpan(asked, context.clock.now());
    await checkRule(context, caller, asked);
    const platforms = PLATFORMS.filter((name) => rule.platforms[name] !== undefined);
    const gaps = await coveredGaps(context, caller, asked, platforms);
    const sources = (await Promise.all(platforms.map((name) => sourcesOn(context, asked, name)))).flat();
    const read = await context.compute.run(certifiedMatches, { caller, asked }, wishOf(context, caller, request));
    const { matches, erased } = read;
    await checkRetention(context, asked);
    const issuedAt = context.clock.now();
    const end = { kind: 'end', sources: sources.length, gaps: gaps.length, matches: matches.length } as const;
    const entries: Certificate[number][] = [
      claimOf(asked, issuedAt, erased),
      ...sources,
      ...gaps.map(gapEntry),
      ...matches,
      end,
    ];
    const { signer } = context;
    const certificate = signer.sign(CERTIFICATE_TITLE, entries);
    // Nobody has the certificate before the log has it for good.
    const log = await logCertificate(context, certificate, issuedAt);
    context.headNotices.look();
    return { certificate, public_key: signer.publicKey, matches: matches.length, log };
  },
});

function checkSpan({ from, to }: Asked, now: Date): void {
  if (from >= to) throw invalidArgument([{ path: 'to', message: 'Must be after `from`.' }]);
  if (to.getTime() - from.getTime() > LONGEST_SPAN_MS)
    throw invalidArgument([{ path: 'to', message: 'Must be at most 31 days after `from`.' }]);
  if (to > now) throw refusal('`to` is in the future: nothing can be said of it yet.');
}

const refusal = (message: string, details: Record<string, unknown> = {}): ServiceError =>
  new ServiceError('failed_precondition', message, { details });

/** Asked after all was read: what is still kept was not removed before. The audit log goes with the matches of its time. */
async function checkRetention({ store, clock, settings }: MatchesRoom, { from }: Asked): Promise<void> {
  const oldest = await store.oldest();
  const due = clock.now().getTime() - settings.retentionDays * DAY_MS;
  if (from.getTime() >= due && positionAt(from.getTime()) >= oldest) return;
  const until = new Date(Math.max(due, timeOf(oldest)));
  throw refusal(`Matches up to ${until.toISOString()} are past retention: choose a \`from\` after it.`);
}

/** The version that is known is the one that was matched. */
async function checkRule({ store }: MatchesRoom, { account }: Caller, { rule, from }: Asked): Promise<void> {
  if (rule.createdAt > from)
    throw refusal(`The rule exists since ${rule.createdAt.toISOString()}: choose a \`from\` after it.`);
  const [change] = (await store.changes({ accountId: account.id, kind: 'rule', id: rule.id, since: from, limit: 1 }))
    .changes;
  if (change !== undefined)
    throw refusal(`The rule was changed at ${change.at.toISOString()}: choose a \`from\` after it.`);
}

/** The recovered gaps of the span. Throws when coverage does not allow a certificate. */
async function coveredGaps(context: MatchesRoom, { account }: Caller, asked: Asked, platforms: readonly Platform[]) {
  const { rule, from, to } = asked;
  const span = { since: from, until: to };
  const answer = await context.coverage.of({ accountId: account.id, rule, platforms, ...span });
  const found = await Promise.all(
    platforms.map((platform) =>
      context.store.gaps({ platform, limit: MOST_GAPS, accountId: account.id, ruleId: rule.id, ...span }),
    ),
  );
  const gaps = found.flat();
  const blocking = gaps.filter(({ recovered, cause }) => !recovered || cause.startsWith('source_unwitnessed'));
  const isThrough = answer.through !== undefined && answer.through >= to;
  if (!answer.complete || !isThrough || blocking.length > 0)
    throw refusal('Coverage of this span is not complete, so nothing can be certified.', {
      reasons: answer.reasons,
      complete_from: answer.from?.toISOString() ?? null,
      complete_through: answer.through?.toISOString() ?? null,
      gaps: blocking.map(gapToJson),
    });
  if (found.some((list) => list.length >= MOST_GAPS))
    throw refusal('The span has a hundred gaps or more: choose a shorter one.');
  return gaps;
}

/** The sources and streams that fed the rule in the span. Pushes do not count: no one vouches that all came. */
async function sourcesOn(context: MatchesRoom, { rule, from, to }: Asked, platform: Platform) {
  const feeds = await feedsOf(context, platform);
  const limited = rule.platforms[platform]?.flags.sources;
  const readers = feeds.filter(
    ({ kind, name }) => kind === 'stream' || (kind === 'source' && limited?.includes(name) !== false),
  );
  if (readers.length === 0)
    throw refusal(`No source of the operator feeds the rule on ${platform}, so none vouches that all came.`);
  const late = readers.find(({ since, through }) => since > from || through === undefined || through < to);
  if (late !== undefined && late.kind === 'source')
    throw refusal(`The source ${late.name} was not read for the whole span.`, {
      source: late.name,
      reads_since: late.since.toISOString(),
      complete_through: late.through?.toISOString() ?? null,
    });
  return Promise.all(readers.map((feed) => sourceEntry(context, platform, feed, { from, to })));
}

/**
 * The store knows what a source has read; for the stream of an upstream it knows the coverage alone. A cursor may begin with an address,
 * which the operator did not give to accounts.
 */
async function sourceEntry(
  { store }: MatchesRoom,
  platform: Platform,
  feed: FeedState,
  { from, to }: Pick<Asked, 'from' | 'to'>,
) {
  const reading = feed.kind === 'source' ? await store.readings(feed.name, from, to) : undefined;
  return {
    kind: 'source',
    platform,
    name: feed.name || platform,
    reads_since: feed.since.toISOString(),
    complete_through: (feed.through ?? to).toISOString(),
    events: reading?.events ?? null,
    first_cursor: reading?.firstCursor === undefined ? null : withShownSources(reading.firstCursor),
    last_cursor: reading?.lastCursor === undefined ? null : withShownSources(reading.lastCursor),
  } as const;
}

/** How many matches of the account were erased, by its log. It is asked after the matches were read: none goes in between. */
async function erasedSince({ store }: ReadContext, { account }: Caller, since: Date): Promise<number> {
  const query = { accountId: account.id, kind: 'post', since, limit: PAGE } as const;
  let erased = 0;
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const page: Awaited<ReturnType<typeof store.changes>> = await store.changes({ ...query, before });
    for (const { after } of page.changes) erased += numberIn(after?.['own_matches'] ?? after?.['matches']) ?? 0;
    before = page.next;
  }
  return erased;
}

interface CertifiedMatches {
  readonly matches: readonly Certificate[number][];
  readonly erased: number;
}

/** The entries of the matches. They are read in a compute thread: there may be ten thousand, and any number of erasures. */
export const certifiedMatches: Job<ReadContext, { caller: Caller; asked: Asked }, CertifiedMatches> = {
  name: 'certifiedMatches',
  async run(context, { caller, asked }) {
    const matches = await matchesIn(context, caller, asked);
    // An erasure is in the log when its last match is gone. Asked here, one that took matches before is under way, or in it.
    if (await context.store.isErasing(caller.account.id))
      throw refusal('Matches of the account are being erased: ask again when that is done.', {
        reason: 'erasure_under_way',
      });
    return { matches, erased: await erasedSince(context, caller, asked.from) };
  },
};

/** Stored within the span, or afterwards and published before its end: what was recovered came late. */
async function matchesIn({ store }: ReadContext, { account }: Caller, { rule, from, to }: Asked) {
  const found: Certificate[number][] = [];
  const query = { accountId: account.id, ruleId: rule.id, since: from, limit: PAGE };
  let page = await store.matches(query);
  for (let pages = 1; ; pages++) {
    found.push(...page.matches.filter((match) => match.createdAt <= to || isOfSpan(match, to)).map(matchEntry));
    if (found.length > MOST_MATCHES) throw refusal(`The span has over ${MOST_MATCHES} matches: choose a shorter one.`);
    if (page.next === undefined) return found.toReversed();
    if (pages >= MOST_PAGES)
      throw refusal(`Over ${PAGE * MOST_PAGES} matches came since \`from\`: choose a later span.`);
    page = await store.matches({ ...query, before: page.next });
  }
}

/** A match whose event has no time of its own may be of the span, and so may one that claims a time after it came. */
function isOfSpan({ payload, createdAt }: StoredMatch, to: Date): boolean {
  const { data, publish_time } = payload;
  const created = (data as Record<string, unknown> | undefined)?.['created_at'];
  const time = typeof publish_time === 'string' ? `${publish_time}Z` : created;
  const published = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(published) || published <= to.getTime() || published > createdAt.getTime();
}

function claimOf({ rule, from, to }: Asked, issuedAt: Date, erased: number): Certificate[number] {
  const texts = PLATFORMS.flatMap((name) => (rule.platforms[name] ? [[name, rule.platforms[name]] as const] : []));
  const options = texts
    .filter(([, { flags }]) => Object.keys(flags).length > 0)
    .map(([name, { flags }]) => [name, flags]);
  return {
    kind: 'claim',
    rule_id: rule.id,
    rule_version: rule.version,
    queries: Object.fromEntries(texts.map(([name, { value }]) => [name, value])),
    ...(options.length > 0 && { options: Object.fromEntries(options) }),
    from: from.toISOString(),
    to: to.toISOString(),
    issued_at: issuedAt.toISOString(),
    erased,
  };
}

const gapEntry = ({ platform, source, from, to, cause }: Gap): Certificate[number] => ({
  kind: 'gap',
  platform,
  source: source ?? null,
  from: from.toISOString(),
  to: (to ?? from).toISOString(),
  cause,
  recovered: true,
});

const matchEntry = ({ id, platform, platformPostId, ruleVersion, createdAt }: StoredMatch): Certificate[number] => ({
  kind: 'match',
  platform,
  match_id: id,
  post_id: platformPostId,
  rule_version: ruleVersion,
  stored_at: createdAt.toISOString(),
});
