/**
 * Rules at Firehose. Firehose accepts equal rules twice and has no idempotency key. So we list its rules before we create
 * one, and again when an answer was lost. Changes run one after the other.
 */
import { LIMITS } from '../../rules/firehose/syntax-table.ts';
import { createPace, doubling } from '../pace.ts';
import {
  type Capacity,
  type HeldRule,
  PlatformError,
  type Registered,
  type UpstreamOptions,
  type Wanted,
} from '../platform.ts';
import { callUpstream, cleaned, retryAfterOf, type UpstreamAnswer, type UpstreamRequest } from '../upstream-call.ts';
import {
  heldAs,
  isEqual,
  isSame,
  messageOf,
  pathOfRule,
  readCreated,
  readRules,
  refusalIn,
  ruleBody,
  saysLimit,
} from './wire.ts';

/** Firehose allows 60 calls a minute. The window is a little longer, because calls take differently long to get there. */
const PACE = { calls: 50, windowMs: 61_000 };
const AFTER_REFUSAL = doubling(10_000, 300_000);
const LONGEST_HOLD_S = 900;
/** A caller waits at most this long for a limit to pass; after that it gets an error and may ask again. */
const PATIENCE_MS = 10_000;

export class FirehoseRules {
  readonly #options: UpstreamOptions;
  readonly #mostRules: number | undefined;
  readonly #pace;
  #refusals = 0;
  #created = 0;
  #changes: Promise<unknown> = Promise.resolve();
  /** Deleted by removals that then failed. Their next try goes on after these: each call counts, also one for nothing. */
  readonly #deleted = new Set<string>();

  constructor(options: UpstreamOptions, mostRules: number | undefined) {
    this.#options = options;
    this.#mostRules = mostRules;
    this.#pace = createPace(PACE, options.clock);
  }

  async validate(value: string): Promise<void> {
    const request = { method: 'POST', path: '/v1/validate', body: { query: value } } as const;
    // The first versions of the API have no such call: creating the rule tells.
    const { status, body } = await this.#ask(request, (code) => code === 200 || code === 404);
    const refusal = status === 200 ? refusalIn(body) : undefined;
    if (refusal !== undefined) throw refusedRule(cleaned(refusal, this.#options.token()));
  }

  register(wanted: readonly Wanted[]): Promise<readonly Registered[]> {
    return this.#inTurn(() => this.#registerAll(wanted));
  }

  unregister(ids: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const id of ids.filter((one) => !this.#deleted.has(one))) {
        await this.#delete(id);
        this.#deleted.add(id);
      }
      this.#deleted.clear();
    });
  }

  async held(): Promise<HeldRule[]> {
    const { body } = await this.#ask({ method: 'GET', path: '/v1/rules' }, (status) => status === 200);
    const rules = readRules(body);
    if (rules === undefined) throw new PlatformError('unreachable', 'Firehose did not list its rules.');
    return rules;
  }

  async capacity(): Promise<Capacity> {
    return { rules: this.#mostRules, used: (await this.held()).length, length: LIMITS.length };
  }

  /** How many rules were created so far. A stream that waits for the first one looks here. */
  get created(): number {
    return this.#created;
  }

  /** Runs one change after the other, whether or not those before it succeeded. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = this.#changes.then(change, change);
    this.#changes = mine.catch(() => undefined);
    return mine;
  }

  async #registerAll(wanted: readonly Wanted[]): Promise<readonly Registered[]> {
    const before = await this.held();
    const made: HeldRule[] = [];
    const answers: Registered[] = [];
    let outage: PlatformError | undefined;
    for (const one of wanted) {
      const known = before.find((rule) => isSame(rule, one)) ?? made.find((rule) => isEqual(rule, one));
      const answer = known ?? outage ?? (await this.#attempt(one));
      if (answer instanceof PlatformError) {
        answers.push({ error: answer });
        // A refusal concerns one value alone; any other error will hit the next values as well.
        if (answer.fault !== 'refused') outage = answer;
      } else {
        answers.push({ id: answer.id });
        made.push(heldAs(answer.id, one));
      }
    }
    return answers;
  }

  async #attempt(wanted: Wanted): Promise<HeldRule | PlatformError> {
    try {
      return await this.#create(wanted);
    } catch (error) {
      if (error instanceof PlatformError) return error;
      throw error;
    }
  }

  /** If the answer is lost, the rule may have been created or not: the list tells. */
  async #create(wanted: Wanted): Promise<HeldRule> {
    try {
      return await this.#post(wanted);
    } catch (error) {
      if (!isLost(error)) throw error;
      const found = (await this.held()).find((rule) => isSame(rule, wanted));
      if (found !== undefined) return found;
      await this.#post(wanted);
      return await this.#keepOne(wanted);
    }
  }

