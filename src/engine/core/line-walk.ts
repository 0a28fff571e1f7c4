/** Hands lines to the core's walk (`core/post.ts`), and tells it which fields rules name. */
import type { Fields, TermField } from '../index/field.ts';
import { characterTables } from './character-tables.ts';
import { type CoreMemory, KIND_TABLE, LOWER_TABLE, RANK_TABLE, ROOT } from './core-memory.ts';

/** In the order of `core/fields.ts`. */
const POST_FIELDS =
  'text hashtag mention cashtag url url_title url_description lang from has is entity context from_affiliate_of bio bio_name bio_location to to_affiliate_of conversation_id source place_id place_country place'.split(
    ' ',
  );

/** A longer line is left to TypeScript. */
const LONGEST_LINE = 65_536;

export class LineWalk {
  walked = 0;
  left = 0;
  /** Set when a rule was put or dropped: it may name other fields. */
  rulesChanged = true;
  readonly #memory: CoreMemory;
  readonly #fields: readonly TermField[];

  constructor(memory: CoreMemory, fields: Fields) {
    this.#memory = memory;
    this.#fields = POST_FIELDS.map((name) => fields.inEvent(name));
    const { lower, kinds, ranks } = characterTables();
    memory.u8.set(new Uint8Array(lower.buffer), LOWER_TABLE);
    memory.u8.set(kinds, KIND_TABLE);
    memory.u8.set(ranks, RANK_TABLE);
    for (const [index, { number }] of this.#fields.entries()) memory.i32[ROOT.walkFields + index] = number;
  }

  /** Makes the words of a line, and says whether the core was sure of it. */
  walk(line: Uint8Array | string): boolean {
    const isSure = line.length <= LONGEST_LINE && this.#walk(line);
    if (isSure) this.walked++;
    else this.left++;
    return isSure;
  }

  /** The id of the event walked last. */
  get id(): string {
    return this.#textAt(ROOT.lineId);
  }

  /** What is kept of the line walked last: of a post `data` and `includes` alone. */
  keptOf(line: string): string {
    const { i32 } = this.#memory;
    if (i32[ROOT.lineHasOthers] === 0) return line.trim();
    const includes = i32[ROOT.lineIncludes] === 0 ? '' : `,"includes":${this.#textAt(ROOT.lineIncludes)}`;
    return `{"data":${this.#textAt(ROOT.lineData)}${includes}}`;
  }

  #walk(line: Uint8Array | string): boolean {
    if (this.rulesChanged) this.#tellWanted();
    const { exports } = this.#memory;
    const isText = typeof line === 'string';
    const from = exports.reserveInput(isText ? line.length * 3 : line.length);
    const { u8 } = this.#memory;
    const length = isText ? u8.write(line, from) : line.length;
    if (!isText) u8.set(line, from);
    return exports.walkPost(from, from + length) !== 0;
  }

  /** The text whose first and last byte stand there. */
  #textAt(place: number): string {
    const { i32, u8 } = this.#memory;
    return u8.toString('utf8', i32[place], i32[place + 1]);
  }

  #tellWanted(): void {
    let wanted = 0;
    for (const [index, { uses }] of this.#fields.entries()) if (uses > 0) wanted |= 1 << index;
    this.#memory.i32[ROOT.wanted] = wanted;
    this.rulesChanged = false;
  }
}
