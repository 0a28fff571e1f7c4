/** Hands lines to the core's walks (`core/post.ts`, `core/page.ts`), and tells it which fields rules name. */
import type { Platform } from '../../domain/platform.ts';
import type { Fields, TermField } from '../compile/fields.ts';
import { characterTables } from './character-tables.ts';
import {
  type CoreExports,
  type CoreMemory,
  KIND_TABLE,
  LOWER_TABLE,
  RANK_TABLE,
  ROOT,
  SECOND_LEVEL_TABLE,
  STOP_WORD_TABLE,
} from './core-memory.ts';
import { pageTables } from './page-tables.ts';

interface PlatformWalk {
  /** In the order of `core/fields.ts` and `core/page-fields.ts`. */
  readonly fields: readonly string[];
  readonly walk: keyof CoreExports & ('walkPost' | 'walkPage');
  readonly writeTables: (memory: CoreMemory) => void;
}

const WALKS: Readonly<Record<Platform, PlatformWalk>> = {
  x: {
    fields:
      'text hashtag mention cashtag url url_title url_description lang from has is entity context from_affiliate_of bio bio_name bio_location to to_affiliate_of conversation_id source place_id place_country place'.split(
        ' ',
      ),
    walk: 'walkPost',
    writeTables({ u8 }) {
      const { lower, kinds, ranks } = characterTables.get();
      u8.set(new Uint8Array(lower.buffer), LOWER_TABLE);
      u8.set(kinds, KIND_TABLE);
      u8.set(ranks, RANK_TABLE);
    },
  },
  firehose: {
    fields:
      'added removed added_anchor removed_anchor title url domain publish_time page_category page_type language'.split(
        ' ',
      ),
    walk: 'walkPage',
    writeTables({ u8 }) {
      const { lower, kinds, stopWords, secondLevels } = pageTables.get();
      u8.set(new Uint8Array(lower.buffer), LOWER_TABLE);
      u8.set(kinds, KIND_TABLE);
      u8.set(stopWords, STOP_WORD_TABLE);
      u8.set(secondLevels, SECOND_LEVEL_TABLE);
    },
  },
};

/** A longer line is left to TypeScript. */
const LONGEST_LINE = 131_072;

/**
 * Why a line was left to TypeScript: it is long; its JSON is not just as the core expects it; it has a part that the core does not
 * read, for instance a quoted post; its texts have something that the core is not sure of; a pattern of some rule is on a field that
 * the core does not read.
 */
export const LEFT_REASONS = ['shape', 'part', 'text', 'length', 'field'] as const;
export type LeftReason = (typeof LEFT_REASONS)[number];

/** Counts of what became of lines. */
export interface LineCounts {
  readonly walked: number;
  readonly left: number;
  readonly leftFor: Readonly<Record<LeftReason, number>>;
  /** Lines that the core walked, and that were analysed all the same, since a pattern might fit. */
  readonly triedPatterns: number;
}

export class LineWalk {
  walked = 0;
  triedPatterns = 0;
  readonly leftFor: Record<LeftReason, number> = { shape: 0, part: 0, text: 0, length: 0, field: 0 };
  /** Set when a rule was put or dropped: it may name other fields. */
  rulesChanged = true;
  readonly #memory: CoreMemory;
  readonly #fields: readonly TermField[];
  readonly #platform: PlatformWalk;
  #hasTables = false;
  /** By field, the patterns that rules are anchored on. */
  readonly #patterns: ReadonlyMap<string, unknown>;
  #hasUnknownField = false;

  constructor(
    memory: CoreMemory,
    fields: Fields,
    platform: Platform,
    patterns: ReadonlyMap<string, unknown> = new Map(),
  ) {
    this.#patterns = patterns;
    this.#platform = WALKS[platform];
    this.#memory = memory;
    this.#fields = this.#platform.fields.map((name) => fields.inEvent(name));
    for (const [index, { number }] of this.#fields.entries()) memory.i32[ROOT.walkFields + index] = number;
  }

  /** After memory was replaced by that of another core: the fields have the same numbers there. */
  memoryChanged(): void {
    this.#hasTables = false;
    this.rulesChanged = true;
  }

  get arePages(): boolean {
    return this.#platform.walk === 'walkPage';
  }

  /** Has the core know all that it needs to read lines; false where a rule has a pattern on a field that the core does not read. */
  isReady(): boolean {
    if (this.rulesChanged) this.#tellWanted();
    if (!this.#hasTables) this.#writeTables();
    return !this.#hasUnknownField;
  }

  /** Counts a line that was left to TypeScript. */
  countLeft(reason: LeftReason): void {
    this.leftFor[reason]++;
  }

  /** Makes the words of a line, and says whether the core was sure of it. */
  walk(line: Uint8Array | string): boolean {
    if (!this.isReady()) return this.#leave('field');
    if (line.length > LONGEST_LINE) return this.#leave('length');
    if (!this.#walk(line)) return this.#leave(LEFT_REASONS[this.#memory.i32[ROOT.leftFor]!]!);
    this.walked++;
    return true;
  }

  #leave(reason: LeftReason): false {
    this.countLeft(reason);
    return false;
  }

  get counts(): LineCounts {
    const { walked, triedPatterns, leftFor } = this;
    const left = LEFT_REASONS.reduce((sum, reason) => sum + leftFor[reason], 0);
    return { walked, left, leftFor: { ...leftFor }, triedPatterns };
  }

  /** The id of the event walked last; undefined for a page without one. */
  get id(): string | undefined {
    return this.#memory.i32[ROOT.lineId] === 0 ? undefined : this.#textAt(ROOT.lineId);
  }

  /** Makes the text that is kept of the line walked last: `data` and `includes` of a post, a page as it is. */
  keptOf(line: string): string {
    const { i32 } = this.#memory;
    if (i32[ROOT.lineHasOthers] === 0) return line.trim();
    const includes = i32[ROOT.lineIncludes] === 0 ? '' : `,"includes":${this.#textAt(ROOT.lineIncludes)}`;
    return `{"data":${this.#textAt(ROOT.lineData)}${includes}}`;
  }

  #walk(line: Uint8Array | string): boolean {
    const { exports } = this.#memory;
    const isText = typeof line === 'string';
    const from = exports.reserveInput(isText ? line.length * 3 : line.length);
    const { u8 } = this.#memory;
    const length = isText ? u8.write(line, from) : line.length;
    if (!isText) u8.set(line, from);
    return exports[this.#platform.walk](from, from + length) !== 0;
  }

  /** Making the tables is a fifth of the work of a start, so a server makes them in slices after it. */
  #writeTables(): void {
    this.#platform.writeTables(this.#memory);
    this.#hasTables = true;
  }

  /** The text whose first and last byte stand there. */
  #textAt(place: number): string {
    const { i32, u8 } = this.#memory;
    return u8.toString('utf8', i32[place], i32[place + 1]);
  }

  #tellWanted(): void {
    let wanted = 0;
    for (const [index, { name, uses }] of this.#fields.entries()) {
      if (uses > 0 || this.#patterns.has(name)) wanted |= 1 << index;
    }
    this.#hasUnknownField = [...this.#patterns.keys()].some((field) => !this.#platform.fields.includes(field));
    this.#memory.i32[ROOT.wanted] = wanted;
    this.rulesChanged = false;
  }
}
