/**
 * X's rules over HTTP. What became of each rule is read from the body, since the status says little: a refused rule
 * comes with a 200, and a rule that is held already is told as an error, which to us is success.
 */
import type { Clock } from '../../base/clock.ts';
import { type Held, PlatformError, type Registered, type Wanted } from '../platform.ts';
import { callUpstream, cleaned, type Upstream, type UpstreamRequest } from '../upstream-call.ts';
import { refusalOf } from './ending.ts';
import { createQuota, type Quota } from './quota.ts';
import {
  answerIn,
  COUNTS_PATH,
  countIn,
  idIn,
  listIn,
  type Problem,
  problemIn,
  RULES_PATH,
  recordIn,
  textIn,
} from './wire.ts';

/** X names no limit for one request; its sibling takes 100. */
const MOST_AT_ONCE = 100;
const PAGE = 1_000;
const MOST_PAGES = 100;
/** X reads lists 450 times in 15 minutes. */
const READS = 400;

export interface RuleCounts {
  readonly cap: number;
  readonly used: number;
}

export interface XRules {
  validate(value: string): Promise<void>;
  add(wanted: readonly Wanted[]): Promise<readonly Registered[]>;
  remove(ids: readonly string[]): Promise<void>;
  list(): Promise<readonly Held[]>;
  /** Undefined when X does not tell. */
  counts(): Promise<RuleCounts | undefined>;
}

