/** Firehose's API: tokens, rate limits and routes. */
import type { Payload } from '../../src/domain/match.ts';
import { isRejection } from '../../src/engine/events/event-view.ts';
import { pageAnalyzer } from '../../src/engine/events/page-event.ts';
import type { Context } from '../context.ts';
import type { FaultName } from '../faults/catalogue.ts';
import type { Answer, Call, Outcome } from '../http.ts';
import type { HeldRule } from '../rule-book.ts';
import { updateId } from './log.ts';
import { FORBIDDEN, NOT_FOUND, tooManyAttempts, UNAUTHENTICATED } from './problems.ts';
import { handleRules, hold, validate } from './rules.ts';
import { type Generation, openFirehoseStream, type Reader } from './stream.ts';
import { createTaps, type Tap } from './taps.ts';
import { logPage } from './updates.ts';

export interface FirehoseOptions {
  readonly token?: string | undefined;
  readonly rules?: number | undefined;
  readonly taps?: number | undefined;
  readonly generation?: Generation | undefined;
}

export interface FirehoseApp {
  handle(call: Call): Promise<Outcome>;
  post(payload: Payload): PostedPage | { readonly rejected: string };
  rules(): readonly HeldRule[];
  addForeignRule(value: string, tag: string | undefined): HeldRule;
  dropRule(id: string): boolean;
  readonly connections: number;
  /** True if a reader has not taken everything. */
  isBehind(): boolean;
  stop(): void;
}

export interface PostedPage {
  readonly id: string;
  readonly ruleIds: readonly string[];
  /** The `id:` of its update in the first tap. */
  readonly cursor: string | undefined;
}

const MINUTE = 60_000;
const RULES_CAP = 25;
const TAPS_CAP = 100;

export function createFirehose(context: Context, options: FirehoseOptions): FirehoseApp {
  const { clock, faults, keep } = context;
  const { generation = 'query_ids', rules: cap = RULES_CAP } = options;
  const live = new Set<Reader>();
  const cutReadersOf = (gone: Tap) => {
    for (const { tap, wire } of live) if (tap === gone) wire.close('fin');
  };
  const taps = createTaps({
    clock,
    keep,
    token: options.token,
    most: options.taps ?? TAPS_CAP,
    onDelete: cutReadersOf,
  });
  const analyze = pageAnalyzer();
  let ids = 0;
  const nextId = () => String(++ids);
  const room = () => cap - taps.all().reduce((sum, { book }) => sum + book.size, 0);
  faults.onThrow((name) => strikeAt(context, taps.all(), live, name));

  const routeTap = async (call: Call, headers: Readonly<Record<string, string>>): Promise<Outcome> => {
    const tap = call.token === undefined ? undefined : taps.opened(call.token);
    if (tap === undefined) return UNAUTHENTICATED;
    tap.lastUsedAt = clock.now();
    if (call.path === '/v1/validate') return call.method === 'POST' ? validate(call) : NOT_FOUND;
    const isStream = call.path === '/v1/stream' && call.method === 'GET';
    const refused = limitOn(context, tap, isStream);
    if (refused !== undefined) return refused;
    if (isStream) return openFirehoseStream({ context, tap, generation, live }, call, headers);
    return call.path.startsWith('/v1/rules') ? handleRules({ context, tap, room, cap, nextId }, call) : NOT_FOUND;
  };

  const route = async (call: Call, headers: Readonly<Record<string, string>>): Promise<Outcome> => {
    const gone = faults.take('F14');
    if (gone !== undefined) return gone.status === 403 ? FORBIDDEN : gone.status === 404 ? NOT_FOUND : UNAUTHENTICATED;
    if (call.path === '/v1/validate/public') return call.method === 'POST' ? validate(call) : NOT_FOUND;
    if (!/^\/v1\/taps(\/|$)/.test(call.path)) return routeTap(call, headers);
    return call.token?.startsWith('fhm_') ? taps.handle(call) : UNAUTHENTICATED;
  };

  return {
    async handle(call) {
      const skew = (faults.take('F25')?.seconds ?? 0) * 1_000;
      const headers = { date: new Date(clock.now().getTime() + skew).toUTCString() };
      const outcome = await route(call, headers);
      return typeof outcome === 'string' ? outcome : { ...outcome, headers: { ...headers, ...outcome.headers } };
    },
    post(page) {
      const view = analyze(page);
      if (isRejection(view)) return view;
      const ruleIds: string[] = [];
      let cursor: string | undefined;
      for (const tap of taps.all().filter(({ status }) => status === 'active')) {
        const matched = tap.book.matching(view).map(({ rule }) => rule.id);
        if (matched.length === 0) continue;
        const update = logPage(context, tap, page, matched, generation);
        if (tap === taps.first) cursor = updateId(update);
        ruleIds.push(...matched);
      }
      return { id: view.id, ruleIds, cursor };
    },
    rules: () => taps.first.book.list(),
    addForeignRule(value, tag) {
      const rule = hold(taps.first, { id: nextId(), value, tag, quality: true, nsfw: false });
      if (rule === undefined) throw new Error(`Firehose does not accept the rule: ${value}`);
      return rule;
    },
    dropRule: (id) => taps.first.book.drop(id),
    get connections() {
      return live.size;
    },
    isBehind: () => [...live].some((reader) => reader.isBehind()),
    stop() {
      for (const { wire } of live) wire.close('end');
    },
  };
}

function limitOn({ clock, limits, faults }: Context, tap: Tap, isStream: boolean): Answer | undefined {
  const forced = faults.take('F15', ({ on }) => on === 'both' || (on === 'stream') === isStream);
  if (forced !== undefined) return tooManyAttempts(forced.seconds);
  const quota = isStream ? limits.count(`stream ${tap.id}`, 30, MINUTE) : limits.count(`rules ${tap.id}`, 60, MINUTE);
  return quota.exceeded ? tooManyAttempts(Math.ceil((quota.resetAt - clock.now().getTime()) / 1_000)) : undefined;
}

/** Faults that take effect as soon as they are thrown. */
function strikeAt({ faults }: Context, taps: readonly Tap[], live: ReadonlySet<Reader>, name: FaultName): void {
  if (name === 'F8' && faults.take('F8') !== undefined) {
    for (const { log } of taps) log.forget();
    for (const { wire } of live) wire.close('reset');
  }
  if (name === 'F14') for (const { wire } of live) wire.close('reset');
  for (const reader of live) reader.strike();
}
