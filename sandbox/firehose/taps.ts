/** Taps: each has a token, rules and a log. A management key manages them and opens nothing else. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { recordIn } from '../../src/base/json.ts';
import { type Answer, type Call, jsonOf } from '../http.ts';
import { createRuleBook, type RuleBook } from '../rule-book.ts';
import { createLog, type Log } from './log.ts';
import { invalid, limitReached, NOT_FOUND, NOT_JSON } from './problems.ts';

export interface Tap {
  readonly id: string;
  name: string;
  /** It is undefined for the first tap if any token opens it. */
  readonly token: string | undefined;
  readonly createdAt: Date;
  lastUsedAt: Date | undefined;
  status: 'active' | 'paused';
  readonly book: RuleBook;
  readonly log: Log;
}

export interface Taps {
  readonly first: Tap;
  all(): Tap[];
  /** The tap that a token opens. */
  opened(token: string): Tap | undefined;
  handle(call: Call): Answer;
}

export interface TapsOptions {
  readonly clock: Clock;
  readonly keep: number;
  readonly token: string | undefined;
  readonly most: number;
  readonly onDelete: (tap: Tap) => void;
}

/** The first offset of a log. Real logs do not begin at 0. */
const FIRST_OFFSET = 43_368;

export function createTaps({ clock, keep, token, most, onDelete }: TapsOptions): Taps {
  const now = () => clock.now().getTime();
  const newTap = (name: string, ofToken: string | undefined): Tap => ({
    id: randomUUID(),
    name,
    token: ofToken,
    createdAt: clock.now(),
    lastUsedAt: undefined,
    status: 'active',
    book: createRuleBook('firehose', now),
    log: createLog(clock, keep, FIRST_OFFSET),
  });
  const first = newTap('Sandbox', token);
  const taps = new Map([[first.id, first]]);

  const create = (name: string): Answer => {
    if (taps.size >= most) return limitReached(`Tap limit reached. The plan allows up to ${most} taps.`);
    const secret = `fh_${randomBytes(20).toString('hex')}`;
    const tap = newTap(name, secret);
    taps.set(tap.id, tap);
    const { id, token_prefix, created_at } = shown(tap);
    return { status: 201, body: { data: { id, name, token_prefix, created_at }, token: secret } };
  };

  const update = (tap: Tap, body: Readonly<Record<string, unknown>>): Answer => {
    const { name, status } = body;
    if (name !== undefined && !isName(name)) return invalid('name', BAD_NAME);
    if (status !== undefined && status !== 'active' && status !== 'paused') {
      return invalid('status', 'The selected status is invalid.');
    }
    if (isName(name)) tap.name = name;
    if (status !== undefined) tap.status = status;
    return { status: 200, body: { data: shown(tap) } };
  };

  return {
    first,
    all: () => [...taps.values()],
    opened(given) {
      const own = [...taps.values()].find((tap) => tap.token === given);
      return own ?? (token === undefined && taps.has(first.id) && !given.startsWith('fhm_') ? first : undefined);
    },
    handle({ method, path, text }) {
      const id = /^\/v1\/taps\/([^/]+)$/.exec(path)?.[1];
      const body = method === 'POST' || method === 'PUT' ? recordIn(jsonOf(text)) : {};
      if (body === undefined) return NOT_JSON;
      if (path === '/v1/taps' && method === 'GET') {
        const data = [...taps.values()].map((tap) => ({ ...shown(tap), token: tap.token ?? 'fh_sandbox' }));
        return { status: 200, body: { data, meta: { count: data.length } } };
      }
      if (path === '/v1/taps' && method === 'POST') {
        const { name } = body;
        if (name === undefined) return invalid('name', 'The name field is required.');
        return isName(name) ? create(name) : invalid('name', BAD_NAME);
      }
      const tap = id === undefined ? undefined : taps.get(id);
      if (tap === undefined) return NOT_FOUND;
      if (method === 'GET') return { status: 200, body: { data: shown(tap) } };
      if (method === 'PUT') return update(tap, body);
      if (method !== 'DELETE') return NOT_FOUND;
      taps.delete(tap.id);
      onDelete(tap);
      return { status: 204 };
    },
  };
}

const BAD_NAME = 'The name field must be a string of 1 to 255 characters.';

const isName = (name: unknown): name is string => typeof name === 'string' && name !== '' && name.length <= 255;

const shown = ({ id, name, token, createdAt, lastUsedAt, status, book }: Tap) => ({
  id,
  name,
  token_prefix: (token ?? 'fh_sandbox').slice(0, 6),
  rules_count: book.size,
  last_used_at: lastUsedAt === undefined ? null : stamp(lastUsedAt),
  created_at: stamp(createdAt),
  status,
});

const stamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, '+00:00');
