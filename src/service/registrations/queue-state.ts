/** What the steps of a queue share. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createPauses } from '../../base/cooperate.ts';
import type { Registration } from '../../domain/registration.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Language } from '../../rules/language.ts';
import { type PackPart, packPart } from '../../rules/pack.ts';
import type { Store } from '../../store/store.ts';
import { type RuleText, textKey } from '../rule-text.ts';
import type { Log } from '../telemetry.ts';
import { type Member, type Room, spareSlots } from './packing.ts';
import { createRegistrationTable, type RegistrationTable } from './registration-table.ts';
import type { Holding, RegistrationFigures } from './registrations.ts';

export interface QueueParts {
  readonly platform: LivePlatform;
  readonly language: Language;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** What the tags of this instance's registrations begin with. */
  readonly prefix: string;
}

export interface QueueState extends QueueParts {
  readonly table: RegistrationTable;
  /** What each text takes of a pack, once it was asked. */
  readonly parts: Map<string, PackPart | undefined>;
  /** Ids that bear our mark upstream, as far as we have seen: nothing else is ever taken away. */
  readonly ours: Set<string>;
  /** When something of ours was first seen that nobody wants. */
  readonly extraSince: Map<string, number>;
  /** Texts that the upstream would not take, and when to ask again. */
  readonly refusals: Map<string, { readonly tries: number; readonly again: number }>;
  /** Undefined until it is asked for, and again when it turned out wrong. */
  capacity: KnownCapacity | undefined;
  foreign: number;
}

export interface KnownCapacity {
  readonly rules: number | undefined;
  readonly length: number;
  /** Slots that are not ours. */
  readonly foreign: number;
}

export const createQueueState = (parts: QueueParts): QueueState => ({
  ...parts,
  table: createRegistrationTable(parts.store, parts.platform.name),
  parts: new Map(),
  ours: new Set(),
  extraSince: new Map(),
  refusals: new Map(),
  capacity: undefined,
  foreign: 0,
});

/** Texts between two pauses: reading one to see whether it may be packed takes a fraction of a millisecond. */
const SLICE = 20;

export const takesSlot = ({ state }: Registration): boolean => state !== 'gone';

/** Our mark, and the part of it that is this instance's. */
export const newTag = (prefix: string): string => `${prefix}${randomBytes(8).toString('hex')}`;

export async function readCapacity({ platform, table }: QueueState): Promise<KnownCapacity> {
  const { rules, used, length } = await platform.capacity();
  const ours = table.rows().filter((row) => takesSlot(row) && row.platformRuleId !== undefined).length;
  return { rules, length, foreign: Math.max(0, used - ours) };
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
  const pause = createPauses(SLICE);
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
  new PlatformError('limit', `All ${capacity?.rules ?? ''} rules that ${platform.name} takes are in use.`);

/** What a rule of the upstream stands for; `late` when nobody wants it any more. */
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
