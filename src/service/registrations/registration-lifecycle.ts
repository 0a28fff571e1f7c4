/**
 * The life of a registration: one table of its states and of the events that move it. Pure.
 *
 *              accepted, found               unneeded                  removed           expired
 *     wanted ─────────────────▶ held ─────────────────────▶ leaving ─────────────▶ gone ─────────▶ dropped
 *       │ │                      ▲ │ ◀──────── needed ──────── ▲                     ▲
 *       │ └─────────────────── unanswered ─────────────────────┘                     │
 *       │                          └──────────────────── lost ──────────────────────┘
 *       └─ refused ─▶ dropped
 *
 * The id of one that is not held may come to another registration, which supersedes it: it is dropped. `wanted` and `leaving` owe the upstream a call: to register it, and to unregister it. `gone` is kept for a while because the upstream
 * may still deliver events for its id. A registration whose id nobody ever learned is dropped instead.
 */
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Registration, RegistrationState, Rule } from '../../domain/rule.ts';
import type { RuleText } from '../../rules/rule-text.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import type { HeldIds } from './holding.ts';

export type RegistrationEvent =
  /** The upstream took it, and gave it an id. */
  | 'accepted'
  /** The upstream refused it for sure. */
  | 'refused'
  /** Nobody knows what the upstream did: it may hold it all the same, so it is looked for and removed. */
  | 'unanswered'
  /** A comparison found it at the upstream, and rules want it. */
  | 'found'
  /** A comparison found it at the upstream, and no rule wants it. */
  | 'found_unneeded'
  /** A comparison did not find it at the upstream. */
  | 'lost'
  /** It is no longer the holder of any text that a rule wants, or another one has taken its place. */
  | 'unneeded'
  /** A rule came to need it before it was removed. */
  | 'needed'
  /** The upstream was asked to remove it. */
  | 'removed'
  /** Another registration bears its id now. */
  | 'superseded'
  /** The upstream delivers no more events for its id. */
  | 'expired';

type Next = RegistrationState | 'dropped';

export const LIFECYCLE: Readonly<Record<RegistrationState, Readonly<Partial<Record<RegistrationEvent, Next>>>>> = {
  wanted: {
    accepted: 'held',
    refused: 'dropped',
    unanswered: 'leaving',
    found: 'held',
    found_unneeded: 'leaving',
    lost: 'gone',
    superseded: 'dropped',
  },
  held: { found: 'held', found_unneeded: 'leaving', unneeded: 'leaving', lost: 'gone' },
  leaving: { found_unneeded: 'leaving', needed: 'held', removed: 'gone', lost: 'gone', superseded: 'dropped' },
  gone: { expired: 'dropped', superseded: 'dropped' },
};

/** The call that a registration in this state owes the upstream. */
export const OWED_CALLS: Readonly<Partial<Record<RegistrationState, 'register' | 'unregister'>>> = {
  wanted: 'register',
  leaving: 'unregister',
};

export interface RegistrationStep {
  readonly row: Registration;
  readonly event: RegistrationEvent;
  readonly at: Date;
  /** The upstream's id, where the event tells it. */
  readonly id?: string | undefined;
}

/** The registration after the event; undefined where it is dropped. An event that its state does not know is a defect. */
export function advance({ row, event, at, id = row.platformRuleId }: RegistrationStep): Registration | undefined {
  const next = LIFECYCLE[row.state][event];
  if (next === undefined) throw new Error(`a registration that is ${row.state} cannot be ${event}`);
  if (next === 'dropped' || (next === 'gone' && id === undefined)) return undefined;
  const isUnmoved = next === row.state && next === 'leaving';
  return { ...row, platformRuleId: id, state: next, since: isUnmoved ? row.since : at };
}

/**
 * Turns steps into one change of the store. A registration that is accepted or found makes the rules with its texts
 * active.
 */
export function registrationChange(steps: Iterable<RegistrationStep>): Required<RegistrationChange> {
  const put: Registration[] = [];
  const drop: string[] = [];
  const holders: Required<RegistrationChange>['holders'][number][] = [];
  for (const step of steps) {
    const row = advance(step);
    if (row === undefined) drop.push(step.row.tag);
    else put.push(row);
    const isActive = step.event === 'accepted' || step.event === 'found';
    if (isActive && row?.platformRuleId !== undefined)
      holders.push(...activeHolders(row.platform, textsIn(row), row.platformRuleId));
  }
  return { put, drop, holders };
}

export const textsIn = ({ texts, flags }: Registration): RuleText[] => texts.map((value) => ({ value, flags }));

/** The one place that writes `active`: a platform holds a rule's text under this id. */

type Holders = NonNullable<RegistrationChange['holders']>;

/** Stores, for every rule of any account with one of these texts, that the text is held under this id from now on. */
export const activeHolders = (platform: Platform, texts: readonly RuleText[], platformRuleId: string): Holders =>
  texts.map(({ value, flags }) => ({ platform, value, flags, status: 'active', platformRuleId }));

/** For one rule, whose platforms have just taken its texts. */
export async function activate(store: Pick<Store, 'setRuleStatus'>, ruleId: string, ids: HeldIds): Promise<void> {
  for (const name of PLATFORMS) {
    const platformRuleId = ids[name];
    if (platformRuleId !== undefined) await store.setRuleStatus(ruleId, name, { status: 'active', platformRuleId });
  }
}

/** The ids that platforms gave to a rule so far. */
export function idsOf(rule: Pick<Rule, 'platforms'>): HeldIds {
  const ids: HeldIds = {};
  for (const name of PLATFORMS) {
    const id = rule.platforms[name]?.platformRuleId;
    if (id !== undefined) ids[name] = id;
  }
  return ids;
}
