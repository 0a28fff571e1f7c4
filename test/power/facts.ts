/** The facts that the program told somebody during its lives, and what must therefore be on the disk. */

export const ACCOUNT = 'acct_power';
export const RULES = 3;
export const CURSOR = 'power';
export const FINGERPRINT = 'power';
const FIRST_POST = 10_000_000;

export const postOf = (number: number): string => String(FIRST_POST + number);
export const numberOf = (post: string): number => Number(post) - FIRST_POST;
/** Each event matches one rule. */
export const ruleOf = (number: number): number => number % RULES;

/** Something was done; where it says that something leaves, from now on it may be either way. */
export type Fact =
  | { readonly kind: 'rule'; readonly number: number; readonly id: string }
  | { readonly kind: 'events'; readonly numbers: readonly number[] }
  | { readonly kind: 'cursor'; readonly from: number; readonly number: number }
  | { readonly kind: 'event leaves' | 'erased'; readonly number: number }
  | { readonly kind: 'webhook'; readonly id: string; readonly secret: string }
  | { readonly kind: 'webhook leaves'; readonly id: string }
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'backup' | 'backup leaves'; readonly name: string }
  | { readonly kind: 'credentials' | 'credentials leave'; readonly key: string };

export interface Known {
  readonly rules: Map<number, string>;
  /** Each must be there once. */
  readonly events: Set<number>;
  /** None of them may be there. */
  readonly erased: Set<number>;
  readonly webhooks: Map<string, string>;
  /** Each with the events that must be in it. */
  readonly backups: Map<string, readonly number[]>;
  /** One of them must be stored. Empty where nobody has logged in. */
  credentials: readonly string[];
  cursor: number;
}

export const nothingKnown = (): Known => ({
  rules: new Map(),
  events: new Set(),
  erased: new Set(),
  webhooks: new Map(),
  backups: new Map(),
  credentials: [],
  cursor: -1,
});

export function learn(before: Known, facts: readonly Fact[]): Known {
  const known = {
    ...before,
    rules: new Map(before.rules),
    events: new Set(before.events),
    erased: new Set(before.erased),
    webhooks: new Map(before.webhooks),
    backups: new Map(before.backups),
  };
  for (const fact of facts) learnOne(known, fact);
  return known;
}

function learnOne(known: Known, fact: Fact): void {
  switch (fact.kind) {
    case 'rule':
      known.rules.set(fact.number, fact.id);
      break;
    case 'events':
      // One that was erased before it came is refused.
      for (const number of fact.numbers) if (!known.erased.has(number)) known.events.add(number);
      break;
    case 'cursor':
      for (let number = fact.from; number <= fact.number; number++)
        if (!known.erased.has(number)) known.events.add(number);
      known.cursor = fact.number;
      break;
    case 'event leaves':
      known.events.delete(fact.number);
      break;
    case 'erased':
      known.erased.add(fact.number);
      break;
    case 'webhook':
      known.webhooks.set(fact.id, fact.secret);
      break;
    case 'webhook leaves':
      known.webhooks.delete(fact.id);
      break;
    case 'backup leaves':
      known.backups.delete(fact.name);
      break;
    case 'backup':
      known.backups.set(fact.name, [...known.events]);
      break;
    case 'credentials leave':
      if (known.credentials.length > 0) known.credentials = [...known.credentials, fact.key];
      break;
    case 'credentials':
      known.credentials = [fact.key];
      break;
    case 'snapshot':
      break;
  }
}
