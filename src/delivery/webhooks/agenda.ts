/** When to check which webhook next. Repeated requests for one webhook or account collapse to the earliest time. */
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

export function createWebhookAgenda(clock: Clock): WebhookAgenda {
  const webhooks = new Map<string, number>();
  const accounts = new Map<string, number>();
  let all = NEVER;
  const wakeUp = createWakeUp(clock);
  /** An earlier time than this one ends the sleep. */
  let sleepsUntil: number | undefined;
  const now = () => clock.now().getTime();

  function wakeFor(time: number): void {
    if (sleepsUntil !== undefined && time < sleepsUntil) wakeUp.wake();
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
      const [dueAccounts, dueWebhooks] = [take(accounts, now()), take(webhooks, now())];
      if (all > now())
        return [...dueAccounts.map((accountId) => ({ accountId })), ...dueWebhooks.map((webhookId) => ({ webhookId }))];
      all = NEVER;
      return [{}];
    },
    async untilDue(signal) {
      sleepsUntil = Math.min(all, earliest(accounts), earliest(webhooks));
      await wakeUp.sleep(sleepsUntil - now(), signal);
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
