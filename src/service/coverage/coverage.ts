/** Asks the store what is known of each platform, for one caller, and says how far an answer can be relied on. */
import type { Clock } from '../../base/clock.ts';
import type { CoverageReason, FeedState, Gap } from '../../domain/coverage.ts';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Rule } from '../../domain/rule.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Store } from '../../store/store.ts';
import { type AskedSpan, type Assessment, assess, earliest, gapReason, latest } from './assess.ts';
import type { FeedReports } from './feed-reports.ts';

/** Gaps that are read of a platform; one alone makes an answer incomplete. */
const MOST_GAPS = 100;
/** A visit to a source of an account that was due longer ago is not made by anybody. Others of its host may come before it. */
const LATE_MS = 600_000;

/** The fields of a rule that coverage needs. */
export type CoveredRule = Pick<Rule, 'id' | 'createdAt' | 'paused' | 'platforms'>;

export interface CoverageQuestion extends AskedSpan {
  /** Without one: of what concerns every account. */
  readonly accountId?: string | undefined;
  readonly platforms: readonly Platform[];
  readonly rule?: CoveredRule | undefined;
  /** The answer has matches of these rules of the account: what concerns one of them is told with the id of that rule. */
  readonly rules?: 'all' | readonly string[] | undefined;
  /** Gaps that ended earlier do not count. */
  readonly gapsSince?: Date | undefined;
}

/** The coverage of several platforms together, and of each. */
export interface CoverageAnswer extends Assessment {
  readonly platforms: Readonly<Partial<Record<Platform, Assessment>>>;
}

export interface CoverageAssessor {
  of(question: CoverageQuestion): Promise<CoverageAnswer>;
  /**
   * The platforms that a question is about: the one that it names, those of the rule, or those of the rules that the caller
   * may know of.
   */
  platformsOf(
    accountId: string,
    only: { platform?: Platform | undefined; rule?: Rule | undefined; ruleIds?: readonly string[] | undefined },
  ): Promise<Platform[]>;
}

export interface CoverageDeps {
  readonly store: Pick<Store, 'feeds' | 'ownFeed' | 'gaps' | 'coverage' | 'countRules' | 'rule'>;
  readonly feeds: Pick<FeedReports, 'own'>;
  readonly clock: Clock;
  readonly platforms: Readonly<Record<Platform, Pick<LivePlatform, 'shape'>>>;
  /** Whether any rule is matched there. */
  readonly hasRules: (platform: Platform) => boolean;
  readonly isResting: (accountId: string, platform: Platform) => boolean;
  /** The troubles of this node. */
  readonly troubles: () => readonly CoverageReason[];
}

export function createCoverage(deps: CoverageDeps): CoverageAssessor {
  return {
    async of(question) {
      const { platforms: names } = question;
      const found = await Promise.all(names.map((name) => ofPlatform(deps, question, name)));
      const reasons = [...new Set(found.flatMap((one) => one.reasons))];
      return {
        complete: reasons.length === 0,
        from: earliest(found.map(({ from }) => from)),
        through: earliest(found.map(({ through }) => through)),
        reasons,
        platforms: Object.fromEntries(names.map((name, at) => [name, found[at]!])),
      };
    },
    async platformsOf(accountId, { platform, rule, ruleIds }) {
      if (platform !== undefined) return [platform];
      if (rule !== undefined) return PLATFORMS.filter((name) => rule.platforms[name] !== undefined);
      const used = await platformsInUse(deps, accountId, ruleIds);
      return used.length > 0 ? used : [...PLATFORMS];
    },
  };
}

async function platformsInUse(
  { store }: Pick<CoverageDeps, 'store'>,
  accountId: string,
  ruleIds: readonly string[] | undefined,
): Promise<Platform[]> {
  if (ruleIds === undefined) {
    const counted = await store.countRules(accountId);
    return PLATFORMS.filter((name) => (counted[name] ?? 0) > 0);
  }
  const rules = await Promise.all(ruleIds.map((id) => store.rule(accountId, id)));
  return PLATFORMS.filter((name) => rules.some((rule) => rule?.platforms[name] !== undefined));
}

async function ofPlatform(
  deps: CoverageDeps,
  { accountId, rule, rules, since, until, gapsSince = since }: CoverageQuestion,
  platform: Platform,
): Promise<Assessment> {
  const { store, clock, platforms, hasRules } = deps;
  const { shape } = platforms[platform];
  const span = { ...(gapsSince && { since: gapsSince }), ...(until && { until }) };
  const asked = {
    platform,
    limit: MOST_GAPS,
    isMissing: true,
    ...(accountId !== undefined && { accountId }),
    ...span,
  } as const;
  const [feeds, own, missing, ofRules, streamThrough] = await Promise.all([
    feedsOf(deps, platform, accountId),
    shape === 'local' && accountId !== undefined ? ownFeed(deps, accountId, platform) : undefined,
    store.gaps({ ...asked, ruleId: rule?.id ?? 'none' }),
    rules === undefined || accountId === undefined
      ? []
      : store.gaps({ ...asked, ...(rules !== 'all' && { ruleIds: rules }) }),
    shape === 'upstream' ? store.coverage(platform) : undefined,
  ]);
  const found = assess(
    {
      now: clock.now(),
      shape,
      hasRules: hasRules(platform),
      feeds,
      own,
      streamThrough,
      missing,
      troubles: [...deps.troubles(), ...ruleTroubles(deps, { accountId, rule, missing }, platform)],
      ...(rule !== undefined && { ruleSince: rule.platforms[platform]?.addedAt ?? rule.createdAt }),
    },
    { since, until },
  );
  const reasons = [...new Set([...found.reasons, ...ofRules.flatMap(reasonsOfRule)])];
  return { ...found, complete: reasons.length === 0, reasons };
}

