/**
 * Counts the steps of a regular expression, as an engine that backtracks takes them (V8's does), on texts made of the
 * expression's own parts, each repeated until the end of the match is spoilt. Steps are the same everywhere, so a test can
 * hold their growth.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** Whether the rest of the expression matches from a place. */
type Rest = (at: number) => boolean;

const ENOUGH = 400_000;
const TOO_MANY = new Error('more steps than any linear expression takes');

const isCharacter = ({ type }: AST.Element): boolean =>
  type === 'Character' || type === 'CharacterSet' || type === 'CharacterClass' || type === 'ExpressionCharacterClass';

const isWordly = (character = ''): boolean => /\w/.test(character);

class Counter {
  steps = 0;
  readonly #text: readonly string[];
  readonly #flags: string;
  readonly #tests: Map<string, RegExp>;

  constructor(text: readonly string[], flags: string, tests: Map<string, RegExp>) {
    this.#text = text;
    this.#flags = flags;
    this.#tests = tests;
  }

  step(): void {
    if (++this.steps > ENOUGH) throw TOO_MANY;
  }

  any(alternatives: readonly AST.Alternative[], way: 1 | -1, at: number, rest: Rest): boolean {
    return alternatives.some(({ elements }) =>
      this.#row(way === 1 ? elements : elements.toReversed(), 0, way, at, rest),
    );
  }

  #row(elements: readonly AST.Element[], index: number, way: 1 | -1, at: number, rest: Rest): boolean {
    const element = elements[index];
    if (element === undefined) return rest(at);
    return this.#one(element, way, at, (next) => this.#row(elements, index + 1, way, next, rest));
  }

  #one(element: AST.Element, way: 1 | -1, at: number, rest: Rest): boolean {
    this.step();
    switch (element.type) {
      case 'Quantifier':
        return isCharacter(element.element)
          ? this.#repeatCharacter(element, way, at, rest)
          : this.#repeat(element, 0, way, at, rest);
      case 'Group':
      case 'CapturingGroup':
        return this.any(element.alternatives, way, at, rest);
      case 'Assertion':
        return this.#holds(element, at) && rest(at);
      case 'Backreference':
        throw new Error('a regular expression with a back reference: take it apart');
      default:
        return this.#fits(element.raw, way === 1 ? at : at - 1) && rest(at + way);
    }
  }

  /** Takes the steps of `#repeat`, one after another: a call within a call for each character would be too many. */
  #repeatCharacter({ min, max, greedy, element }: AST.Quantifier, way: 1 | -1, at: number, rest: Rest): boolean {
    let count = 0;
    const takesOne = (): boolean => {
      if (count >= max) return false;
      this.step();
      const from = at + way * count;
      if (!this.#fits(element.raw, way === 1 ? from : from - 1)) return false;
      count++;
      return true;
    };
    while (count < min) if (!takesOne()) return false;
    if (!greedy) {
      do if (rest(at + way * count)) return true;
      while (takesOne());
      return false;
    }
    while (takesOne());
    for (; count >= min; count--) if (rest(at + way * count)) return true;
    return false;
  }

  #repeat(quantifier: AST.Quantifier, count: number, way: 1 | -1, at: number, rest: Rest): boolean {
    const { min, max, greedy, element } = quantifier;
    const again = () =>
      count < max &&
      this.#one(
        element,
        way,
        at,
        (next) => (next !== at || count < min) && this.#repeat(quantifier, count + 1, way, next, rest),
      );
    if (count < min) return again();
    return greedy ? again() || rest(at) : rest(at) || again();
  }

  #holds(assertion: AST.Assertion, at: number): boolean {
    const text = this.#text;
    switch (assertion.kind) {
      case 'start':
        return at === 0 || (this.#flags.includes('m') && text[at - 1] === '\n');
      case 'end':
        return at === text.length || (this.#flags.includes('m') && text[at] === '\n');
      case 'word':
        return (isWordly(text[at - 1]) !== isWordly(text[at])) !== assertion.negate;
      case 'lookahead':
        return this.any(assertion.alternatives, 1, at, () => true) !== assertion.negate;
      case 'lookbehind':
        return this.any(assertion.alternatives, -1, at, () => true) !== assertion.negate;
    }
  }

  #fits(raw: string, at: number): boolean {
    const character = this.#text[at];
    if (character === undefined) return false;
    return this.#tests.get(raw)!.test(character);
  }
}

/** Steps for all matches in a text, one after another, as `replaceAll` and `matchAll` look for them. */
function stepsOn({ pattern, flags, tests }: Shape, text: string): number {
  const characters = /[uv]/.test(flags) ? Array.from(text) : text.split('');
  const counter = new Counter(characters, flags, tests);
  try {
    for (let from = 0; from <= characters.length; from++) {
      counter.step();
      let end = from;
      const found = counter.any(pattern.alternatives, 1, from, (at) => {
        end = at;
        return true;
      });
      if (end > from) from = end - 1;
      if (!found && flags.includes('y')) break;
    }
  } catch (error) {
    if (error !== TOO_MANY) throw error;
    return Number.POSITIVE_INFINITY;
  }
  return counter.steps;
}

/** Characters of every sort that an expression may tell apart, beside those that it names. */
const SORTS = Array.from('aAbz019_ \n\t.,:;-+*/\\\'"<>()[]{}#@&$%=!?~^|é火🌋\u0301\u3000’\0');

