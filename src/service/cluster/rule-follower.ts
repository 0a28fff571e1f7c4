/**
 * Keeps a node in step with the others on its store: rules that another node changed come into its engines, matches that
 * another node stored reach its subscribers. The store's log of changes is the truth; the bell only says that it is
 * worth a look. Where one process serves alone there is nothing to follow.
 */
import type { Clock } from '../../base/clock.ts';
import type { Live } from '../../delivery/live/live.ts';
import type { Dispatcher } from '../../delivery/webhooks/dispatcher.ts';
import type { NodeReport, Store } from '../../store/store.ts';
import { unavailable } from '../ingest/group-commit.ts';
import { liveRuleOf, type Matching } from '../ingest/matching.ts';
import type { MatchNews } from '../outlets/match-signals.ts';
import type { Registrations } from '../registrations/registrations.ts';
import type { Log } from '../telemetry.ts';
import { settleUnfinished } from './reconcile.ts';

/** However silent the bell is, the store is asked this often. */
const LOOK_EVERY_MS = 500;
/** How long a node is waited for that says nothing any more. */
const THERE_FOR_MS = 10_000;
const REPORT_EVERY_MS = 3_000;
/** What a node that died left behind, or a bell that was missed, waits no longer than this. */
const SWEEP_EVERY_MS = 30_000;
const CHANGES_AT_ONCE = 500;
const SHORTEST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 100;

export interface Follow {
  /** Before the rules are loaded: what changes from here on is followed. */
  begin(): Promise<void>;
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every node that is there knows of all changes of rules until now. */
  caughtUp(): Promise<void>;
  /**
   * Resolves when this node matches by the rules that callers count on. A node that was frozen, or cut off, for so long
   * that nobody waits for it any more must not match before it has caught up. Throws `unavailable` when it cannot.
   */
  current(): Promise<void>;
  /** How many nodes answer requests, this one among them: they share what a key may ask for. */
  readonly apis: number;
  /** Why this node does not follow; undefined when it does. */
  readonly trouble: string | undefined;
}

interface Deps {
  readonly store: Store;
  readonly matching: Pick<Matching, 'put' | 'drop' | 'loaded'>;
  readonly live: Pick<Live, 'committed' | 'forget' | 'endRule'>;
  readonly dispatcher: Pick<Dispatcher, 'owed'>;
  readonly matchNews: Pick<MatchNews, 'heard'>;
  readonly registrations: Pick<Registrations, 'release'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: Pick<NodeReport, 'id' | 'roles'>;
}

export function createFollow(deps: Deps): Follow {
  const { store, matching, live, dispatcher, matchNews, clock, log, node } = deps;
  let applied = 0;
  let latest = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  /** Until then the others wait for us, and we have looked since they do. */
  let currentUntil = Number.NEGATIVE_INFINITY;
  const onLook: (() => void)[] = [];
  /** A look is wanted although nobody rang. */
  let isDue = false;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let countedAt = Number.NEGATIVE_INFINITY;
  let apis = 1;
  let hasRung = false;
  let wake = () => {};
  let trouble: string | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    if (!store.isShared) return;
    await matching.loaded;
    let stopHearing: (() => Promise<void>) | undefined;
    while (!signal.aborted) {
      try {
        // A store that is away when the node starts is asked again, like one that goes away later.
        stopHearing ??= await store.bell(heard);
        await look();
        trouble = undefined;
      } catch (error) {
        if (trouble === undefined) log.warn({ err: error }, 'the other nodes cannot be followed; trying again');
        trouble = 'the other nodes cannot be followed';
      }
      for (const resume of onLook.splice(0)) resume();
      if (!hasRung && !isDue) await rest(signal);
    }
    await stopHearing?.();
    await store.removeNode(node.id).catch(() => {});
  }

  function heard(accountIds: readonly string[]): void {
    hasRung = true;
    if (accountIds.length > 0) tell(accountIds);
    wake();
  }

  function tell(accountIds: readonly string[] | undefined): void {
    live.committed(accountIds);
    matchNews.heard(accountIds);
    if (accountIds === undefined) dispatcher.owed(undefined);
    else for (const accountId of accountIds) dispatcher.owed(accountId);
  }

  async function look(): Promise<void> {
    const rang = hasRung;
    const there = reportedAt + THERE_FOR_MS;
    const wasThere = clock.elapsed() < there;
    hasRung = false;
    isDue = false;
    const news = await store.news();
    // The bell names the accounts; a match that came without it is told to everybody.
    if (news.latest > latest && !rang) tell(undefined);
    latest = news.latest;
    const before = applied;
    while (applied < news.ruleChange) await apply();
    if (applied > before || clock.elapsed() - reportedAt >= REPORT_EVERY_MS) await report();
    // What changed while we were not there was not waited for: now that we are, it is looked for at once.
    if (wasThere && clock.elapsed() < there) currentUntil = reportedAt + THERE_FOR_MS;
    else isDue = true;
    if (clock.elapsed() - countedAt >= REPORT_EVERY_MS) await count();
    if (clock.elapsed() - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = clock.elapsed();
    dispatcher.owed(undefined);
    await settleUnfinished(deps);
  }

  async function count(): Promise<void> {
    countedAt = clock.elapsed();
    const others = (await store.nodes(clock.now())).filter(({ id, roles }) => id !== node.id && roles.includes('api'));
    apis = 1 + others.length;
  }

  async function apply(): Promise<void> {
    const changes = await store.ruleChanges(applied, CHANGES_AT_ONCE);
    if (changes.length === 0) throw new Error('changes of rules are missing from the log');
    for (const { accountId, ruleId } of new Map(changes.map((change) => [change.ruleId, change])).values()) {
      const rule = await store.rule(accountId, ruleId);
      if (rule !== undefined) {
        matching.put(liveRuleOf(rule));
        continue;
      }
      matching.drop(ruleId);
      live.forget(accountId);
      live.endRule(ruleId);
    }
    applied = changes.at(-1)!.number;
  }

  async function report(): Promise<void> {
    const begun = clock.elapsed();
    await store.reportNode({ ...node, applied }, clock.now(), THERE_FOR_MS);
    reportedAt = begun;
  }

  async function rest(signal: AbortSignal): Promise<void> {
    const rung = new AbortController();
    wake = () => rung.abort();
    await clock.sleep(LOOK_EVERY_MS, AbortSignal.any([signal, rung.signal]));
    wake = () => {};
  }

  return {
    async begin() {
      if (!store.isShared) return;
      ({ ruleChange: applied, latest } = await store.news());
      await report();
    },
    run,
    async caughtUp() {
      if (!store.isShared) return;
      const { ruleChange } = await store.news();
      for (let wait = SHORTEST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
        const nodes = await store.nodes(clock.now());
        // We ourselves have applied what we changed before we wrote it down.
        if (nodes.every(({ id, applied: known }) => id === node.id || known >= ruleChange)) return;
        await clock.sleep(wait);
      }
    },
    async current() {
      while (store.isShared && clock.elapsed() >= currentUntil) {
        if (trouble !== undefined) throw unavailable();
        const looked = new Promise<void>((resolve) => {
          onLook.push(resolve);
        });
        isDue = true;
        wake();
        await looked;
      }
    },
    get apis() {
      return apis;
    },
    get trouble() {
      return trouble;
    },
  };
}
