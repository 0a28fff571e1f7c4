/** What the steps of a queue share, and what they ask of it. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import { createWakeUp, type WakeUp } from '../../base/wake-up.ts';
import type { Gap } from '../../domain/gap.ts';
import type { Registration } from '../../domain/registration.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type PackPart, packPart } from '../../rules/pack.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { Store } from '../../store/store.ts';
import type { Log } from '../telemetry.ts';
import { type Freshness, NO_RETRY, type RemovalRetry } from './due.ts';
import type { Holding, RegistrationFigures } from './holding.ts';
import { type Member, type Room, spareSlots } from './packing.ts';
import { createPins, type Pins } from './pins.ts';
import { createRegistrationTable, type RegistrationTable } from './registration-table.ts';
import { createRequests, type HoldRequest, type Requests } from './requests.ts';

export interface QueueParts {
  readonly platform: LivePlatform;
  readonly language: Language;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** What the tags of this instance's registrations begin with. */
  readonly prefix: string;
  /** Told of gaps of rules, once they are on record. */
  readonly onGap: (gap: Gap) => void;
}

export interface QueueState extends QueueParts {
  readonly table: RegistrationTable;
  readonly wakeUp: WakeUp;
  readonly requests: Requests;
  readonly pins: Pins;
  /** Requests whose slots are still taken by registrations that are leaving. */
  readonly parked: HoldRequest[];
  /** Texts whose release is not done yet, by key. */
  readonly unreleased: Map<string, RuleText>;
  freshness: Freshness;
  removalRetry: RemovalRetry;
  /** Resolves when the upstream holds a registration of ours. */
  firstHeld: PromiseWithResolvers<void>;
  /** What each text takes of a pack, once it was read for one. */
  readonly parts: Map<string, PackPart | undefined>;
  /** Ids that bear our mark upstream, as far as we have seen. Nothing else is ever removed. */
  readonly ours: Set<string>;
  /** When a registration of ours was first seen that no rule wants. */
  readonly extraSince: Map<string, number>;
  /** Texts that the upstream refused, and when to ask again. */
  readonly refusals: Map<string, { readonly tries: number; readonly again: number }>;
  /** When the last comparison began after which everything was held; of any node. */
  goodAt: Date | undefined;
  /** When a doubt last asked for a comparison, on the monotonic clock. */
  doubtedAt: number;
  /** The gaps of rules whose registrations are missing, by rule. */
  readonly openGaps: Map<string, Gap>;
  /** The text that was missing when a gap was opened or last looked at, by rule. */
  readonly missingTexts: Map<string, RuleText>;
  /** When texts were found missing, or were registered again, in milliseconds. */
  readonly repairs: Map<string, number>;
  /** Undefined until it is asked for, and again when it turned out wrong. */
  capacity: KnownCapacity | undefined;
  foreign: number;
}

export interface KnownCapacity {
  readonly rules: number | undefined;
  readonly length: number;
  /** Slots that are not ours. */
  readonly foreign: number;
  /** When it was read, on the monotonic clock. */
  readonly readAt: number;
}

export function createQueueState(parts: QueueParts): QueueState {
  const wakeUp = createWakeUp(parts.clock);
  return {
    ...parts,
    table: createRegistrationTable(parts.store, parts.platform.name),
    wakeUp,
    requests: createRequests(wakeUp.wake),
    pins: createPins(),
    parked: [],
    unreleased: new Map(),
    freshness: { refreshedAt: Number.NEGATIVE_INFINITY, isStale: false, awaitsFirst: false },
    removalRetry: NO_RETRY,
    firstHeld: Promise.withResolvers(),
    parts: new Map(),
    ours: new Set(),
    extraSince: new Map(),
    refusals: new Map(),
    goodAt: undefined,
    doubtedAt: Number.NEGATIVE_INFINITY,
    openGaps: new Map(),
    missingTexts: new Map(),
    repairs: new Map(),
    capacity: undefined,
    foreign: 0,
  };
}

/** Texts read between two pauses. Reading one to see whether it may be packed takes a fraction of a millisecond. */
const TEXTS_PER_PAUSE = 20;

export const isAnyHeld = ({ table }: QueueState): boolean => table.rows().some(({ state }) => state === 'held');

export const takesSlot = ({ state }: Registration): boolean => state !== 'gone';

/** A mark that no other registration bears. It begins with the mark of this instance. */
export const newTag = (prefix: string): string => `${prefix}${randomBytes(8).toString('hex')}`;

export async function readCapacity({ platform, table, clock }: QueueState): Promise<KnownCapacity> {
  const { rules, used, length } = await platform.capacity();
  const ours = table.rows().filter((row) => takesSlot(row) && row.platformRuleId !== undefined).length;
  return { rules, length, foreign: Math.max(0, used - ours), readAt: clock.elapsed() };
}

export async function roomOf(state: QueueState): Promise<Room> {
  state.capacity ??= await readCapacity(state);
  const { rules, length, foreign } = state.capacity;
  if (rules === undefined) return { free: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY, length };
  const rows = state.table.rows().filter(takesSlot);
  const leaving = rows.filter((row) => row.state === 'leaving').length;
  const now = rules - foreign - rows.length;
  return { free: now + leaving - spareSlots(rules), now, length };
}

export async function packMembers(state: QueueState, texts: readonly RuleText[]): Promise<Member[]> {
  const pause = createPauses(TEXTS_PER_PAUSE);
  const members: Member[] = [];
  for (const text of texts) {
    const key = textKey(text);
    if (!state.parts.has(key)) {
      state.parts.set(key, packPart(state.language, text.value));
      await pause(1);
    }
    members.push({ text, part: state.parts.get(key) });
  }
  return members;
}

export const noRoom = ({ platform, capacity }: QueueState): PlatformError =>
  new PlatformError('limit', `All ${capacity?.rules ?? ''} rules that ${platform.name} allows are in use.`);

/** What a rule of the upstream stands for; `late` when no rule wants it any more. */
export function meaningIn({ table }: QueueState, platformRuleId: string): Holding | 'late' | undefined {
  const rows = table.byId(platformRuleId);
  if (rows.length === 0) return undefined;
  const texts = new Map(rows.flatMap((row) => table.wantedOf(row)).map((text) => [textKey(text), text]));
  return texts.size === 0 ? 'late' : { texts: [...texts.values()], packed: rows.some((row) => row.texts.length > 1) };
}

export function figuresOf({ table, capacity }: QueueState): RegistrationFigures {
  const rows = table.rows().filter(takesSlot);
  const held = rows.filter((row) => row.state === 'held');
  return {
    held: held.length,
    packs: held.filter(({ texts }) => texts.length > 1).length,
    used: rows.length + (capacity?.foreign ?? 0),
    limit: capacity?.rules,
  };
}
