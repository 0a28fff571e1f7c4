/**
 * Keeps this node in step with the others on its store: rules that another node changed come into its engines, and
 * matches that another node stored reach its subscribers. The store's change log is the truth; its bell only says that
 * the log is worth a look. A process that has its store to itself follows nothing.
 */
import type { Clock } from '../../base/clock.ts';
import { aborted, createWakeUp } from '../../base/wake-up.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import { StoreError } from '../../store/error.ts';
import { ACCOUNT_MARK } from '../../store/nouns/accounts.ts';
import { readNotice } from '../../store/nouns/nodes.ts';
import type { MatchNews, NodeReport, Store } from '../../store/store.ts';
import { readLoggedCpu } from '../access/cpu-use.ts';
import type { Suspensions } from '../accounts/suspensions.ts';
import { unavailable } from '../ingest/group-commit.ts';
import { liveRuleOf } from '../ingest/live-rule.ts';
import type { Matching } from '../ingest/matching.ts';
import type { MatchSignals } from '../outlets/match-signals.ts';
import type { NotReady } from '../readiness.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log } from '../telemetry.ts';
import { SNAPSHOT_MARK } from './load-rules.ts';
import { createNodePresence, type NodePresence } from './node-presence.ts';
import { finishAbandoned } from './reconcile.ts';
import { createToldMatches, type ToldMatches } from './told-matches.ts';

/** The change log is read this often when the bell is silent. */
const LOOK_EVERY_MS = 500;
/** Rules that a dead node left unfinished, and webhooks whose bell was missed, wait no longer than this. */
const SWEEP_EVERY_MS = 30_000;
const CHANGES_AT_ONCE = 500;
/** How an alert that began, grew or ended is named in the log. */
const ALERT = 'alert ';
const SHORTEST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;
/** A look that takes longer has lost its store, whatever becomes of its statement. */
const LONGEST_LOOK_MS = 4_000;

export interface RuleFollower {
  /** Before the rules are loaded: changes from here on are followed. */
  begin(): Promise<void>;
  /** Follows until the signal aborts. It never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every node that is present has applied all rule changes made until now. */
  caughtUp(): Promise<void>;
  /**
   * Resolves when this node matches by the rules that callers count on. A node that was frozen or cut off until the
   * others stopped waiting for it must not match before it has caught up. Throws `unavailable` when it cannot, or follows
   * no more.
   */
  current(): Promise<void>;
  /** This node among the others. */
  readonly presence: Pick<NodePresence, 'apis' | 'clockAhead'>;
  /** Why this node does not follow; undefined when it does, and has applied the changes that others count on. */
  readonly trouble: NotReady | undefined;
}

interface Deps {
  readonly store: Store;
  readonly matching: Pick<Matching, 'put' | 'drop' | 'loaded'>;
  readonly live: Pick<Live, 'committed' | 'forget' | 'endRule' | 'alert'>;
  readonly dispatcher: Pick<Dispatcher, 'owed'>;
  readonly matchSignals: Pick<MatchSignals, 'committedElsewhere'>;
  readonly suspensions: Pick<Suspensions, 'follow'>;
  readonly registrations: Pick<Registrations, 'release'>;
  readonly clock: Clock;
  readonly log: Log;
  /** By which nodes tell each other of matches; without one the store tells of them. */
  readonly broker?: Pick<Broker, 'hear'> | undefined;
  readonly node: Pick<NodeReport, 'id' | 'roles'>;
  /** Whether this process holds the live rules. */
  readonly hasRules: boolean;
}

/** The state that one look at the store leaves for the next. */
interface FollowState {
  /** The last rule change that this node has applied. */
  applied: number;
  /** Which matches subscribers were told of. */
  told: ToldMatches;
  /** Other nodes wait for this one until then, and it has applied all changes made before they began to. */
  currentUntil: number;
  sweptAt: number;
  /** The bell rang since the last look. */
  hasRung: boolean;
  /** A look is due although the bell is silent. */
  isDue: boolean;
}

