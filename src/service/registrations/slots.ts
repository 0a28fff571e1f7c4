/** The slots of one upstream: how many registrations it allows, and how many of them are taken by us and by other programs. */
import type { Clock } from '../../base/clock.ts';
import type { Registration } from '../../domain/rule.ts';
import { type LivePlatform, PlatformError } from '../../platforms/platform.ts';
import type { Log } from '../telemetry.ts';
import type { RegistrationFigures } from './holding.ts';
import { type Room, spareSlots } from './packing.ts';
import type { RegistrationTable } from './registration-table.ts';

/** The upstream's answer about its capacity is believed this long: the question has a quota. */
const CAPACITY_KEPT_MS = 50_000;

export interface UpstreamSlots {
  /** It is undefined until it is asked for, and again when it turned out wrong. */
  readonly capacity: KnownCapacity | undefined;
  readonly isOld: boolean;
  /** Asks the upstream. */
  read(): Promise<KnownCapacity>;
  /** Another program has taken slots: what is known is not believed any more. */
  doubt(): void;
  room(): Promise<Room>;
  /** The error for a text that finds no slot. */
  full(): PlatformError;
  figures(): RegistrationFigures;
  /** How many registrations of other programs a comparison saw. */
  noteForeign(foreign: number): void;
}

interface KnownCapacity {
  readonly rules: number | undefined;
  readonly length: number;
  /** Slots that are not ours. */
  readonly foreign: number;
  /** When it was read, on the monotonic clock. */
  readonly readAt: number;
}

interface Deps {
  readonly platform: LivePlatform;
  readonly table: Pick<RegistrationTable, 'rows'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function createUpstreamSlots({ platform, table, clock, log }: Deps): UpstreamSlots {
  let capacity: KnownCapacity | undefined;
  let seenForeign = 0;
  const takenRows = () => table.rows().filter(takesSlot);
  async function read(): Promise<KnownCapacity> {
    const { rules, used, length } = await platform.capacity();
    const ours = takenRows().filter((row) => row.platformRuleId !== undefined).length;
    capacity = { rules, length, foreign: Math.max(0, used - ours), readAt: clock.elapsed() };
    return capacity;
  }
  return {
    get capacity() {
      return capacity;
    },
    get isOld() {
      return capacity === undefined || clock.elapsed() - capacity.readAt >= CAPACITY_KEPT_MS;
    },
    read,
    doubt() {
      capacity = undefined;
    },
    room: async () => roomIn(capacity ?? (await read()), takenRows()),
    full: () =>
      new PlatformError('limit', `All ${capacity?.rules ?? ''} rules that ${platform.name} allows are in use.`),
    figures: () => figuresOf(capacity, takenRows()),
    noteForeign(foreign) {
      if (foreign === seenForeign) return;
      seenForeign = foreign;
      log.info({ platform: platform.name, foreign }, 'the upstream also holds rules of other programs');
    },
  };
}

const takesSlot = ({ state }: Registration): boolean => state !== 'gone';

function roomIn({ rules, length, foreign }: KnownCapacity, taken: readonly Registration[]): Room {
  if (rules === undefined) return { free: Number.POSITIVE_INFINITY, now: Number.POSITIVE_INFINITY, length };
  const leaving = taken.filter((row) => row.state === 'leaving').length;
  const now = rules - foreign - taken.length;
  return { free: now + leaving - spareSlots(rules), now, length };
}

function figuresOf(capacity: KnownCapacity | undefined, taken: readonly Registration[]): RegistrationFigures {
  const held = taken.filter((row) => row.state === 'held');
  return {
    held: held.length,
    packs: held.filter(({ texts }) => texts.length > 1).length,
    used: taken.length + (capacity?.foreign ?? 0),
    limit: capacity?.rules,
  };
}
