/**
 * Whether Sluice listened: an hour counts only if all that a rule could match was heard in it. A gap also spoils the hour
 * after it, even one that was recovered, because what was missed comes all at once then. Rules of one account share the
 * questions that are the same for all of them.
 */
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import type { RuleWatch, Store } from '../../store/store.ts';
import type { CoverageAssessor, CoveredRule } from '../coverage/coverage.ts';

const HOUR = 3_600_000;
/** Gaps that are read of an account; with more of them each rule is asked about alone. */
const MOST_GAPS = 200;

/** Stands for the account as a whole: gaps of single rules are looked at apart. */
const NO_RULE: CoveredRule = { id: '', createdAt: new Date(0), paused: false, platforms: {} };

export interface Hearing {
  /** Everything is known to have been heard up to this time, in milliseconds, but for gaps. */
  readonly through: number;
  readonly isListening: boolean;
  /** Whether everything was heard from one time to another. What is asked after `through` counts as heard. */
  heard(from: number, to: number): boolean;
}

interface Deps {
  readonly store: Pick<Store, 'gaps'>;
  readonly coverage: Pick<CoverageAssessor, 'of'>;
}

interface Shared {
  readonly from: number;
  readonly through: number;
  readonly isListening: boolean;
  /** It is undefined when there are too many gaps to read them for the whole account. */
  readonly gaps: readonly Gap[] | undefined;
}

export interface Hearings {
  of(watch: Pick<RuleWatch, 'accountId' | 'ruleId' | 'platform' | 'isRunning'>): Promise<Hearing>;
}

/** For looks that go back to `since` and are made at `now`. */
export function createHearings(deps: Deps, since: number, now: number): Hearings {
  const shared = new Map<string, Promise<Shared>>();
  const span = { since: new Date(since - HOUR), until: new Date(now) };

  async function ask(accountId: string, platform: Platform): Promise<Shared> {
    const answer = await deps.coverage.of({ accountId, platforms: [platform], rule: NO_RULE, ...span });
    const gaps = await deps.store.gaps({ platform, accountId, limit: MOST_GAPS, ...span });
    return {
      from: answer.from?.getTime() ?? Number.POSITIVE_INFINITY,
      through: answer.through?.getTime() ?? Number.NEGATIVE_INFINITY,
      isListening: answer.reasons.every((reason) => reason === 'gap' || reason === 'not_started'),
      gaps: gaps.length < MOST_GAPS ? gaps : undefined,
    };
  }

  function askOnce(accountId: string, platform: Platform): Promise<Shared> {
    const key = `${platform} ${accountId}`;
    const asked = shared.get(key) ?? ask(accountId, platform);
    shared.set(key, asked);
    return asked;
  }

  return {
    async of({ accountId, ruleId, platform, isRunning }) {
      const { from: first, through, isListening, gaps } = await askOnce(accountId, platform);
      const all = gaps ?? (await deps.store.gaps({ platform, accountId, ruleId, limit: MOST_GAPS, ...span }));
      const own = all.filter((gap) => gap.ruleId === undefined || gap.ruleId === ruleId);
      return {
        through: Math.min(through, ...own.filter(({ to }) => to === undefined).map(({ from }) => from.getTime())),
        isListening: isListening && isRunning,
        heard: (from, to) => first <= from && own.length < MOST_GAPS && !own.some((gap) => spoils(gap, from, to)),
      };
    },
  };
}

const spoils = (gap: Gap, from: number, to: number): boolean =>
  gap.from.getTime() < to && (gap.to === undefined || gap.to.getTime() + HOUR > from);
