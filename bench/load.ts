/** Loading a set of rules into an engine, and what it costs in CPU time: parsing and `put`. */
import type { Engine } from '../src/engine/index/engine.ts';
import type { Language } from '../src/rules/language.ts';
import type { Query } from '../src/rules/query.ts';
import { addRuleWords, type WordMap } from './floor.ts';
import { cpuOf } from './measure.ts';

/** Rules parsed, then put, between two looks at the clock. */
const SLICE = 1_000;
/** Rules kept as text, for the scan. */
export const SCAN_UP_TO = 10_000;

/** Rules put last that are kept, to be put again. */
const KEPT = 5_000;

export class Loading {
  /** The first rules, as text: the scan is filled with them when its turn comes. */
  readonly first: string[] = [];
  readonly words: WordMap = new Map();
  parseSeconds = 0;
  putSeconds = 0;
  /** The rules that were put last. */
  readonly last: { readonly id: string; readonly query: Query }[] = [];
  readonly #texts: Iterator<string>;
  readonly #language: Language;

  constructor(texts: Iterator<string>, language: Language) {
    this.#texts = texts;
    this.#language = language;
  }

  /** Fills the engine until it holds `size` rules, or there are no more. */
  fill(engine: Pick<Engine, 'put' | 'size'>, size: number): void {
    let queries = this.#parse(Math.min(SLICE, size - engine.size));
    while (queries.length > 0) {
      this.putSeconds += cpuOf(() => this.#put(engine, queries)) / 1e6;
      queries = this.#parse(Math.min(SLICE, size - engine.size));
    }
  }

  #parse(count: number): Query[] {
    const queries: Query[] = [];
    while (queries.length < count) {
      const texts = this.#take(count - queries.length);
      if (texts.length === 0) break;
      this.parseSeconds +=
        cpuOf(() => {
          for (const text of texts) {
            const { query } = this.#language.parse(text);
            if (query !== undefined) queries.push(query);
          }
        }) / 1e6;
    }
    return queries;
  }

  #take(count: number): string[] {
    const texts: string[] = [];
    while (texts.length < count) {
      const next = this.#texts.next();
      if (next.done === true) break;
      texts.push(next.value);
      addRuleWords(this.words, next.value);
      if (this.first.length < SCAN_UP_TO) this.first.push(next.value);
    }
    return texts;
  }

  #put(engine: Pick<Engine, 'put' | 'size'>, queries: readonly Query[]): void {
    const first = engine.size;
    for (const [index, query] of queries.entries()) engine.put(`rule_${first + index}`, query);
    this.last.push(...queries.map((query, index) => ({ id: `rule_${first + index}`, query })));
    this.last.splice(0, this.last.length - KEPT);
  }
}
