/** The service's requests to one upstream's queue, collected until the next turn takes all of them together. */
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { Drift } from './holding.ts';

interface Answer<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks for a text to be held, and is answered with the upstream's id. */
export interface HoldRequest extends Answer<string> {
  readonly text: RuleText;
  /** How often it was put off because the figures on free slots were old. */
  readonly tries: number;
}

/** Asks for a text to be removed unless a rule needs it. */
export interface ReleaseRequest extends Answer<void> {
  readonly text: RuleText;
}

export type AuditRequest = Answer<Drift>;

export interface PendingRequests {
  readonly holds: readonly HoldRequest[];
  readonly releases: readonly ReleaseRequest[];
  readonly audits: readonly AuditRequest[];
}

export interface Requests {
  hold(text: RuleText): Promise<string>;
  release(text: RuleText): Promise<void>;
  audit(): Promise<Drift>;
  /** Asks again for what could not be done before. */
  repeat(holds: readonly HoldRequest[]): void;
  readonly isEmpty: boolean;
  /** Everything that was asked since the last time. */
  drain(): PendingRequests;
  /** Refuses all requests, now and from now on. Releases resolve: the next start finds out which texts no rule needs. */
  close(error: Error): void;
}

export function createRequests(onRequest: () => void): Requests {
  let [holds, releases, audits]: [HoldRequest[], ReleaseRequest[], AuditRequest[]] = [[], [], []];
  let closedBy: Error | undefined;

  function add<T>(push: (answer: Answer<T>) => void): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    push({ resolve, reject });
    if (closedBy !== undefined) refuse(closedBy);
    else onRequest();
    return promise;
  }

  function drain(): PendingRequests {
    const pending = { holds, releases, audits };
    [holds, releases, audits] = [[], [], []];
    return pending;
  }

  function refuse(error: Error): void {
    const pending = drain();
    for (const { reject } of [...pending.holds, ...pending.audits]) reject(error);
    for (const { resolve } of pending.releases) resolve();
  }

  return {
    hold: (text) => add((answer) => holds.push({ ...answer, text, tries: 0 })),
    release: (text) => add((answer) => releases.push({ ...answer, text })),
    audit: () => add((answer) => audits.push(answer)),
    repeat: (again) => void holds.push(...again),
    get isEmpty() {
      return holds.length + releases.length + audits.length === 0;
    },
    drain,
    close(error) {
      closedBy = error;
      refuse(error);
    },
  };
}

/** Texts that a request is about to need, although no stored rule does yet. A pinned text is not removed. */
export interface Pins {
  pin(text: RuleText): void;
  /** True when this was the last pin of the text, and its removal was put off meanwhile: it is due now. */
  unpin(text: RuleText): boolean;
  /** Whether the removal of the text must wait, which is remembered until the last pin is gone. */
  putsOff(text: RuleText): boolean;
}

interface Pinned {
  count: number;
  isRemovalDue: boolean;
}

export function createPins(): Pins {
  const pinned = new Map<string, Pinned>();
  return {
    pin(text) {
      const key = textKey(text);
      const one = pinned.get(key) ?? { count: 0, isRemovalDue: false };
      one.count++;
      pinned.set(key, one);
    },
    unpin(text) {
      const key = textKey(text);
      const one = pinned.get(key);
      if (one === undefined || --one.count > 0) return false;
      pinned.delete(key);
      return one.isRemovalDue;
    },
    putsOff(text) {
      const one = pinned.get(textKey(text));
      if (one !== undefined) one.isRemovalDue = true;
      return one !== undefined;
    },
  };
}
