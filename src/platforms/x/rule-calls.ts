/**
 * Single requests about rules, within their limits, and what their answers say. What became of each rule is read from
 * the body, since the status says little: a refused rule comes with a 200, and so does one that is held already.
 */
import { type Held, PlatformError, type Wanted } from '../platform.ts';
import { callUpstream, cleaned, type Upstream, type UpstreamRequest } from '../upstream-call.ts';
import { createQuota, type Quota } from './quota.ts';
import { refusalOf } from './reconnect-policy.ts';
import {
  answerIn,
  COUNTS_PATH,
  countIn,
  idIn,
  type Json,
  listIn,
  type Problem,
  problemIn,
  RULES_PATH,
  recordIn,
  textIn,
} from './wire.ts';

const PAGE = 1_000;
const MOST_PAGES = 100;
/** X lists rules 450 times in 15 minutes. */
const READS = 400;
/** After a refusal that does not say how long it lasts. */
const UNSTATED_MS = 60_000;

export type Verdict =
  | { readonly id: string }
  | { readonly error: PlatformError }
  /** It is held already; X does not always say as what. */
  | { readonly heldAs: string | undefined };

export interface RuleCounts {
  readonly cap: number;
  readonly used: number;
}

export interface RuleCalls {
  /** What X says of each value. Of a batch with a bad rule in it, it may say nothing of the good ones. */
  offer(batch: readonly Wanted[], options: { dryRun: boolean }): Promise<ReadonlyMap<string, Verdict>>;
  /** Answers how many of them X did not know. */
  remove(ids: readonly string[]): Promise<number>;
  list(): Promise<readonly Held[]>;
  /** Undefined when X does not tell. */
  counts(): Promise<RuleCounts | undefined>;
}

/** `writes` is how many changes there may be in 15 minutes. */
export function createRuleCalls(upstream: Upstream, { writes }: { writes: number }): RuleCalls {
  const writing = createQuota({ most: writes }, upstream.clock);
  const listing = createQuota({ most: READS }, upstream.clock);
  const counting = createQuota({ most: READS }, upstream.clock);

  const wordsOf = ({ title, detail, details }: Problem): string =>
    cleaned(details.length > 0 ? details.join(' ') : detail || title, upstream.token());

  async function ask(request: UpstreamRequest, quota: Quota): Promise<{ status: number; body: Json }> {
    if (quota.wait > 0) throw tooMany(quota.wait);
    quota.spend();
    const { status, headers, text } = await callUpstream(upstream, request);
    const body = answerIn(text);
    const problem = problemIn(body);
    const refusal = status === 200 || status === 201 ? undefined : refusalOf(status, problem);
    quota.note(headers, refusal === 'rate');
    if (refusal === 'rate') throw tooMany(Math.max(quota.wait, UNSTATED_MS));
    if (refusal === 'quota') throw new PlatformError('limit', "X's monthly cap is used up.");
    if (refusal === 'billing') throw new PlatformError('unreachable', 'X asks for credit first.');
    if (refusal === 'auth') throw new PlatformError('unreachable', `X does not take our token: ${wordsOf(problem)}`);
    // These two speak of the rules, and are read by whoever asked.
    if (refusal === 'server' && status !== 404 && status !== 422) {
      throw new PlatformError('unreachable', `X answered ${status}.`);
    }
    return { status, body };
  }

  function verdictOf(problem: Problem): Verdict {
    if (problem.type === 'duplicate-rules' || problem.title === 'DuplicateRule') return { heldAs: problem.id };
    if (problem.type === 'rule-cap' || problem.title === 'RulesCapExceeded') {
      return { error: new PlatformError('limit', 'X holds as many rules as it takes.') };
    }
    return { error: new PlatformError('refused', wordsOf(problem)) };
  }

  return {
    async offer(batch, { dryRun }) {
      const add = batch.map(({ value, tag }) => ({ value, ...(tag === '' ? {} : { tag }) }));
      const path = dryRun ? `${RULES_PATH}?dry_run=true` : RULES_PATH;
      const { status, body } = await ask({ method: 'POST', path, body: { add } }, writing);
      const verdicts = new Map<string, Verdict>();
      for (const problem of listIn(body['errors']).map(problemIn)) {
        if (problem.value !== undefined) verdicts.set(problem.value, verdictOf(problem));
      }
      for (const { id, value } of listIn(body['data']).flatMap(heldIn)) verdicts.set(value, { id });
      // A problem with all of it, such as too many rules.
      if (status >= 400 && verdicts.size === 0) {
        for (const { value } of batch) verdicts.set(value, verdictOf(problemIn(body)));
      }
      return verdicts;
    },
    async remove(ids) {
      const { status, body } = await ask({ method: 'POST', path: RULES_PATH, body: { delete: { ids } } }, writing);
      const missed = countIn(recordIn(recordIn(body['meta'])?.['summary'])?.['not_deleted']);
      if (status !== 200 && missed === undefined) {
        throw new PlatformError('unreachable', `X did not take the rules away: ${wordsOf(problemIn(body))}`);
      }
      return missed ?? 0;
    },
    async list() {
      const held: Held[] = [];
      let next = '';
      for (let page = 0; page < MOST_PAGES; page++) {
        const token = next === '' ? '' : `&pagination_token=${encodeURIComponent(next)}`;
        const { status, body } = await ask(
          { method: 'GET', path: `${RULES_PATH}?max_results=${PAGE}${token}` },
          listing,
        );
        if (status !== 200) throw new PlatformError('unreachable', `X answered ${status} when asked for its rules.`);
        held.push(...listIn(body['data']).flatMap(heldIn));
        next = textIn(recordIn(body['meta'])?.['next_token']);
        if (next === '') return held;
      }
      throw new PlatformError('unreachable', "X's list of rules does not end.");
    },
    async counts() {
      const { status, body } = await ask({ method: 'GET', path: COUNTS_PATH }, counting);
      return status === 200 ? countsIn(recordIn(body['data']) ?? {}) : undefined;
    },
  };
}

const tooMany = (wait: number): PlatformError =>
  new PlatformError('limit', 'X takes no more requests about rules for now.', { retryAfter: Math.ceil(wait / 1_000) });

function heldIn(value: unknown): Held[] {
  const rule = recordIn(value) ?? {};
  const id = idIn(rule['id']);
  const tag = typeof rule['tag'] === 'string' ? rule['tag'] : undefined;
  return id === undefined ? [] : [{ id, value: textIn(rule['value']), flags: {}, tag }];
}

/** The app has a cap, and so has its project, of which other apps use a part. */
function countsIn(data: Json): RuleCounts | undefined {
  const used = countIn(recordIn(data['client_app_rules_count'])?.['rule_count']) ?? 0;
  const byProject = countIn(data['project_rules_count']) ?? used;
  const ofApp = countIn(data['cap_per_client_app']);
  const ofProject = countIn(data['cap_per_project']);
  const caps = [ofApp, ofProject === undefined ? undefined : Math.max(0, ofProject - Math.max(0, byProject - used))];
  const known = caps.filter((cap) => cap !== undefined);
  return known.length === 0 ? undefined : { cap: Math.min(...known), used };
}