const ownFeed = ({ store, clock }: CoverageDeps, accountId: string, platform: Platform) =>
  store.ownFeed(accountId, platform, new Date(clock.now().getTime() - LATE_MS));

/** A gap of one rule among several: the rule is named, and the platform is not to blame. */
const reasonsOfRule = ({ ruleId, cause, to }: Gap): string[] => {
  if (ruleId === undefined) return [];
  const reason = to === undefined ? gapReason(cause) : undefined;
  return [...(reason === undefined ? [] : [`${reason}:${ruleId}`]), `gap:${ruleId}`];
};

/** The stored feeds, with those of this node as it knows them now: that is newer. */
export async function feedsOf(
  { store, feeds, clock }: Pick<CoverageDeps, 'store' | 'feeds' | 'clock'>,
  platform: Platform,
  accountId?: string,
): Promise<FeedState[]> {
  const stored = await store.feeds(platform, accountId);
  const now = clock.now();
  const own = feeds.own(platform, accountId).map((feed): FeedState => {
    const before = stored.find(({ kind, name }) => kind === feed.kind && name === feed.name);
    const through = latest([feed.through, before?.through].filter((time) => time !== undefined));
    // A source that has brought nothing yet is not read yet.
    const hasBegun = feed.kind !== 'source' || before?.through !== undefined;
    const since = (hasBegun ? before?.since : feed.through) ?? feed.since ?? now;
    return { ...feed, through, since, at: now };
  });
  const isOwn = (feed: FeedState) => own.some(({ kind, name }) => kind === feed.kind && name === feed.name);
  return [...own, ...stored.filter((feed) => !isOwn(feed))];
}

const STATUS_TROUBLES = { missing: 'registration_missing', failed: 'rule_refused' } as const;

function ruleTroubles(
  { isResting }: CoverageDeps,
  { accountId, rule, missing }: Pick<CoverageQuestion, 'accountId' | 'rule'> & { readonly missing: readonly Gap[] },
  platform: Platform,
): CoverageReason[] {
  const troubles: CoverageReason[] = [];
  const status = rule?.platforms[platform]?.status;
  if (rule?.paused) troubles.push('paused');
  if (accountId !== undefined && isResting(accountId, platform)) troubles.push('budget_spent');
  // The gap that is open for the rule says why it failed: its text may be fine.
  const isExplained = missing.some(({ ruleId, to }) => ruleId !== undefined && ruleId === rule?.id && to === undefined);
  if ((status === 'missing' || status === 'failed') && !isExplained) troubles.push(STATUS_TROUBLES[status]);
  return troubles;
}

/** A gap that ended before this is no news to a caller that listens. */
const RECENT_MS = 3_600_000;

interface Deps {
  readonly store: Pick<Store, 'rule'>;
  readonly clock: Clock;
  readonly coverage: CoverageAssessor;
}

interface Wanted {
  readonly platform?: Platform | undefined;
  /** More than one, whatever the account has rules on. */
  readonly platforms?: readonly Platform[] | undefined;
  readonly ruleId?: string | undefined;
  /** The rules that the caller may know of, unless it is all of them. */
  readonly ruleIds?: readonly string[] | undefined;
}

/** Coverage for callers that wait or stream: as it is now, with the gaps of the last hour. */
export async function recentCoverage(
  { store, clock, coverage }: Deps,
  accountId: string,
  { platform, platforms: named, ruleId, ruleIds }: Wanted,
): Promise<AssessmentJson> {
  const rule = ruleId === undefined ? undefined : await store.rule(accountId, ruleId);
  const platforms = named ?? (await coverage.platformsOf(accountId, { platform, rule, ruleIds }));
  const gapsSince = new Date(clock.now().getTime() - RECENT_MS);
  const rules = rule === undefined ? (ruleIds ?? 'all') : undefined;
  return assessmentToJson(await coverage.of({ accountId, platforms, rule, rules, gapsSince }));
}

export type AssessmentJson = ReturnType<typeof assessmentToJson>;

export const assessmentToJson = ({ complete, from, through, reasons }: Assessment) => ({
  complete,
  complete_from: from?.toISOString() ?? null,
  complete_through: through?.toISOString() ?? null,
  reasons: [...reasons],
});