  async #post(wanted: Wanted): Promise<HeldRule> {
    const request = { method: 'POST', path: '/v1/rules', body: ruleBody(wanted) } as const;
    const { body } = await this.#ask(request, (status) => status === 200 || status === 201);
    const rule = readCreated(body);
    if (rule === undefined) throw new PlatformError('unreachable', 'Firehose did not say which rule it created.');
    this.#created++;
    return rule;
  }

  /** Deletes all but one: the call whose answer was lost may have arrived after we listed the rules. */
  async #keepOne(wanted: Wanted): Promise<HeldRule> {
    const [first, ...others] = (await this.held()).filter((rule) => isSame(rule, wanted));
    if (first === undefined) throw new PlatformError('unreachable', 'Firehose does not list the rule that it created.');
    for (const { id } of others) await this.#delete(id);
    return first;
  }

  async #delete(id: string): Promise<void> {
    const isGone = (status: number) => status === 200 || status === 204 || status === 404;
    await this.#ask({ method: 'DELETE', path: pathOfRule(id) }, isGone);
  }

  async #ask(request: UpstreamRequest, isFine: (status: number) => boolean): Promise<UpstreamAnswer> {
    if (this.#pace.held > PATIENCE_MS) throw tooMany(this.#pace.held / 1_000);
    await this.#pace.turn();
    const answer = await callUpstream(this.#options, request);
    if (answer.status === 429) {
      const asked = Math.min(retryAfterOf(answer, this.#options.clock.now()) ?? 0, LONGEST_HOLD_S);
      const seconds = Math.max(asked, AFTER_REFUSAL(++this.#refusals) / 1_000);
      this.#pace.hold(seconds * 1_000);
      throw tooMany(seconds);
    }
    this.#refusals = 0;
    if (isFine(answer.status)) return answer;
    const retryAfter = retryAfterOf(answer, this.#options.clock.now());
    throw errorOf(answer.status, cleaned(messageOf(answer), this.#options.token()), retryAfter);
  }
}

const isLost = (error: unknown): boolean =>
  error instanceof PlatformError && (error.fault === 'timeout' || error.fault === 'unreachable');

const tooMany = (seconds: number): PlatformError =>
  new PlatformError('limit', 'The limit of calls about rules at Firehose is reached.', {
    retryAfter: Math.ceil(seconds),
  });

const refusedRule = (upstreamMessage: string): PlatformError =>
  new PlatformError('refused', 'Firehose does not accept this rule.', { upstreamMessage });

function errorOf(status: number, upstreamMessage: string, retryAfter: number | undefined): PlatformError {
  if (status === 401 || status === 403 || status === 404) {
    return new PlatformError('unreachable', `Firehose does not accept the token (status ${status}).`, {
      upstreamMessage,
    });
  }
  if (status === 400 || status === 413 || status === 422) {
    return saysLimit(upstreamMessage)
      ? new PlatformError('limit', 'Firehose holds as many rules as the plan allows.', { upstreamMessage })
      : refusedRule(upstreamMessage);
  }
  return new PlatformError('unreachable', `Firehose answered ${status}.`, {
    upstreamMessage,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