export function createRuleFollower(deps: Deps): RuleFollower {
  const { store, clock, log, node } = deps;
  const presence = createNodePresence(store, clock, node);
  const wakeUp = createWakeUp(clock);
  const state = newFollowState();
  let onLook: (() => void)[] = [];
  let trouble: NotReady | undefined;
  let lookingSince: number | undefined;
  let hasEnded = false;

  /** A notice of matches says all that there is to know: the log of rules has nothing new. */
  function onBell(news: MatchNews | undefined): void {
    if (news !== undefined) {
      tellOfMatches(deps, news.accountIds);
      state.told.heard(news);
      return;
    }
    state.hasRung = true;
    wakeUp.wake();
  }

  /** A step that fails is tried again at the next look; listening to the bell may fail too. */
  async function follow(bell: Bell): Promise<void> {
    lookingSince = clock.elapsed();
    try {
      await bell.listen();
      await look(deps, state, presence);
      trouble = undefined;
    } catch (error) {
      if (trouble === undefined) log.warn({ err: error }, 'the other nodes cannot be followed; trying again');
      trouble = error instanceof StoreError && error.reason === 'away' ? 'store_away' : 'node_behind';
    }
    lookingSince = undefined;
    resumeAll();
  }

  function resumeAll(): void {
    const looked = onLook;
    onLook = [];
    for (const resume of looked) resume();
  }

  const isStuck = (): boolean => lookingSince !== undefined && clock.elapsed() - lookingSince > LONGEST_LOOK_MS;
  const isCurrent = (): boolean => !store.isShared || clock.elapsed() < state.currentUntil;

  return {
    async begin() {
      if (!store.isShared) return;
      const news = await store.news();
      state.applied = news.ruleChange;
      state.told = createToldMatches(news.latest);
      await presence.report(state.applied, true);
    },
    async run(signal) {
      if (!store.isShared) return;
      // A start that is cut short never loads them.
      await Promise.race([deps.matching.loaded, aborted(signal)]);
      const bell = createBell(store, onBell);
      const deaf = deps.broker?.hear((notice) => {
        if (readLoggedCpu(notice) === undefined) onBell(readNotice(notice));
      });
      while (!signal.aborted) {
        await follow(bell);
        if (!state.hasRung && !state.isDue) await wakeUp.sleep(LOOK_EVERY_MS, signal);
      }
      // Whoever waits to be current would wait for a look that never comes.
      hasEnded = true;
      resumeAll();
      deaf?.();
      await bell.stop();
      await store.removeNode(node.id).catch(() => {});
    },
    presence,
    caughtUp: () => waitForNodes(deps),
    async current() {
      while (!isCurrent()) {
        if (hasEnded || trouble !== undefined) throw unavailable();
        const looked = new Promise<void>((resolve) => void onLook.push(resolve));
        state.isDue = true;
        wakeUp.wake();
        await looked;
      }
    },
    get trouble() {
      if (isStuck()) return 'store_away';
      return trouble ?? (isCurrent() ? undefined : 'node_behind');
    },
  };
}

const newFollowState = (): FollowState => ({
  applied: 0,
  told: createToldMatches(0),
  currentUntil: Number.NEGATIVE_INFINITY,
  sweptAt: Number.NEGATIVE_INFINITY,
  hasRung: false,
  isDue: false,
});

interface Bell {
  /** Listens from now on; does nothing when it listens already. */
  listen(): Promise<void>;
  stop(): Promise<void>;
}

function createBell(store: Store, onBell: (news: MatchNews | undefined) => void): Bell {
  let stopListening: (() => Promise<void>) | undefined;
  return {
    async listen() {
      stopListening ??= await store.bell(onBell);
    },
    stop: async () => stopListening?.().catch(() => {}),
  };
}

/** Applies what changed since the last look, and reports it. */
async function look(deps: Deps, state: FollowState, presence: NodePresence): Promise<void> {
  const { store, clock } = deps;
  const { presentUntil } = presence;
  state.hasRung = false;
  state.isDue = false;
  const news = await store.news();
  // A notice names the accounts; a match that none was about concerns every account.
  if (state.told.isBehind(news.latest)) tellOfMatches(deps, undefined);
  const before = state.applied;
  while (state.applied < news.ruleChange) state.applied = await applyChanges(deps, state.applied);
  await presence.report(state.applied, state.applied > before);
  // The others did not wait for changes that were made while this node was away: it looks once more, now present.
  if (clock.elapsed() < presentUntil) state.currentUntil = presence.presentUntil;
  else state.isDue = true;
  if (clock.elapsed() - state.sweptAt < SWEEP_EVERY_MS) return;
  state.sweptAt = clock.elapsed();
  deps.dispatcher.owed(undefined);
  await finishAbandoned(deps);
}

/** Tells the ways out of new matches of these accounts, or of every account. */
function tellOfMatches({ live, matchSignals, dispatcher }: Deps, accountIds: readonly string[] | undefined): void {
  live.committed(accountIds);
  matchSignals.committedElsewhere(accountIds);
  for (const accountId of accountIds ?? [undefined]) dispatcher.owed(accountId);
}

/** Applies the next changes of the log, and answers the number of the last one. */
async function applyChanges({ store, matching, live, suspensions, hasRules }: Deps, applied: number): Promise<number> {
  const changes = await store.ruleChanges(applied, CHANGES_AT_ONCE);
  if (changes.length === 0) throw new Error('changes of rules are missing from the log');
  for (const { accountId, ruleId } of new Map(changes.map((change) => [change.ruleId, change])).values()) {
    if (ruleId.startsWith(ALERT)) {
      const alert = await store.alert(accountId, ruleId.slice(ALERT.length));
      if (alert !== undefined) live.alert(alert);
      continue;
    }
    if (ruleId.startsWith(SNAPSHOT_MARK)) continue;
    if (ruleId.startsWith(ACCOUNT_MARK)) {
      await suspensions.follow();
      continue;
    }
    const rule = await store.rule(accountId, ruleId);
    if (rule !== undefined) {
      if (hasRules) matching.put(liveRuleOf(rule));
      continue;
    }
    matching.drop(ruleId);
    live.forget(accountId);
    live.endRule(ruleId);
  }
  return changes.at(-1)!.number;
}

async function waitForNodes({ store, clock, node }: Deps): Promise<void> {
  if (!store.isShared) return;
  const { ruleChange } = await store.news();
  for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    const nodes = await store.nodes(clock.now());
    // This node has applied its own changes before it wrote them to the log.
    if (nodes.every(({ id, applied }) => id === node.id || applied >= ruleChange)) return;
    await clock.sleep(wait);
  }
}
