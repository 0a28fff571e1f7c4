/** X's API: tokens, rate limits and routes. */
import { randomUUID } from 'node:crypto';
import { idIn, listIn, recordIn, textIn } from '../../src/base/json.ts';
import type { Payload } from '../../src/domain/match.ts';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { xAnalyzer } from '../../src/engine/events/x-event.ts';
import { DEFAULT_X_LEVEL, type XLevel } from '../../src/rules/language.ts';
import { xLanguage } from '../../src/rules/x/language.ts';
import { type Context, serverError } from '../context.ts';
import type { Answer, Call, Outcome } from '../http.ts';
import { createIds } from '../ids.ts';
import type { Quota } from '../rate-limit.ts';
import { append } from '../recorder.ts';
import { createRuleBook, type HeldRule, type RuleMatch } from '../rule-book.ts';
import { type Compliance, createCompliance } from './compliance.ts';
import { createConnections } from './connections.ts';
import { withOldNames } from './fields.ts';
import { FORBIDDEN, NOT_FOUND, TOO_MANY_REQUESTS, UNAUTHORIZED, WRONG_KIND_OF_TOKEN } from './problems.ts';
import { changeRules, countRules, listRules } from './rules.ts';
import { holdRule, isEnterprise, type KeptPost, type MatchingRule, type XState } from './state.ts';
import { type Live, openXStream } from './stream.ts';
import { strikeAt } from './strikes.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';

export interface XOptions {
  readonly token?: string | undefined;
  readonly level?: XLevel | undefined;
  readonly rules?: number | undefined;
  /** The secret that deliveries to webhooks are signed with. */
  readonly consumerSecret?: string | undefined;
}

export interface XApp {
  handle(call: Call): Promise<Outcome>;
  /** Matches the post and sends it to open streams. */
  post(payload: Payload): { readonly id: string; readonly ruleIds: readonly string[] } | { readonly rejected: string };
  /** The post's author deletes it. */
  deletePost(id: string): void;
  /** Ends the connections of the compliance stream. */
  endCompliance(): void;
  rules(): readonly HeldRule[];
  addForeignRule(value: string, tag: string | undefined): HeldRule;
  dropRule(id: string): boolean;
  readonly connections: number;
  /** Readers of the compliance stream. */
  readonly complianceReaders: number;
  /** Deliveries to webhooks that are not acknowledged yet, and are tried again. */
  readonly deliveries: number;
  /** True if a reader has not taken everything. */
  isBehind(): boolean;
  stop(): void;
}

const QUARTER = 15 * 60_000;
const RULES = '/2/tweets/search/stream/rules';

/** How many requests X allows in 15 minutes. */
function limitOf({ method, path }: Call, isLarge: boolean): number {
  if (path === '/2/tweets/search/stream') return 50;
  if (path === '/2/tweets/compliance/stream') return 100;
  if (path === '/2/webhooks/replay') return 100;
  if (path === RULES && method === 'POST') return isLarge ? 450 : 100;
  return path.startsWith('/2/connections') && method === 'DELETE' ? 25 : 450;
}

const SECRET = 'consumer-secret';

export function createX(context: Context, options: XOptions): XApp {
  const { token, level = DEFAULT_X_LEVEL, rules: cap, consumerSecret = SECRET } = options;
  const now = () => context.clock.now().getTime();
  const state: XState = {
    context,
    level,
    cap: cap ?? (level === 'payg' ? 1_000 : 25_000),
    language: xLanguage({ level }),
    book: createRuleBook('x', now),
    ghosts: createRuleBook('x', now),
    connections: createConnections(context.clock),
    posts: [],
    nextId: createIds(context.clock),
    outageUntil: 0,
    replayFrom: 0,
    onPhantom: () => {},
    onGhost: () => {},
  };
  const live: Live = new Set();
  const compliance = createCompliance(context.clock, isEnterprise(state));
  const analyze = xAnalyzer();
  const webhooks = createWebhooks(state, consumerSecret);
  context.faults.onThrow((name) => strikeAt(state, live, webhooks, name));

  const post: XApp['post'] = (given) => {
    const view = analyze(given);
    if (isRejection(view)) return view;
    const ghosts = state.ghosts.matching(view);
    if (ghosts.length > 0) state.onGhost();
    const matches = [...state.book.matching(view), ...ghosts];
    const { id } = view;
    const ruleIds = matches.map(({ rule }) => rule.id);
    if (matches.length === 0) return { id, ruleIds };
    const kept: KeptPost = { at: now(), id, payload: withOldNames(given), matchingRules: matches.map(shownMatch) };
    append(state.posts, kept, context.keep);
    for (const sender of live) sender.deliver(kept);
    webhooks.post(kept);
    if (context.faults.take('X27') !== undefined) post(editOf(kept, state.nextId()));
    return { id, ruleIds };
  };

  return {
    handle: (call) => admit(state, { live, compliance, webhooks }, token, call),
    post,
    deletePost: (id) => compliance.delete(id),
    endCompliance: () => compliance.close(),
    rules: () => state.book.list(),
    addForeignRule(value, tag) {
      const rule = holdRule(state, value, tag);
      if (rule === undefined) throw new Error(`X does not accept the rule: ${value}`);
      return rule;
    },
    dropRule: (id) => state.book.drop(id),
    get connections() {
      return state.connections.open('live', 'recovery').length;
    },
    get complianceReaders() {
      return compliance.connections;
    },
    get deliveries() {
      return webhooks.waiting;
    },
    isBehind: () =>
      state.connections.open('live', 'recovery').some(({ wire }) => wire !== undefined && wire.waiting > 0),
    stop() {
      compliance.close();
      for (const { wire } of state.connections.open('live', 'recovery')) wire?.close('end');
    },
  };
}

