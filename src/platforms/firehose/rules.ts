/**
 * Rules at Firehose. It takes equal rules twice and has no key to make a call safe to repeat, so what is held is looked
 * at first, and again when an answer was lost; changes run one after the other.
 */
import type { RuleFlags } from '../../domain/rule.ts';
import { LIMITS } from '../../rules/firehose/syntax-table.ts';
import { doubling } from '../back-off.ts';
import { createPace } from '../pace.ts';
import { type Capacity, type Held, PlatformError, type Registered, type Wanted } from '../platform.ts';
import type { UpstreamOptions } from '../upstream.ts';
import { callUpstream, cleaned, retryAfterOf, type UpstreamAnswer, type UpstreamRequest } from '../upstream-call.ts';
import {
  bodyOf,
  heldAs,
  isEqual,
  isSame,
  messageOf,
  pathOfRule,
  readCreated,
  readRules,
  refusalIn,
  saysLimit,
} from './wire.ts';

/** Firehose allows 60 a minute; a little over one, since calls take differently long to get there. */
const PACE = { calls: 50, windowMs: 61_000 };
const AFTER_REFUSAL = doubling(10_000, 300_000);
const LONGEST_HOLD_S = 900;
/** Nobody is kept waiting longer than this for a limit to pass; who asked may ask again. */
const PATIENCE_MS = 10_000;

export interface FirehoseRules {
  validate(value: string, flags: RuleFlags): Promise<void>;
  register(wanted: readonly Wanted[]): Promise<readonly Registered[]>;
  unregister(platformRuleIds: readonly string[]): Promise<void>;
  held(): Promise<readonly Held[]>;
  capacity(): Promise<Capacity>;
  /** How many were created so far: a stream that waits for the first one looks here. */
  readonly created: number;
}

export function createRules(options: UpstreamOptions, mostRules: number | undefined): FirehoseRules {
  const pace = createPace(PACE, options.clock);
  let refusals = 0;
  let created = 0;
  let changes: Promise<unknown> = Promise.resolve();

  /** One change after the other, whether or not those before it went well. */
  function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const mine = changes.then(change, change);
    changes = mine.catch(() => undefined);
    return mine;
  }

  async function ask(request: UpstreamRequest, isFine: (status: number) => boolean): Promise<UpstreamAnswer> {
    if (pace.held > PATIENCE_MS) throw tooMany(pace.held / 1_000);
    await pace.turn();
    const answer = await callUpstream(options, request);
    if (answer.status === 429) {
      const asked = Math.min(retryAfterOf(answer, options.clock.now()) ?? 0, LONGEST_HOLD_S);
      const seconds = Math.max(asked, AFTER_REFUSAL(++refusals) / 1_000);
      pace.hold(seconds * 1_000);
      throw tooMany(seconds);
    }
    refusals = 0;
    if (isFine(answer.status)) return answer;
    throw errorOf(answer.status, cleaned(messageOf(answer), options.token()));
  }

  async function held(): Promise<Held[]> {
    const { body } = await ask({ method: 'GET', path: '/v1/rules' }, (status) => status === 200);
    const rules = readRules(body);
    if (rules === undefined) throw new PlatformError('unreachable', 'Firehose did not list its rules.');
    return rules;
  }

  async function post(wanted: Wanted): Promise<Held> {
    const request = { method: 'POST', path: '/v1/rules', body: bodyOf(wanted) } as const;
    const { body } = await ask(request, (status) => status === 200 || status === 201);
    const rule = readCreated(body);
    if (rule === undefined) throw new PlatformError('unreachable', 'Firehose did not say which rule it made.');
    created++;
    return rule;
  }

  /** When the answer is lost the rule may be there or not: the list says. */
  async function create(wanted: Wanted): Promise<Held> {
    try {
      return await post(wanted);
    } catch (error) {
      if (!isLost(error)) throw error;
      const found = (await held()).find((rule) => isSame(rule, wanted));
      if (found !== undefined) return found;
      await post(wanted);
      return await keepOne(wanted);
    }
  }

  /** The call that was lost may have arrived after we looked. */
  async function keepOne(wanted: Wanted): Promise<Held> {
    const [first, ...others] = (await held()).filter((rule) => isSame(rule, wanted));
    if (first === undefined) throw new PlatformError('unreachable', 'Firehose does not hold the rule that it made.');
    for (const { id } of others) await drop(id);
    return first;
  }

  const drop = (id: string) =>
    ask({ method: 'DELETE', path: pathOfRule(id) }, (status) => status === 200 || status === 204 || status === 404);

  async function register(wanted: readonly Wanted[]): Promise<readonly Registered[]> {
    const before = await held();
    const made: Held[] = [];
    const answers: Registered[] = [];
    let outage: PlatformError | undefined;
    for (const one of wanted) {
      const known = before.find((rule) => isSame(rule, one)) ?? made.find((rule) => isEqual(rule, one));
      const answer = known ?? outage ?? (await attempt(one));
      if (answer instanceof PlatformError) answers.push({ error: answer });
      else answers.push({ id: answer.id });
      // What concerns one value alone says nothing of the next.
      if (answer instanceof PlatformError && answer.fault !== 'refused') outage = answer;
      else if (!(answer instanceof PlatformError)) made.push(heldAs(answer.id, one));
    }
    return answers;
  }

  async function attempt(wanted: Wanted): Promise<Held | PlatformError> {
    try {
      return await create(wanted);
    } catch (error) {
      if (error instanceof PlatformError) return error;
      throw error;
    }
  }

  return {
    async validate(value) {
      const request = { method: 'POST', path: '/v1/validate', body: { query: value } } as const;
      // The first stages of the API cannot be asked; creating the rule will tell.
      const { status, body } = await ask(request, (code) => code === 200 || code === 404);
      const refusal = status === 200 ? refusalIn(body) : undefined;
      if (refusal !== undefined) throw new PlatformError('refused', cleaned(refusal, options.token()));
    },
    register: (wanted) => inTurn(() => register(wanted)),
    unregister: (ids) =>
      inTurn(async () => {
        for (const id of ids) await drop(id);
      }),
    held,
    capacity: async () => ({ rules: mostRules, used: (await held()).length, length: LIMITS.length }),
    get created() {
      return created;
    },
  };
}

const isLost = (error: unknown): boolean =>
  error instanceof PlatformError && (error.fault === 'timeout' || error.fault === 'unreachable');

const tooMany = (seconds: number): PlatformError =>
  new PlatformError('limit', 'Firehose takes no more calls for now.', { retryAfter: Math.ceil(seconds) });

function errorOf(status: number, message: string): PlatformError {
  if (status === 401 || status === 403 || status === 404) {
    return new PlatformError('unreachable', `Firehose does not accept our token (${status}): ${message}`);
  }
  if (status === 400 || status === 413 || status === 422) {
    return new PlatformError(saysLimit(message) ? 'limit' : 'refused', message);
  }
  return new PlatformError('unreachable', `Firehose answered ${status}: ${message}`);
}
