/** A whole service in memory for tests: real store, real engines, real languages, time as real as the test wants it. */
import type { z } from 'zod';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { Tracer } from '../../src/base/tracing.ts';
import type { Broker } from '../../src/broker/broker.ts';
import type { Account, Plan, Scope } from '../../src/domain/account.ts';
import type { Platform } from '../../src/domain/platform.ts';
import type { Role } from '../../src/domain/role.ts';
import type { LivePlatform } from '../../src/platforms/platform.ts';
import type { Language } from '../../src/rules/language.ts';
import { languages } from '../../src/rules/languages.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { addKey, authenticate } from '../../src/service/access/keys.ts';
import type { Demo } from '../../src/service/ingest/demo.ts';
import { createMatching } from '../../src/service/ingest/matching.ts';
import type { AccountLimits } from '../../src/service/limits.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import type { OutletOptions } from '../../src/service/outlets/outlets.ts';
import type { ServiceParts } from '../../src/service/parts/ground.ts';
import type { RequestInfo } from '../../src/service/perform/operation.ts';
import { perform } from '../../src/service/perform/perform.ts';
import type { Relevance } from '../../src/service/reader/relevance.ts';
import type { HistoryAccess } from '../../src/service/rehearsal/request.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { type Log, type Metrics, noMetrics } from '../../src/service/telemetry.ts';
import type { Holder } from '../../src/store/lease.ts';
import { openSqlite } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

export interface TestOptions {
  readonly clock?: Clock;
  /** The events that rules can be rehearsed on beside the recent ones. */
  readonly history?: HistoryAccess;
  readonly relevance?: Relevance;
  /** The model that judges; none unless given. */
  readonly judge?: ServiceParts['judge'];
  /** None unless given. */
  readonly matchThreads?: number;
  readonly store?: Store;
  readonly compute?: ServiceParts['compute'];
  readonly platforms?: Record<Platform, LivePlatform>;
  readonly languages?: Record<Platform, Language>;
  readonly metrics?: Metrics;
  readonly delivery?: Partial<OutletOptions>;
  /** The identity of the service among those on its store. */
  readonly holder?: Holder;
  readonly roles?: readonly Role[];
  readonly broker?: Broker;
  readonly demo?: Demo;
  readonly tracer?: Tracer;
  readonly prices?: Record<Platform, number>;
  readonly currency?: string;
  readonly limits?: AccountLimits;
  /** How sources of accounts are visited. */
  readonly visits?: ServiceParts['visits'];
  readonly operatorSources?: ServiceParts['operatorSources'];
  /** False leaves it to the test to start the service. */
  readonly loaded?: boolean;
}

export interface TestService extends AsyncDisposable {
  readonly service: Service;
  readonly store: Store;
  /** Lines that were logged, as `level message`. */
  readonly logged: string[];
  /** A caller of an account of this name, which is made when it is new. */
  caller(account: string, options?: { plan?: Plan; xRules?: number; scope?: Scope }): Promise<Caller>;
  /** Input is of any shape: wrong ones are sent too. */
  call<Name extends OperationName>(
    caller: Caller,
    name: Name,
    input?: unknown,
    request?: Partial<RequestInfo>,
  ): Promise<AnswerOf<Name>>;
  /** Every match of the caller, newest first, page by page. */
  everyMatch(caller: Caller): Promise<AnswerOf<'listMatches'>['matches']>;
  /** Pushes posts with these texts, ids counted on, as the caller. */
  post(caller: Caller, ...texts: string[]): Promise<AnswerOf<'pushEvents'>>;
}

export type AnswerOf<Name extends OperationName> = z.output<(typeof operations)[Name]['output']>;

export async function openService(options: TestOptions = {}): Promise<TestService> {
  const clock = options.clock ?? systemClock;
  const store = options.store ?? (await openSqlite(':memory:', { clock }));
  const logged: string[] = [];
  const to = (level: string) => (_: object, message: string) => void logged.push(`${level} ${message}`);
  const log: Log = { info: to('info'), warn: to('warn'), error: to('error') };
  const service = createService({
    newMatching: createMatching,
    store,
    clock,
    log,
    metrics: options.metrics ?? noMetrics,
    settings: {
      version: '0.0.0',
      startedAt: clock.now(),
      support: 'help@sluice.example',
      recentEvents: 1_000,
      retentionDays: 30,
      ...(options.prices && { prices: options.prices }),
      ...(options.currency && { currency: options.currency }),
      ...(options.limits && { limits: options.limits }),
    },
    languages: options.languages ?? languages({ local: true }),
    delivery: { resolve: noResolve, ...options.delivery },
    visits: { resolve: noResolve, pauseMs: 0, ...options.visits },
    ...(options.operatorSources && { operatorSources: options.operatorSources }),
    ...(options.platforms === undefined ? {} : { platforms: options.platforms }),
    ...(options.holder === undefined ? {} : { holder: options.holder }),
    ...(options.roles === undefined ? {} : { roles: options.roles }),
    ...(options.broker === undefined ? {} : { broker: options.broker }),
    ...(options.demo === undefined ? {} : { demo: options.demo }),
    ...(options.tracer === undefined ? {} : { tracer: options.tracer }),
    ...(options.compute === undefined ? {} : { compute: options.compute }),
    ...(options.relevance === undefined ? {} : { relevance: options.relevance }),
    ...(options.history === undefined ? {} : { history: options.history }),
    matchThreads: options.matchThreads,
    judge: options.judge,
  });
  if (options.loaded !== false) await service.start();
  return { service, store, logged, ...callers(service, store, clock), [Symbol.asyncDispose]: () => service.close() };
}

/** No test asks a name server. */
const noResolve: OutletOptions['resolve'] = (hostname, _, callback) =>
  callback(Object.assign(new Error(`${hostname} is not looked up in tests`), { code: 'ENOTFOUND' }), []);

function callers(service: Service, store: Store, clock: Clock) {
  let posted = 0;
  async function caller(
    name: string,
    { plan = 'paid', xRules = 25, scope = 'full' }: { plan?: Plan; xRules?: number; scope?: Scope } = {},
  ) {
    let account: Account | undefined = await store.account(name);
    if (account === undefined) {
      account = { id: newId('acct', clock.now()), name, plan, xRules, createdAt: clock.now() };
      await store.addAccount(account);
    }
    const { secret } = await addKey(store, clock.now(), {
      accountId: account.id,
      name: 'test',
      scope,
      expiresAt: undefined,
    });
    return authenticate(service.context, secret);
  }
  const call: TestService['call'] = async (who, name, input = {}, request = {}) => {
    const whole = { idempotencyKey: undefined, signal: new AbortController().signal, ...request };
    const answer = await perform(service.context, operations[name], who, input, whole);
    // The answer must be what the schema says, or the documents made from it are wrong.
    return operations[name].output.parse(answer) as AnswerOf<typeof name>;
  };
  const post = (who: Caller, ...texts: string[]) => {
    const lines = texts.map((text) => JSON.stringify({ data: { id: String(++posted), text } }));
    return call(who, 'pushEvents', { platform: 'x', lines: lines.join('\n') });
  };
  const everyMatch = async (who: Caller) => {
    const all: AnswerOf<'listMatches'>['matches'] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await call(who, 'listMatches', { limit: 1_000, ...(cursor !== undefined && { cursor }) });
      all.push(...page.matches);
      cursor = page.next_cursor;
      if (cursor === undefined) return all;
    }
  };
  return { caller, call, post, everyMatch };
}
