/** The ways in: rules are registered upstream, events are matched and stored. The ways out: streams, webhooks, notices. */
import { createChainSigner } from '../../base/signed-chain.ts';
import type { Gap } from '../../domain/coverage.ts';
import type { Platform } from '../../domain/platform.ts';
import { createIngest } from '../ingest/ingest.ts';
import { ingestByBroker } from '../ingest/ingest-by-broker.ts';
import type { LiveSet } from '../ingest/live-set.ts';
import type { Matching, MatchingDeps } from '../ingest/matching.ts';
import type { PlatformRules } from '../ingest/platform-rules.ts';
import { createHeadNotices } from '../outlets/certificate-heads.ts';
import { createMatchSignals } from '../outlets/match-signals.ts';
import { createNoticeEvents } from '../outlets/notice-events.ts';
import { createOutlets } from '../outlets/outlets.ts';
import { createRegistrations } from '../registrations/registrations.ts';
import type { Ground, ServiceParts } from './ground.ts';

export type WaysIn = ReturnType<typeof createWaysIn>;

interface Later {
  readonly onGap: (gap: Gap) => void;
  /** Resolves when this node matches by the rules that callers count on. */
  readonly current: () => Promise<void>;
}

export function createWaysIn(ground: Ground, { onGap, current }: Later) {
  const { platforms, stopping, reading, given, hasRules } = ground;
  const { store, clock, log, metrics, broker, tracer, settings } = given;
  const { languages } = reading;
  const registrations = createRegistrations({
    store,
    platforms,
    languages,
    clock,
    log,
    signal: stopping.signal,
    onGap,
  });
  const matching = hasRules ? matchingOf(ground) : noMatching();
  const { database } = settings;
  /** Matches and stores in this process, also where events travel over a broker. */
  const here = createIngest({ store, clock, log, metrics, matching, current, tracer, database });
  const ingest = broker === undefined ? here : ingestByBroker(here, broker, tracer);
  return { registrations, matching, here, ingest };
}

function matchingOf({ isUpstream, reading: { languages }, given }: Ground): Matching {
  const { newMatching, clock, matchThreads: threads } = given;
  if (newMatching === undefined) throw new Error('a process that holds rules must be given what makes them live');
  return newMatching({ languages, clock, isUpstream, threads, ...reportsTo(given) });
}

type MatchingReports = Pick<MatchingDeps, 'onUnreadable' | 'onRecheck' | 'onThreadLost'>;

const reportsTo = (given: ServiceParts): MatchingReports => ({
  onUnreadable: ({ id }, platform) => void failRule(given, id, platform),
  onRecheck(platform, { postId, rules, surplus, missing }) {
    given.metrics.rechecked(platform, rules, surplus.length + missing.length);
    if (surplus.length + missing.length === 0) return;
    given.log.error({ platform, postId, surplus, missing }, 'the core and the index differ on an event');
  },
  onThreadLost({ error, isReplaced }) {
    given.metrics.matchThreadLost();
    given.log.error(
      { err: error, isReplaced },
      'a thread that matches has ended; its events were matched by the main thread',
    );
  },
});

/** The language no longer accepts a stored text, because a limit was lowered or its grammar was corrected. */
async function failRule({ store, log }: ServiceParts, ruleId: string, platform: Platform): Promise<void> {
  log.error({ ruleId, platform }, 'a stored rule is no longer valid and is not matched');
  const error = 'This text is no longer valid. Validate Rule says why; change it with Update Rule.';
  await store.setRuleStatus(ruleId, platform, { status: 'failed', error }).catch(() => {});
}

/** In the place of the live rules, where a process holds none: it has no engine, and loads none. */
function noMatching(): Matching {
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  let isLoaded = false;
  const finish = async (): Promise<void> => {
    isLoaded = true;
    resolve();
  };
  return {
    rules: { x: NO_RULES, firehose: NO_RULES },
    ahead: { threads: 0, match: none, stop() {}, close: async () => {} },
    load: finish,
    fill: none,
    restore: none,
    image: none,
    changes: 0,
    loaded,
    get isLoaded() {
      return isLoaded;
    },
    put: none,
    drop() {},
    size: () => 0,
  };
}

function none(): never {
  throw new Error('this process holds no rules');
}

const NO_SET: LiveSet = {
  get engine(): never {
    return none();
  },
  lineCounts: undefined,
  put: none,
  append: none,
  drop() {},
  rule: () => undefined,
  size: 0,
  find: none,
  findByIds: none,
  holders: () => [],
  suspendAccounts() {},
  slow: () => [],
  reanchorSome() {},
  image: none,
  restore: none,
};

const NO_RULES: PlatformRules = {
  live: NO_SET,
  match: none,
  matchLine: none,
  matchedByThread: none,
  matchInSlices: none,
  takeSteps: () => 0,
  queryOf: none,
  askedOf: none,
  highlight: none,
};

export type WaysOut = ReturnType<typeof createWaysOut>;

/** The ends of streams that lead to later parts. */
type StreamDeps = Required<Pick<Parameters<typeof createOutlets>[0], 'coverage' | 'onWalked'>>;

/** The ways out: streams, webhooks, and notices. */
export function createWaysOut({ given, reading, holder, sealingKey, stopping }: Ground, streams: StreamDeps) {
  const { store, clock, log, metrics, settings, tracer } = given;
  const { reader, cursors } = reading;
  const { version } = settings;
  const outlets = createOutlets(
    { store, reader, clock, log, metrics, version, holder, tracer, ...streams },
    { ...given.delivery, sealingKey },
  );
  const { dispatcher } = outlets;
  const signer = createChainSigner(sealingKey, 'sluice certificates');
  const server = settings.publicUrl;
  return {
    outlets,
    signer,
    headNotices: createHeadNotices({ store, signer, clock, log, dispatcher, server }),
    noticeEvents: createNoticeEvents({ store, clock, log, cursors, dispatcher }),
    matchSignals: createMatchSignals({ store, clock, signal: stopping.signal }),
  };
}