/** A part repeated as often as this takes as long as one without a limit. */
const MANY = 100;

interface Shape {
  readonly pattern: AST.Pattern;
  readonly flags: string;
  readonly tests: Map<string, RegExp>;
  /** One character of each sort that the loops tell apart, and one that fits nothing. */
  readonly letters: readonly string[];
  /** The beginnings of a match up to each loop, and behind it. */
  readonly beginnings: readonly string[];
}

interface Part {
  readonly raw: string;
  readonly isInLoop: boolean;
}

/** Returns undefined where nothing is repeated without a limit: that takes the same few steps from every place. */
function shapeOf(source: string, flags: string): Shape | undefined {
  const options = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, options);
  const parts = partsOf(pattern.alternatives, false);
  const loops = parts.filter(({ isInLoop }) => isInLoop);
  if (loops.length === 0) return undefined;
  const testOf = (raw: string) => new RegExp(`^(?:${raw})$`, flags.replaceAll(/[gmy]/g, ''));
  const tests = new Map(parts.map(({ raw }) => [raw, testOf(raw)]));
  const characters = [...parts.map(({ raw }) => raw).filter((raw) => raw.length === 1), ...SORTS];
  const fits = (raw: string, character: string) => tests.get(raw)!.test(character);
  const sorts = new Map<string, string>();
  for (const character of characters) {
    const sort = loops.map(({ raw }) => (fits(raw, character) ? 1 : 0)).join('');
    if (!sorts.has(sort)) sorts.set(sort, character);
  }
  const spoiling = characters.find((one) => parts.every(({ raw }) => !fits(raw, one)));
  const match = parts.map(({ raw }) => characters.find((one) => fits(raw, one)) ?? '');
  const places = parts.flatMap(({ isInLoop }, at) => (isInLoop ? [at, at + 1] : []));
  const beginnings = [0, ...places].map((at) => match.slice(0, at).join(''));
  return {
    pattern,
    flags,
    tests,
    letters: [...new Set([...sorts.values(), spoiling ?? '\0'])],
    beginnings: [...new Set([...beginnings, spoiling ?? '\0'])],
  };
}

/** The parts that fit one character each, in the order of the expression. */
const partsOf = (alternatives: readonly AST.Alternative[], isInLoop: boolean): Part[] =>
  alternatives.flatMap(({ elements }) => elements.flatMap((element) => partsIn(element, isInLoop)));

function partsIn(element: AST.Element, isInLoop: boolean): Part[] {
  switch (element.type) {
    case 'Quantifier':
      return partsIn(element.element, isInLoop || element.max >= MANY);
    case 'Group':
    case 'CapturingGroup':
      return partsOf(element.alternatives, isInLoop);
    case 'Assertion':
      return 'alternatives' in element ? partsOf(element.alternatives, isInLoop) : [];
    case 'Backreference':
      return [];
    default:
      return [{ raw: element.raw, isInLoop }];
  }
}

/** A beginning, something again and again, and an end that fits or spoils it. */
function* hardTexts({ letters, beginnings }: Shape): Generator<(times: number) => string> {
  const spoiling = letters.at(-1)!;
  const words = [...letters, ...letters.flatMap((one) => letters.map((other) => one + other)), ...beginnings];
  for (const word of new Set(words.filter((one) => one !== ''))) {
    for (const beginning of beginnings) {
      for (const end of ['', spoiling, `${spoiling}\n`]) yield (times) => beginning + word.repeat(times) + end;
    }
  }
}

/** A linear expression grows by 2, and a little less or more where a text has a beginning and an end. */
export const LINEAR = 2.3;

const TIMES = 24;
/** Characters: more than any part with a limit has. Longer texts would take more calls within each other than there may be. */
const LONG = 400;

export interface Growth {
  /** Steps on a text of twice the length, divided by those on the text: 2 is linear, 4 quadratic. */
  readonly growth: number;
  readonly text: string;
}

/** The worst growth of an expression that was found. */
export function regexGrowth(source: string, flags: string): Growth {
  const shape = shapeOf(source, flags);
  let worst: Growth = { growth: 0, text: '' };
  for (const make of shape === undefined ? [] : hardTexts(shape)) {
    const growthAt = (times: number) => {
      const steps = stepsOn(shape!, make(2 * times));
      return Number.isFinite(steps) ? steps / stepsOn(shape!, make(times)) : steps;
    };
    let growth = growthAt(TIMES);
    if (growth <= worst.growth || growth <= LINEAR) continue;
    const word = make(2).length - make(1).length;
    if (make(1).length < 20) growth = Math.min(growth, growthAt(Math.max(TIMES, Math.ceil(LONG / word))));
    if (growth > worst.growth) worst = { growth, text: make(3) };
  }
  return worst;
}

/** The text that takes most steps for its length, at any length; undefined where nothing is repeated without a limit. */
export function hardestText(source: string, flags: string): ((times: number) => string) | undefined {
  const shape = shapeOf(source, flags);
  if (shape === undefined) return undefined;
  const costs = Array.from(hardTexts(shape), (make) => ({
    make,
    cost: stepsOn(shape, make(TIMES)) / make(TIMES).length,
  }));
  return costs.reduce((most, one) => (one.cost > most.cost ? one : most)).make;
}
