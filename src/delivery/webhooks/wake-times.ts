/** When to look at whom next. A webhook, or all of an account, is looked at once, at the earliest time asked for. */
import type { Clock } from '../../base/clock.ts';

export interface Looks {
  at(webhookId: string, time: Date): void;
  account(accountId: string, milliseconds: number): void;
  everybody(milliseconds?: number): void;
  /** Who is due now. They are no longer due afterwards. */
  take(): { webhookId?: string; accountId?: string }[];
  /** Resolves when somebody is due, or the signal aborts. */
  next(signal: AbortSignal): Promise<void>;
}

export function createLooks(clock: Clock): Looks {
  const webhooks = new Map<string, number>();
  const accounts = new Map<string, number>();
  let everybody = Number.POSITIVE_INFINITY;
  /** Set while somebody sleeps until a time: an earlier one wakes it. */
  let sleeping: { readonly until: number; readonly wake: () => void } | undefined;

  function earlier(times: Map<string, number>, id: string, time: number): void {
    times.set(id, Math.min(time, times.get(id) ?? time));
    wakeFor(time);
  }
  function wakeFor(time: number): void {
    if (sleeping !== undefined && time < sleeping.until) sleeping.wake();
  }
  function earliest(): number {
    let time = everybody;
    for (const times of [webhooks, accounts]) for (const one of times.values()) time = Math.min(time, one);
    return time;
  }

  function due(times: Map<string, number>, now: number): string[] {
    const ids = [...times].filter(([, time]) => time <= now).map(([id]) => id);
    for (const id of ids) times.delete(id);
    return ids;
  }

  return {
    at: (webhookId, time) => earlier(webhooks, webhookId, time.getTime()),
    account: (accountId, milliseconds) => earlier(accounts, accountId, clock.now().getTime() + milliseconds),
    everybody(milliseconds = 0) {
      everybody = Math.min(everybody, clock.now().getTime() + milliseconds);
      wakeFor(everybody);
    },
    take() {
      const now = clock.now().getTime();
      if (everybody <= now) {
        everybody = Number.POSITIVE_INFINITY;
        due(webhooks, now);
        due(accounts, now);
        return [{}];
      }
      const ofAccounts = due(accounts, now).map((accountId) => ({ accountId }));
      return [...ofAccounts, ...due(webhooks, now).map((webhookId) => ({ webhookId }))];
    },
    async next(signal) {
      const wait = earliest() - clock.now().getTime();
      if (wait <= 0 || signal.aborted) return;
      const woken = new AbortController();
      sleeping = { until: earliest(), wake: () => woken.abort() };
      const either = AbortSignal.any([signal, woken.signal]);
      if (Number.isFinite(wait)) await clock.sleep(Math.min(wait, LONGEST_MS), either);
      else await aborted(either);
      sleeping = undefined;
    },
  };
}

/** Timers know no longer times. */
const LONGEST_MS = 2 ** 31 - 1;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
