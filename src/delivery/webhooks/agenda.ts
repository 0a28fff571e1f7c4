/**
 * When to check which webhook next. Repeated requests for one webhook or account collapse to the earliest time. When the clock
 * is set, or the machine has slept, the noted times are worth nothing: then all webhooks are checked.
 */
import type { Clock } from '../../base/clock.ts';
import { createWakeUp } from '../../base/wake-up.ts';

/** Which webhooks to check: one, those of an account, or all. */
export interface Check {
  readonly webhookId?: string;
  readonly accountId?: string;
}

export interface WebhookAgenda {
  checkWebhook(webhookId: string, at: Date): void;
  checkAccount(accountId: string, inMilliseconds: number): void;
  checkAll(inMilliseconds: number): void;
  /** Takes what is due now off the agenda. */
  takeDue(): Check[];
  /** Resolves when a check is due, or the signal aborts. */
  untilDue(signal: AbortSignal): Promise<void>;
}

const NEVER = Number.POSITIVE_INFINITY;
/** A step of the clock is noticed within this time, or with the next request for a check. */
const LONGEST_SLEEP_MS = 60_000;
/** A clock that is kept right by less than this was not set. */
const STEP_MS = 1_000;

export function createWebhookAgenda(clock: Clock): WebhookAgenda {
  const webhooks = new Map<string, number>();
  const accounts = new Map<string, number>();
  let all = NEVER;
  const wakeUp = createWakeUp(clock);
  /** An earlier time than this one ends the sleep. */
  let sleepsUntil: number | undefined;
  const now = () => clock.now().getTime();

  /** The difference of the two clocks: it changes when one of them is set. */
  const offsetNow = () => now() - clock.elapsed();
  let offset = offsetNow();
  const wasSet = () => Math.abs(offsetNow() - offset) > STEP_MS;

  function wakeFor(time: number): void {
    if (sleepsUntil !== undefined && (time < sleepsUntil || wasSet())) wakeUp.wake();
  }
  function note(times: Map<string, number>, id: string, time: number): void {
    times.set(id, Math.min(time, times.get(id) ?? NEVER));
    wakeFor(time);
  }

  return {
    checkWebhook: (webhookId, at) => note(webhooks, webhookId, at.getTime()),
    checkAccount: (accountId, inMilliseconds) => note(accounts, accountId, now() + inMilliseconds),
    checkAll(inMilliseconds) {
      all = Math.min(all, now() + inMilliseconds);
      wakeFor(all);
    },
    takeDue() {
      if (wasSet()) {
        webhooks.clear();
        accounts.clear();
        all = now();
      }
      offset = offsetNow();
      const [dueAccounts, dueWebhooks] = [take(accounts, now()), take(webhooks, now())];
      if (all > now())
        return [...dueAccounts.map((accountId) => ({ accountId })), ...dueWebhooks.map((webhookId) => ({ webhookId }))];
      all = NEVER;
      return [{}];
    },
    async untilDue(signal) {
      sleepsUntil = Math.min(all, earliest(accounts), earliest(webhooks));
      await wakeUp.sleep(sleepsUntil === NEVER ? NEVER : Math.min(sleepsUntil - now(), LONGEST_SLEEP_MS), signal);
      sleepsUntil = undefined;
    },
  };
}

function earliest(times: ReadonlyMap<string, number>): number {
  let first = NEVER;
  for (const time of times.values()) first = Math.min(first, time);
  return first;
}

/** Removes and answers the ids whose time has come. */
function take(times: Map<string, number>, now: number): string[] {
  const due = [...times].filter(([, time]) => time <= now).map(([id]) => id);
  for (const id of due) times.delete(id);
  return due;
}
