/** Loading a set of rules into an engine, and what it costs in CPU time: parsing and `put`. */
import type { CoreEngine } from '../src/engine/core/core-engine.ts';
import type { Language } from '../src/rules/language.ts';
import type { Query } from '../src/rules/query.ts';
import { addRuleWords, type WordMap } from './floor.ts';
import { cpuOf } from './measure.ts';

/** Rules parsed, then put, between two looks at the clock. */
const SLICE = 1_000;
/** Rules kept as text, for the scan. */
export const SCAN_UP_TO = 10_000;

/** Rules put last whose texts are kept, to be put again. */
const KEPT = 5_000;

interface ParsedRule {
  readonly text: string;
  readonly query: Query;
}

export class Loading {
  /** The first rules, as text: the scan is filled with them when its turn comes. */
  readonly first: string[] = [];
  readonly words: WordMap = new Map();
  parseSeconds = 0;
  putSeconds = 0;
  readonly #last: { readonly id: string; readonly text: string }[] = [];
  readonly #texts: Iterator<string>;
  readonly #textsAgain: Iterator<string>;
  readonly #language: Language;
  /** Texts that were taken, and those of them whose words are in the map. */
  #taken = 0;
  #inMap = 0;

  /** The texts are made twice, so that nobody need keep a million of them. */
  constructor(texts: () => Iterator<string>, language: Language) {
    this.#texts = texts();
    this.#textsAgain = texts();
    this.#language = language;
  }

  /** The rules that were put last. They are parsed again: a query takes more memory than the engine has for its rule. */
  last(): { readonly id: string; readonly query: Query }[] {
    return this.#last.map(({ id, text }) => ({ id, query: this.#language.queryOf(text)! }));
  }

  /** The floor's map, for all rules so far. Apart from `fill`, so that its memory can be told from that of the engine. */
  fillMap(): void {
    for (; this.#inMap < this.#taken; this.#inMap++) addRuleWords(this.words, this.#textsAgain.next().value as string);
  }

  /** Fills the engine until it holds `size` rules, or there are no more. */
  fill(engine: Pick<CoreEngine, 'put' | 'size'>, size: number): void {
    let rules = this.#parse(Math.min(SLICE, size - engine.size));
    while (rules.length > 0) {
      this.putSeconds += cpuOf(() => this.#put(engine, rules)) / 1e6;
      rules = this.#parse(Math.min(SLICE, size - engine.size));
    }
  }

  #parse(count: number): ParsedRule[] {
    const rules: ParsedRule[] = [];
    while (rules.length < count) {
      const texts = this.#take(count - rules.length);
      if (texts.length === 0) break;
      this.parseSeconds +=
        cpuOf(() => {
          for (const text of texts) {
            const query = this.#language.queryOf(text);
            if (query !== undefined) rules.push({ text, query });
          }
        }) / 1e6;
    }
    return rules;
  }

  #take(count: number): string[] {
    const texts: string[] = [];
    while (texts.length < count) {
      const next = this.#texts.next();
      if (next.done === true) break;
      texts.push(next.value);
      this.#taken++;
      if (this.first.length < SCAN_UP_TO) this.first.push(next.value);
    }
    return texts;
  }

  #put(engine: Pick<CoreEngine, 'put' | 'size'>, rules: readonly ParsedRule[]): void {
    const first = engine.size;
    for (const [index, { query }] of rules.entries()) engine.put(`rule_${first + index}`, query);
    this.#last.push(...rules.map(({ text }, index) => ({ id: `rule_${first + index}`, text })));
    this.#last.splice(0, this.#last.length - KEPT);
  }
}
