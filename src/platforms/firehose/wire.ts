/** Firehose's wire format. It reads every version of the API, and expects that any field may be wrong or missing. */
import { createHash } from 'node:crypto';
import { hasLoneSurrogate, type JsonRecord, parseJson, recordIn } from '../../base/json.ts';
import type { Payload } from '../../domain/match.ts';
import type { RuleFlags } from '../../domain/rule.ts';
import type { HeldRule, Wanted } from '../platform.ts';
import type { UpstreamAnswer } from '../upstream-call.ts';

/** A page has few keys, but two more for each of its changes. */
const JSON_LIMITS = { depth: 64, keys: 500_000 };
/** A time further ahead than this is not explained by clocks that differ. */
const FUTURE_MS = 3_600_000;

/** A page that matched, as the stream sends it. */
export interface Update {
  readonly payload: Payload;
  readonly verdicts: readonly string[];
  /** The tap it comes from. Another token may lead to another tap, with its own ids. */
  readonly tap: string | undefined;
  /** By Firehose's clock; undefined if it is missing or not plausible. */
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
    tap: exactIdIn(update['tap_id']),
    matchedAt: timeIn(update['matched_at'], now),
  };
}

/** `query_ids` since June 2026, `query_id` before. */
function verdictsIn(update: JsonRecord): string[] | undefined {
  const { query_ids: several, query_id: one } = update;
  const ids = (Array.isArray(several) ? several : [one]).map(exactIdIn);
  return ids.length > 0 && ids.every((id) => id !== undefined) ? ids : undefined;
}

/** A number beyond 2^53 has lost digits and would name another rule, so it is refused. */
function exactIdIn(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Firehose documents that times have a zone. Without one the time would be read in our own zone, so it is refused. */
function timeIn(value: unknown, now: Date): number | undefined {
  if (typeof value !== 'string' || value.length > 40 || !/(?:Z|[+-]\d\d:?\d\d)$/.test(value)) return undefined;
  const time = Date.parse(value);
  return time > 0 && time < now.getTime() + FUTURE_MS ? time : undefined;
}

/** Replaces half surrogate pairs, which UTF-8 cannot hold. The depth of the document is limited already. */
const wellFormed = (document: JsonRecord): Payload =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  ) as Payload;

/** An event without an id is recognized by its content. */
export const idOfContent = (data: string): string => createHash('sha256').update(data).digest('hex').slice(0, 32);

/** The message of the stream's `error` event. */
export function errorIn(data: string): string {
  const parsed = parseJson(data, JSON_LIMITS);
  const message = parsed.ok ? recordIn(parsed.value)?.['message'] : undefined;
  return typeof message === 'string' ? message : data;
}

export const saysNoRules = (message: string): boolean => /no rules configured/i.test(message);

/** Firehose answers a full plan and a bad query with the same status; only the words differ. */
export const saysLimit = (message: string): boolean => /limit reached|allows up to|maximum number/i.test(message);

/** Firehose does not document error bodies. These are the shapes that were seen. */
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

export const ruleBody = ({ value, flags, tag }: Wanted): object => ({
  value,
  tag: tag.slice(0, LONGEST_TAG),
  ...flags,
});

/** The flags of a rule that states none. */
const DEFAULTS = { quality: true, nsfw: false };

/** True if a held rule matches what the wanted one matches. Flags that Firehose does not list are not compared. */
export const isEqual = (held: HeldRule, { value, flags }: Wanted): boolean =>
  held.value === value &&
  (['quality', 'nsfw'] as const).every(
    (flag) => held.flags[flag] === undefined || held.flags[flag] === (flags[flag] ?? DEFAULTS[flag]),
  );

/** True if it also has our tag. An equal rule of another program may be deleted by that program. */
export const isSame = (held: HeldRule, wanted: Wanted): boolean =>
  isEqual(held, wanted) && (held.tag ?? '') === wanted.tag.slice(0, LONGEST_TAG);

export const heldAs = (id: string, { value, flags, tag }: Wanted): HeldRule => ({
  id,
  value,
  flags: { ...DEFAULTS, ...flags },
  tag,
});

export function readRules(body: unknown): HeldRule[] | undefined {
  const list = recordIn(body)?.['data'];
  return Array.isArray(list) ? list.map(readRule).filter((rule) => rule !== undefined) : undefined;
}

export const readCreated = (body: unknown): HeldRule | undefined => readRule(recordIn(body)?.['data']);

function readRule(value: unknown): HeldRule | undefined {
  const rule = recordIn(value);
  const id = exactIdIn(rule?.['id']);
  if (rule === undefined || id === undefined || typeof rule['value'] !== 'string') return undefined;
  return {
    id,
    value: rule['value'],
    flags: flagsIn(rule),
    tag: typeof rule['tag'] === 'string' && rule['tag'] !== '' ? rule['tag'] : undefined,
  };
}

function flagsIn({ quality, nsfw }: JsonRecord): RuleFlags {
  return {
    ...(typeof quality === 'boolean' ? { quality } : {}),
    ...(typeof nsfw === 'boolean' ? { nsfw } : {}),
  };
}

/** Why Firehose would refuse a query; undefined if it would accept it, or if the answer cannot be read. */
export function refusalIn(body: unknown): string | undefined {
  const answer = recordIn(recordIn(body)?.['data']) ?? recordIn(body);
  if (answer?.['valid'] !== false) return undefined;
  const list = Array.isArray(answer['diagnostics']) ? answer['diagnostics'].map(recordIn) : [];
  const first = list.find((one) => one?.['severity'] === 'error') ?? list[0];
  return typeof first?.['message'] === 'string' ? first['message'] : 'The query is not valid.';
}
