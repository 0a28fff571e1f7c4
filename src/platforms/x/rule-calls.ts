/**
 * Single requests about X's rules, within X's limits. The outcome for each rule is read from the body, because the status
 * says little: X answers 200 for a rule that it refuses and for a rule that it holds already.
 */
import { type JsonRecord, listIn, recordIn, textIn } from '../../base/json.ts';
import { type HeldRule, PlatformError, type Wanted } from '../platform.ts';
import { callUpstream, cleaned, retryAfterOf, type UpstreamRequest, type UpstreamTarget } from '../upstream-call.ts';
import { createQuota, type Presence, type Quota } from './quota.ts';
import { type DisconnectReason, refusalReason } from './reconnect-policy.ts';
import { answerIn, COUNTS_PATH, countIn, type Problem, problemIn, RULES_PATH, xIdIn } from './wire.ts';

export type RuleOutcome =
  | { readonly id: string }
  | { readonly error: PlatformError }
  /** X holds it already, and does not always say under which id. */
  | { readonly heldAs: string | undefined };

interface RuleCounts {
  readonly cap: number;
  readonly used: number;
}

/** X's own words about a problem. */
export const problemWords = ({ title, detail, details }: Problem): string =>
  details.length > 0 ? details.join(' ') : detail || title;

/** The outcome for each value of a batch. `clean` makes X's words fit to be shown. */
export function ruleOutcomes(
  batch: readonly Wanted[],
  status: number,
  body: JsonRecord,
  clean: (words: string) => string,
): Map<string, RuleOutcome> {
  const outcomes = new Map<string, RuleOutcome>();
  for (const problem of listIn(body['errors']).map(problemIn)) {
    if (problem.value !== undefined) outcomes.set(problem.value, outcomeOf(problem, clean));
  }
  for (const { id, value } of heldRulesIn(listIn(body['data']))) outcomes.set(value, { id });
  // The problem is with the whole batch, such as too many rules.
  if (status >= 400 && outcomes.size === 0) {
    for (const { value } of batch) outcomes.set(value, outcomeOf(problemIn(body), clean));
  }
  return outcomes;
}

function outcomeOf(problem: Problem, clean: (words: string) => string): RuleOutcome {
  if (problem.type === 'duplicate-rules' || problem.title === 'DuplicateRule') return { heldAs: problem.id };
  const upstreamMessage = clean(problemWords(problem));
  if (problem.type === 'rule-cap' || problem.title === 'RulesCapExceeded') {
    return { error: new PlatformError('limit', 'X holds as many rules as it allows.', { upstreamMessage }) };
  }
  return { error: new PlatformError('refused', 'X does not accept this rule.', { upstreamMessage }) };
}

/** Reads X's answers about rules. Everything here is pure. */
export const heldRulesIn = (list: readonly unknown[]): HeldRule[] =>
  list.flatMap((value) => {
    const rule = recordIn(value) ?? {};
    const id = xIdIn(rule['id']);
    const tag = typeof rule['tag'] === 'string' ? rule['tag'] : undefined;
    return id === undefined ? [] : [{ id, value: textIn(rule['value']) ?? '', flags: {}, tag }];
  });

/** Both the app and its project have a cap. Other apps use part of the project's. */
export function ruleCountsIn(data: JsonRecord): RuleCounts | undefined {
  const used = countIn(recordIn(data['client_app_rules_count'])?.['rule_count']) ?? 0;
  const byProject = countIn(data['project_rules_count']) ?? used;
  const ofApp = countIn(data['cap_per_client_app']);
  const ofProject = countIn(data['cap_per_project']);
  const caps = [ofApp, ofProject === undefined ? undefined : Math.max(0, ofProject - Math.max(0, byProject - used))];
  const known = caps.filter((cap) => cap !== undefined);
  return known.length === 0 ? undefined : { cap: Math.min(...known), used };
}

const PAGE = 1_000;
const MOST_PAGES = 100;
/** X allows 450 lists of rules in 15 minutes. */
const READS = 400;
/** The wait after a rate limit that does not say how long it lasts. */
const UNSTATED_MS = 60_000;

export interface RuleCalls {
  /** The outcome for each value. X may leave out the good rules of a batch that has a bad one. */
  offer(batch: readonly Wanted[], options: { dryRun: boolean }): Promise<ReadonlyMap<string, RuleOutcome>>;
  /** Returns how many of the ids X did not know. */
  remove(ids: readonly string[]): Promise<number>;
  list(): Promise<readonly HeldRule[]>;
  /** Returns undefined if X does not say. */
  counts(): Promise<RuleCounts | undefined>;
}

interface RuleAnswer {
  readonly status: number;
  readonly body: JsonRecord;
}

type Ask = (request: UpstreamRequest, quota: Quota) => Promise<RuleAnswer>;

