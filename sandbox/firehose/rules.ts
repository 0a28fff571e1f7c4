/** `/v1/rules` and `/v1/validate`: the rules of one tap. */
import { type JsonRecord, recordIn } from '../../src/base/json.ts';
import { firehoseLanguage, renderLucene } from '../../src/rules/firehose/language.ts';
import { withFlags } from '../../src/rules/rule-text.ts';
import { type Context, serverError } from '../context.ts';
import { type Answer, type Call, jsonOf, LOST, type Outcome } from '../http.ts';
import type { HeldRule } from '../rule-book.ts';
import { invalid, limitReached, NOT_FOUND, NOT_JSON } from './problems.ts';
import type { Tap } from './taps.ts';

const MAX_TAG = 255;

export interface RulesContext {
  readonly context: Context;
  readonly tap: Tap;
  /** How many rules the organization may still add. */
  readonly room: () => number;
  readonly cap: number;
  nextId(): string;
}

/** Adds a rule; undefined if the language does not accept it. */
export function hold(tap: Tap, rule: HeldRule): HeldRule | undefined {
  const { query } = firehoseLanguage.parse(rule.value);
  if (query === undefined) return undefined;
  tap.book.put(rule, withFlags(query, { quality: rule.quality ?? true, nsfw: rule.nsfw ?? false }));
  return rule;
}

export function handleRules(rules: RulesContext, { method, path, text }: Call): Outcome {
  const { tap, context } = rules;
  const id = /^\/v1\/rules\/([^/]+)$/.exec(path)?.[1];
  const hasBody = method === 'POST' || method === 'PUT';
  const body = hasBody ? recordIn(jsonOf(text)) : {};
  if (body === undefined) return NOT_JSON;
  if (id === undefined) {
    if (method === 'GET') {
      const data = tap.book.list().map(shown);
      return { status: 200, body: { data, meta: { count: data.length } } };
    }
    return method === 'POST' ? unlessLost(context, create(rules, body)) : NOT_FOUND;
  }
  const rule = tap.book.get(id);
  if (rule === undefined) return NOT_FOUND;
  if (method === 'GET') return { status: 200, body: { data: shown(rule) } };
  if (method === 'PUT') return unlessLost(context, change(tap, rule, body));
  if (method !== 'DELETE') return NOT_FOUND;
  tap.book.drop(id);
  return unlessLost(context, { status: 204 });
}

const unlessLost = ({ faults }: Context, answer: Answer): Outcome =>
  answer.status < 300 && faults.take('F17') !== undefined ? LOST : answer;

function create({ context: { faults }, tap, room, cap, nextId }: RulesContext, body: JsonRecord): Answer {
  const broken = faults.take('B2', ({ platform }) => platform === 'firehose');
  if (broken !== undefined) return serverError(broken.status);
  const refused = faults.take('F16');
  if (refused !== undefined) return invalid('value', refused.reason);
  const problem = problemWith(body, true);
  if (problem !== undefined) return problem;
  if (room() <= 0) return limitReached(`Rule limit reached. The plan allows up to ${cap} rules.`);
  return held(tap, ruleOf(nextId(), body, { quality: true, nsfw: false }), 201);
}

function change(tap: Tap, rule: HeldRule, body: JsonRecord): Answer {
  return problemWith(body, false) ?? held(tap, ruleOf(rule.id, { ...rule, ...body }, rule), 200);
}

function held(tap: Tap, rule: HeldRule, status: number): Answer {
  if (hold(tap, rule) !== undefined) return { status, body: { data: shown(rule) } };
  const { diagnostics } = firehoseLanguage.parse(rule.value);
  const first = diagnostics.find(({ severity }) => severity === 'error');
  return invalid('value', `The value is not a valid query: ${first?.message ?? ''}`);
}

function ruleOf(
  id: string,
  body: JsonRecord,
  { quality = true, nsfw = false }: Pick<HeldRule, 'quality' | 'nsfw'>,
): HeldRule {
  const { value, tag } = body;
  return {
    id,
    value: String(value),
    tag: typeof tag === 'string' && tag !== '' ? tag : undefined,
    quality: typeof body['quality'] === 'boolean' ? body['quality'] : quality,
    nsfw: typeof body['nsfw'] === 'boolean' ? body['nsfw'] : nsfw,
  };
}

function problemWith(body: JsonRecord, isNew: boolean): Answer | undefined {
  const { value, tag } = body;
  const given = value !== undefined && value !== null && value !== '';
  if (!given && (isNew || Object.hasOwn(body, 'value'))) return invalid('value', 'The value field is required.');
  if (given && typeof value !== 'string') return invalid('value', 'The value field must be a string.');
  if (tag != null && typeof tag !== 'string') return invalid('tag', 'The tag field must be a string.');
  if (typeof tag === 'string' && tag.length > MAX_TAG) {
    return invalid('tag', `The tag field must not be greater than ${MAX_TAG} characters.`);
  }
  for (const flag of ['nsfw', 'quality']) {
    if (Object.hasOwn(body, flag) && typeof body[flag] !== 'boolean') {
      return invalid(flag, `The ${flag} field must be true or false.`);
    }
  }
  return undefined;
}

const shown = ({ id, value, tag, nsfw, quality }: HeldRule): object => ({ id, value, tag: tag ?? null, nsfw, quality });

/** The key is `query`: a body with `value` is refused without a look at the query. */
export function validate({ text }: Call): Answer {
  const body = recordIn(jsonOf(text));
  if (body === undefined) return NOT_JSON;
  const { query } = body;
  if (query === undefined || query === null || query === '') return invalid('query', 'The query field is required.');
  if (typeof query !== 'string') return invalid('query', 'The query field must be a string.');
  const parsed = firehoseLanguage.parse(query);
  const valid = parsed.query !== undefined;
  const diagnostics = parsed.diagnostics.map(({ severity, code, message, span: { start, end } }) => ({
    severity,
    code,
    message,
    start,
    end,
  }));
  return { status: 200, body: { valid, diagnostics, compiled: valid ? (renderLucene(query) ?? null) : null } };
}