export function xRules(upstream: Upstream, { writes }: { writes: number }): XRules {
  const clock: Clock = upstream.clock;
  const writing = createQuota({ most: writes }, clock);
  const listing = createQuota({ most: READS }, clock);
  const counting = createQuota({ most: READS }, clock);

  async function ask(request: UpstreamRequest, quota: Quota): Promise<{ status: number; body: Json }> {
    if (quota.wait > 0) throw tooMany(quota.wait);
    quota.spend();
    const { status, headers, text } = await callUpstream(upstream, request);
    const body = answerIn(text);
    const problem = problemIn(body);
    const isRefused = status !== 200 && status !== 201;
    const refusal = isRefused ? refusalOf(status, problem) : undefined;
    quota.note(headers, refusal === 'rate');
    if (refusal === 'rate') throw tooMany(Math.max(quota.wait, 60_000));
    if (refusal === 'quota') throw new PlatformError('limit', "X's monthly cap is used up.");
    if (refusal === 'billing') throw new PlatformError('unreachable', 'X asks for credit first.');
    if (refusal === 'auth') throw new PlatformError('unreachable', `X does not take our token: ${wordsOf(problem)}`);
    // These two speak of the rules, and are read by whoever asked.
    if (refusal === 'server' && status !== 404 && status !== 422) {
      throw new PlatformError('unreachable', `X answered ${status}.`);
    }
    return { status, body };
  }

  const wordsOf = ({ title, detail, details }: Problem): string =>
    cleaned(details.length > 0 ? details.join(' ') : detail || title, upstream.token());

  function verdictOf(problem: Problem): Verdict {
    if (problem.type === 'duplicate-rules' || problem.title === 'DuplicateRule') return { heldAs: problem.id };
    if (problem.type === 'rule-cap' || problem.title === 'RulesCapExceeded') {
      return { error: new PlatformError('limit', 'X holds as many rules as it takes.') };
    }
    return { error: new PlatformError('refused', wordsOf(problem)) };
  }

  /** What X says of each value. Of a batch with a bad rule in it, it may say nothing of the good ones. */
  async function offer(batch: readonly Wanted[], dryRun: boolean): Promise<Map<string, Verdict>> {
    const add = batch.map(({ value, tag }) => ({ value, ...(tag === '' ? {} : { tag }) }));
    const path = dryRun ? `${RULES_PATH}?dry_run=true` : RULES_PATH;
    const { status, body } = await ask({ method: 'POST', path, body: { add } }, writing);
    const verdicts = new Map<string, Verdict>();
    for (const problem of listIn(body['errors']).map(problemIn)) {
      if (problem.value !== undefined) verdicts.set(problem.value, verdictOf(problem));
    }
    const made = listIn(body['data']).map((one) => recordIn(one) ?? {});
    for (const rule of made) {
      const id = idIn(rule['id']);
      if (id !== undefined) verdicts.set(textIn(rule['value']), { id });
    }
    // A problem with all of it, such as too many rules.
    if (status >= 400 && verdicts.size === 0) {
      for (const { value } of batch) verdicts.set(value, verdictOf(problemIn(body)));
    }
    return verdicts;
  }

  async function list(): Promise<Held[]> {
    const held: Held[] = [];
    let next = '';
    for (let page = 0; page < MOST_PAGES; page++) {
      const path = `${RULES_PATH}?max_results=${PAGE}${next === '' ? '' : `&pagination_token=${encodeURIComponent(next)}`}`;
      const { status, body } = await ask({ method: 'GET', path }, listing);
      if (status !== 200) throw new PlatformError('unreachable', `X answered ${status} when asked for its rules.`);
      held.push(...listIn(body['data']).flatMap(heldIn));
      next = textIn(recordIn(body['meta'])?.['next_token']);
      if (next === '') return held;
    }
    throw new PlatformError('unreachable', "X's list of rules does not end.");
  }

  /** For what X left open: it is held, or it is not known what became of it. */
  async function lookUp(values: readonly string[], verdicts: Map<string, Registered>): Promise<void> {
    if (values.length === 0) return;
    const ids = new Map((await list()).map(({ id, value }) => [value, id]));
    for (const value of values) {
      const id = ids.get(value);
      verdicts.set(
        value,
        id === undefined
          ? { error: new PlatformError('unreachable', 'X did not take the rule, and did not say why.') }
          : { id },
      );
    }
  }

  /** One round over all values that have no answer; says whether X could be asked. */
  async function addRound(
    wanted: readonly Wanted[],
    verdicts: Map<string, Registered>,
    open: Set<string>,
  ): Promise<void> {
    for (let start = 0; start < wanted.length; start += MOST_AT_ONCE) {
      for (const [value, verdict] of await offer(wanted.slice(start, start + MOST_AT_ONCE), false)) {
        if ('heldAs' in verdict) {
          if (verdict.heldAs === undefined) open.add(value);
          else verdicts.set(value, { id: verdict.heldAs });
        } else {
          verdicts.set(value, verdict);
        }
      }
    }
  }

  return {
    async validate(value) {
      const verdict = (await offer([{ value, flags: {}, tag: '' }], true)).get(value);
      if (verdict !== undefined && 'error' in verdict) throw verdict.error;
    },
    async add(wanted) {
      const distinct = [...new Map(wanted.map((one) => [one.value, one])).values()];
      const verdicts = new Map<string, Registered>();
      const open = new Set<string>();
      const unanswered = () => distinct.filter(({ value }) => !verdicts.has(value) && !open.has(value));
      try {
        await addRound(distinct, verdicts, open);
        // Good rules beside a bad one may not have been made: once more without it.
        if (unanswered().length > 0) await addRound(unanswered(), verdicts, open);
        await lookUp([...open, ...unanswered().map(({ value }) => value)], verdicts);
      } catch (error) {
        if (!(error instanceof PlatformError) || verdicts.size === 0) throw error;
        for (const { value } of distinct) if (!verdicts.has(value)) verdicts.set(value, { error });
      }
      return wanted.map(({ value }) => verdicts.get(value)!);
    },
    async remove(ids) {
      for (let start = 0; start < ids.length; start += MOST_AT_ONCE) {
        const batch = ids.slice(start, start + MOST_AT_ONCE);
        const missed = await removeBatch(batch);
        if (missed === 0 || batch.length === 1) continue;
        // It is not said of which; those that are still there are taken away by themselves.
        const held = new Set((await list()).map(({ id }) => id));
        for (const id of batch.filter((one) => held.has(one))) await removeBatch([id]);
      }
    },
    list,
    async counts() {
      const { status, body } = await ask({ method: 'GET', path: COUNTS_PATH }, counting);
      return status === 200 ? countsIn(recordIn(body['data']) ?? {}) : undefined;
    },
  };

  /** How many of them X did not know. */
  async function removeBatch(ids: readonly string[]): Promise<number> {
    const { status, body } = await ask({ method: 'POST', path: RULES_PATH, body: { delete: { ids } } }, writing);
    const missed = countIn(recordIn(recordIn(body['meta'])?.['summary'])?.['not_deleted']);
    if (status !== 200 && missed === undefined) {
      throw new PlatformError('unreachable', `X did not take the rules away: ${wordsOf(problemIn(body))}`);
    }
    return missed ?? 0;
  }
}

type Json = ReturnType<typeof answerIn>;
type Verdict = Registered | { readonly heldAs: string | undefined };

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