interface Options {
  /** How many changes are allowed in 15 minutes. */
  readonly writes: number;
  readonly presence: Pick<Presence, 'note'>;
}

export function createRuleCalls(upstream: UpstreamTarget, { writes, presence }: Options): RuleCalls {
  const writing = createQuota({ most: writes }, upstream.clock);
  const listing = createQuota({ most: READS }, upstream.clock);
  const counting = createQuota({ most: READS }, upstream.clock);
  const clean = (words: string): string => cleaned(words, upstream.token());
  const ask: Ask = (request, quota) => askX(upstream, request, { quota, presence });
  return {
    async offer(batch, { dryRun }) {
      const add = batch.map(({ value, tag }) => ({ value, ...(tag === '' ? {} : { tag }) }));
      const path = dryRun ? `${RULES_PATH}?dry_run=true` : RULES_PATH;
      const { status, body } = await ask({ method: 'POST', path, body: { add } }, writing);
      return ruleOutcomes(batch, status, body, clean);
    },
    async remove(ids) {
      const { status, body } = await ask({ method: 'POST', path: RULES_PATH, body: { delete: { ids } } }, writing);
      const missed = countIn(recordIn(recordIn(body['meta'])?.['summary'])?.['not_deleted']);
      if (status !== 200 && missed === undefined) {
        const upstreamMessage = clean(problemWords(problemIn(body)));
        throw new PlatformError('unreachable', `X did not delete the rules (status ${status}).`, { upstreamMessage });
      }
      return missed ?? 0;
    },
    list: () => listRules(ask, listing),
    async counts() {
      const { status, body } = await ask({ method: 'GET', path: COUNTS_PATH }, counting);
      return status === 200 ? ruleCountsIn(recordIn(body['data']) ?? {}) : undefined;
    },
  };
}

async function askX(
  upstream: UpstreamTarget,
  request: UpstreamRequest,
  { quota, presence }: Pick<Options, 'presence'> & { readonly quota: Quota },
): Promise<RuleAnswer> {
  if (quota.wait > 0) throw tooMany(quota.wait);
  quota.spend();
  const { status, headers, text } = await callUpstream(upstream, request).catch((error: unknown) => {
    presence.note(false);
    throw error;
  });
  presence.note(status < 500);
  const body = answerIn(text);
  const problem = problemIn(body);
  const refusal = status === 200 || status === 201 ? undefined : refusalReason(status, problem);
  quota.note(headers, refusal === 'rate');
  if (refusal === 'rate') throw tooMany(Math.max(quota.wait, UNSTATED_MS));
  const error = refusal === undefined ? undefined : refusalError(refusal, status);
  if (error !== undefined) {
    const retryAfter = retryAfterOf({ headers }, upstream.clock.now());
    throw error(cleaned(problemWords(problem), upstream.token()), retryAfter);
  }
  return { status, body };
}

/** Returns undefined if the refusal is about the rules themselves: then the caller reads the body. */
function refusalError(
  refusal: DisconnectReason,
  status: number,
): ((words: string, retryAfter: number | undefined) => PlatformError) | undefined {
  const error =
    (fault: 'limit' | 'unreachable', message: string) => (upstreamMessage: string, retryAfter: number | undefined) =>
      new PlatformError(fault, message, { upstreamMessage, ...(retryAfter !== undefined && { retryAfter }) });
  if (refusal === 'quota') return error('limit', "X's monthly cap is used up.");
  if (refusal === 'billing') return error('unreachable', "X's account has no credit left.");
  if (refusal === 'auth') return error('unreachable', `X does not accept the bearer token (status ${status}).`);
  // X answers 404 and 422 about single rules.
  if (refusal === 'server' && status !== 404 && status !== 422) return error('unreachable', `X answered ${status}.`);
  return undefined;
}

async function listRules(ask: Ask, quota: Quota): Promise<readonly HeldRule[]> {
  const held: HeldRule[] = [];
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const token = next === undefined ? '' : `&pagination_token=${encodeURIComponent(next)}`;
    const { status, body } = await ask({ method: 'GET', path: `${RULES_PATH}?max_results=${PAGE}${token}` }, quota);
    if (status !== 200) throw new PlatformError('unreachable', `X answered ${status} when asked for its rules.`);
    held.push(...heldRulesIn(listIn(body['data'])));
    next = textIn(recordIn(body['meta'])?.['next_token']);
    if (next === undefined) return held;
  }
  throw new PlatformError('unreachable', `X's list of rules has more than ${MOST_PAGES} pages.`);
}

const tooMany = (wait: number): PlatformError =>
  new PlatformError('limit', 'The limit of requests about rules at X is reached.', {
    retryAfter: Math.ceil(wait / 1_000),
  });
