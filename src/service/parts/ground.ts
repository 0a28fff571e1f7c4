/** A service is made from the parts that its caller gives, with a default for each that may be left out. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Tracer } from '../../base/tracing.ts';
import type { Broker } from '../../broker/broker.ts';
import { SEALING_KEY_BYTES } from '../../delivery/webhooks/seal.ts';
import type { Platform } from '../../domain/platform.ts';
import { ROLES, type Role } from '../../domain/role.ts';
import { localPlatform } from '../../platforms/local/local.ts';
import type { LivePlatform } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import type { SourceConfig } from '../../sources/kinds/kinds.ts';
import type { SourceStatus } from '../../sources/source-status.ts';
import { StoreError, type StoreFailure } from '../../store/error.ts';
import type { Holder } from '../../store/lease.ts';
import type { Store } from '../../store/store.ts';
import type { RuleSnapshots } from '../cluster/load-rules.ts';
import type { Compute } from '../compute.ts';
import type { ReadContext, Settings } from '../context.ts';
import type { Demo } from '../ingest/demo.ts';
import type { Matching, MatchingDeps } from '../ingest/matching.ts';
import type { JudgeOptions } from '../judging/ask-model.ts';
import type { OAuthOptions } from '../oauth/oauth.ts';
import type { OutletOptions } from '../outlets/outlets.ts';
import type { Relevance } from '../reader/relevance.ts';
import type { HistoryAccess } from '../rehearsal/request.ts';
import type { Log, Metrics } from '../telemetry.ts';
import type { VisitOptions } from '../visits/visits.ts';
import { createReadContext } from './read-context.ts';

export interface ServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly settings: Settings;
  readonly languages: Readonly<Record<Platform, Language>>;
  /** Our own, unless upstream ones are given. */
  readonly platforms?: Readonly<Record<Platform, LivePlatform>>;
  /** This process among those on its store, and what it does there: everything, unless `roles` says otherwise. */
  readonly holder?: Holder;
  readonly roles?: readonly Role[];
  /** Carries events to the matchers; without it they are matched where they arrive. */
  readonly broker?: Broker;
  /** Options of the ways out that differ from the defaults. */
  readonly delivery?: Partial<OutletOptions>;
  /** Without it OAuth is off. */
  readonly oauth?: OAuthOptions;
  /** The state of the open sources, where there are some. */
  readonly sources?: () => readonly SourceStatus[];
  /** The sources of the operator, which feed all accounts. */
  readonly operatorSources?: readonly SourceConfig[];
  /** How sources of accounts are visited, where that differs from the default. */
  readonly visits?: Partial<VisitOptions>;
  /** History that rules can be tried on beside the recent events. */
  readonly history?: HistoryAccess;
  /** Whether the demo feed plays; without it, it never does. */
  readonly demo?: Demo;
  /** Compute threads; without them the thread of the service does their work. */
  readonly compute?: Compute<ReadContext> | undefined;
  /** Compute threads for long work that nobody waits for. */
  readonly background?: Compute<ReadContext> | undefined;
  /** How relevant matches are: by intents and ratings, unless it is given. */
  readonly relevance?: Relevance;
  /** The operator's model, where one judges matches. */
  readonly judge?: JudgeOptions | undefined;
  /** Without it traces are off. */
  readonly tracer?: Tracer | undefined;
  /** Makes the live rules and their engines. A process that holds none needs none. */
  readonly newMatching?: ((deps: MatchingDeps) => Matching) | undefined;
  /** Threads that match beside this one; none unless it is given. */
  readonly matchThreads?: number | undefined;
  /** Without it every start reads the rules one by one. */
  readonly snapshots?: RuleSnapshots | undefined;
}

/** The given parts without a gap: every other part of the service is made on them. */
export type Ground = ReturnType<typeof createGround>;

export function createGround(given: ServiceParts) {
  const platforms = given.platforms ?? { x: localPlatform('x'), firehose: localPlatform('firehose') };
  const { sealingKey = randomBytes(SEALING_KEY_BYTES) } = given.delivery ?? {};
  const shapes = { x: platforms.x.shape, firehose: platforms.firehose.shape };
  const roles = given.roles ?? ROLES;
  return {
    given,
    reading: createReadContext({ ...given, shapes, sealingKey }),
    platforms,
    isUpstream: (platform: Platform) => shapes[platform] === 'upstream',
    holder: given.holder ?? onlyProcess(),
    roles,
    /** Whether this process holds the live rules. One that only delivers, or only hands events to a broker, does not. */
    hasRules: holdsRules({ roles, platforms, broker: given.broker }),
    sealingKey,
    startRetry: createStartRetry(given),
    /** Aborts when the loops are to end. */
    stopping: new AbortController(),
  };
}

/** Rules judge the events of upstreams where they arrive. A process without roles is there for its operations. */
export function holdsRules({
  roles,
  platforms,
  broker,
}: {
  readonly roles: readonly Role[];
  readonly platforms: Readonly<Record<Platform, Pick<LivePlatform, 'shape'>>>;
  readonly broker: unknown;
}): boolean {
  const handsEventsOn = broker !== undefined && !Object.values(platforms).some(({ shape }) => shape === 'upstream');
  return roles.length === 0 || !roles.every((role) => role === 'delivery' || (role === 'connector' && handsEventsOn));
}

/** Knows of no other process: a lease that another process holds is held until it runs out. */
const onlyProcess = (): Holder => ({ id: randomUUID(), isGone: () => false });

const RETRY_MS = 500;
/** Failures that go away by themselves. */
const TRANSIENT: ReadonlySet<StoreFailure> = new Set(['away', 'busy']);

interface StartRetry {
  /** Runs a step that may be run twice. Throws what it threw when the failure is another, or the signal aborts. */
  retry(step: () => Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** The reason why a step waits; a store that is only busy can be reached. */
  readonly trouble: 'store_away' | undefined;
}

/** A start waits for its store: a step that failed because the store did not answer is retried until it does. */
function createStartRetry({ clock, log }: { readonly clock: Clock; readonly log: Log }): StartRetry {
  let waitsFor: StoreFailure | undefined;
  return {
    async retry(step, signal) {
      for (;;) {
        try {
          await step();
          waitsFor = undefined;
          return;
        } catch (error) {
          if (signal.aborted || !(error instanceof StoreError) || !TRANSIENT.has(error.reason)) throw error;
          if (waitsFor === undefined)
            log.warn({ err: error }, 'the store does not answer; the start tries again until it does');
          waitsFor = error.reason;
        }
        await clock.sleep(RETRY_MS, signal);
        signal.throwIfAborted();
      }
    },
    get trouble() {
      return waitsFor === 'away' ? 'store_away' : undefined;
    },
  };
}
