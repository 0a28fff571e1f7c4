/** Firehose's own shapes and words, and what they are in ours. Every stage of its API is read; anything else may come too. */
import { createHash } from 'node:crypto';
import { hasLoneSurrogate, parseJson } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import type { Held, Wanted } from '../platform.ts';
import type { UpstreamAnswer } from '../upstream-call.ts';

/** A page has few keys, but two for each of its changes. */
const JSON_LIMITS = { depth: 64, keys: 500_000 };
/** A time that is further ahead than this is no clock's skew. */
const FUTURE_MS = 3_600_000;

type Json = Readonly<Record<string, unknown>>;

const recordIn = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

/** A page that matched, as the stream tells of it. */
export interface Update {
  readonly payload: Payload;
  readonly verdicts: readonly string[];
  /** Whose stream it is: another token may lead to another stream, with ids of its own. */
  readonly tap: string | undefined;
  /** By the upstream's clock; undefined when it cannot be believed. */
  readonly matchedAt: number | undefined;
}

export function readUpdate(data: string, now: Date): Update | { readonly broken: string } {
  const parsed = parseJson(data, JSON_LIMITS);
  if (!parsed.ok) return { broken: parsed.problem };
  const update = recordIn(parsed.value);
  const document = recordIn(update?.['document']);
  if (update === undefined || document === undefined) return { broken: 'It has no document.' };
  if (typeof document['url'] !== 'string' || document['url'] === '') return { broken: 'Its document has no url.' };
  const verdicts = verdictsIn(update);
  if (verdicts === undefined) return { broken: 'It does not say which rules matched.' };
  return {
    payload: hasLoneSurrogate(document) ? wellFormed(document) : document,
    verdicts,
    tap: idIn(update['tap_id']),
    matchedAt: timeIn(update['matched_at'], now),
  };
}

/** `query_ids` since June 2026, `query_id` before. */
function verdictsIn(update: Json): string[] | undefined {
  const { query_ids: several, query_id: one } = update;
  const ids = (Array.isArray(several) ? several : [one]).map(idIn);
  return ids.length > 0 && ids.every((id) => id !== undefined) ? ids : undefined;
}

/** A number beyond what a number can hold has lost digits: it would name another rule. */
function idIn(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** A zone is always there, by the documentation; without one it would be read as our own. */
function timeIn(value: unknown, now: Date): number | undefined {
  if (typeof value !== 'string' || value.length > 40 || !/(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return undefined;
  const time = Date.parse(value);
  return time > 0 && time < now.getTime() + FUTURE_MS ? time : undefined;
}

/** Half a surrogate pair cannot be kept as UTF-8; the rest of the page can. Its depth is limited already. */
const wellFormed = (document: Json): Payload =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  ) as Payload;

/** An event without an id of its own is known again by its content. */
export const idOfContent = (data: string): string => createHash('sha256').update(data).digest('hex').slice(0, 32);

/** What the stream's `error` says. */
export function errorIn(data: string): string {
  const parsed = parseJson(data, JSON_LIMITS);
  const message = parsed.ok ? recordIn(parsed.value)?.['message'] : undefined;
  return typeof message === 'string' ? message : data;
}

export const saysNoRules = (message: string): boolean => /no rules configured/i.test(message);

/** A full plan and a bad query have one status; the words tell them apart. */
export const saysLimit = (message: string): boolean => /limit reached|allows up to|maximum number/i.test(message);

/** Error bodies are not documented; this is the order in which they have been seen. */
export function messageOf({ body, text, status }: Pick<UpstreamAnswer, 'body' | 'text' | 'status'>): string {
  const json = recordIn(body);
  const found = [
    recordIn(json?.['error'])?.['message'],
    json?.['message'],
    ...Object.values(recordIn(json?.['errors']) ?? {}).flat(),
    json?.['error'],
  ].find((message) => typeof message === 'string' && message !== '');
  return typeof found === 'string' ? found : text || `status ${status}`;
}

export const pathOfRule = (id: string): string => `/v1/rules/${encodeURIComponent(id)}`;

const LONGEST_TAG = 255;

export const bodyOf = ({ value, flags, tag }: Wanted): object => ({ value, tag: tag.slice(0, LONGEST_TAG), ...flags });

/** What a rule does that says nothing of its flags. */
const DEFAULTS = { quality: true, nsfw: false };

/** Whether a rule that is held does what the one wanted does. A stage that tells no flags leaves it to the rest. */
export const isEqual = (held: Held, { value, flags }: Wanted): boolean =>
  held.value === value &&
  (['quality', 'nsfw'] as const).every(
    (flag) => held.flags[flag] === undefined || held.flags[flag] === (flags[flag] ?? DEFAULTS[flag]),
  );

/** Whether it is the very one: it has the same mark. An equal one may be somebody else's, who may take it away. */
export const isSame = (held: Held, wanted: Wanted): boolean =>
  isEqual(held, wanted) && (held.tag ?? '') === wanted.tag.slice(0, LONGEST_TAG);

export const heldAs = (id: string, { value, flags, tag }: Wanted): Held => ({
  id,
  value,
  flags: { ...DEFAULTS, ...flags },
  tag,
});

export function readRules(body: unknown): Held[] | undefined {
  const list = recordIn(body)?.['data'];
  return Array.isArray(list) ? list.map(readRule).filter((rule) => rule !== undefined) : undefined;
}

export const readCreated = (body: unknown): Held | undefined => readRule(recordIn(body)?.['data']);

function readRule(value: unknown): Held | undefined {
  const rule = recordIn(value);
  const id = idIn(rule?.['id']);
  if (rule === undefined || id === undefined || typeof rule['value'] !== 'string') return undefined;
  return {
    id,
    value: rule['value'],
    flags: flagsIn(rule),
    tag: typeof rule['tag'] === 'string' && rule['tag'] !== '' ? rule['tag'] : undefined,
  };
}

function flagsIn({ quality, nsfw }: Json): RuleFlags {
  return {
    ...(typeof quality === 'boolean' ? { quality } : {}),
    ...(typeof nsfw === 'boolean' ? { nsfw } : {}),
  };
}

/** Why a query would not be taken; undefined when it would, or when the answer is none that we can read. */
export function refusalIn(body: unknown): string | undefined {
  const answer = recordIn(recordIn(body)?.['data']) ?? recordIn(body);
  if (answer?.['valid'] !== false) return undefined;
  const list = Array.isArray(answer['diagnostics']) ? answer['diagnostics'].map(recordIn) : [];
  const first = list.find((one) => one?.['severity'] === 'error') ?? list[0];
  return typeof first?.['message'] === 'string' ? first['message'] : 'The query is not valid.';
}