interface Streams {
  readonly live: Live;
  readonly compliance: Compliance;
  readonly webhooks: Webhooks;
}

/** Routes a call, unless an outage, its token or its rate limit refuses it. */
async function admit(state: XState, streams: Streams, token: string | undefined, call: Call): Promise<Outcome> {
  const { faults, clock, limits } = state.context;
  const redirect = faults.take('X32');
  if (redirect !== undefined) return { status: redirect.status, headers: { location: redirect.location } };
  if (clock.now().getTime() < state.outageUntil) return serverError(503);
  const revoked = faults.take('X18');
  if (revoked !== undefined) return revoked.status === 403 ? FORBIDDEN : UNAUTHORIZED;
  if (/^oauth /i.test(call.request.headers.authorization ?? '')) return WRONG_KIND_OF_TOKEN;
  if (call.token === undefined || (token !== undefined && call.token !== token)) return UNAUTHORIZED;
  const quota = limits.count(`x ${call.method} ${call.path}`, limitOf(call, isEnterprise(state)), QUARTER);
  const headers = headersOf(quota, clock.now());
  const outcome = quota.exceeded ? TOO_MANY_REQUESTS : await route(state, streams, call, headers);
  return typeof outcome === 'string' ? outcome : { ...outcome, headers: { ...headers, ...outcome.headers } };
}

async function route(
  state: XState,
  { live, compliance, webhooks }: Streams,
  call: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const { method, path } = call;
  if (path.startsWith('/2/connections') && (method === 'GET' || method === 'DELETE'))
    return state.connections.handle(call);
  if (path.startsWith('/2/webhooks') || path.startsWith('/2/tweets/search/webhooks')) return webhooks.handle(call);
  switch (`${method} ${path}`) {
    case 'GET /2/tweets/search/stream':
      return openXStream(state, live, call, headers);
    case 'GET /2/tweets/compliance/stream':
      return compliance.open(call, headers);
    case `GET ${RULES}`:
      return listRules(state, call);
    case `POST ${RULES}`:
      return changeRules(state, call);
    case `GET ${RULES}/counts`:
      return countRules(state, call);
    default:
      return NOT_FOUND;
  }
}

const headersOf = ({ limit, remaining, resetAt }: Quota, now: Date): NonNullable<Answer['headers']> => ({
  date: now.toUTCString(),
  'x-rate-limit-limit': String(limit),
  'x-rate-limit-remaining': String(remaining),
  'x-rate-limit-reset': String(Math.ceil(resetAt / 1_000)),
  'x-access-level': 'read',
  'x-transaction-id': randomUUID().replaceAll('-', '').slice(0, 16),
  'x-response-time': '1',
});

const shownMatch = ({ rule: { id, tag }, similarity, threshold }: RuleMatch): MatchingRule => ({
  id,
  ...(tag !== undefined && { tag }),
  ...(similarity !== undefined && { embedding_similarity: similarity }),
  ...(threshold !== undefined && { embedding_threshold: threshold }),
});

/** An edit of the post: a new id, and the old one in its history. */
function editOf({ payload }: KeptPost, id: string): Payload {
  const data = recordIn(payload['data']) ?? {};
  const history = listIn(data['edit_history_tweet_ids']);
  const earlier = history.length > 0 ? history : [idIn(data['id'])];
  const text = `${textIn(data['text']) ?? ''} (edited)`;
  return { ...payload, data: { ...data, id, text, edit_history_tweet_ids: [...earlier, id] } };
}
