/** Programs of rules: the same integers that the compiler makes, and their evaluation on the event at hand. */
import { decide } from './host';
import { STEPS, scratch, TERM_BITS } from './memory';
import { findsPhrase } from './phrase';
import { PHRASE_FORM } from './phrase-form';
import { hasTerm } from './words';

const ABSENT: u32 = 1;
const FAIL: u32 = 3;
const ALL: u32 = 4;
const ANY: u32 = 5;
const KIND: u32 = 7;
const NEGATED: u32 = 1;

/** The host answers this for a predicate that cannot be decided: the rule is left. */
const LEAVE: u32 = 2;

/** Set when a rule is left in the middle of its evaluation. */
export let left: bool = false;

export function begin(): void {
  left = false;
}

// @inline
function lengthOf(code: u32): u32 {
  return (code & KIND) < ALL ? 4 : 4 + ((code >> 4) << 2);
}

/** Whether the program whose node stands at `at` holds. */
export function programHolds(at: u32): bool {
  const code = load<u32>(at);
  const kind = code & KIND;
  if (kind <= ABSENT) return hasTerm(load<u32>(scratch, TERM_BITS), code >> 4) === (kind === 0);
  if (kind === ALL) return joinHolds(at, code, false);
  if (kind === ANY) return joinHolds(at, code, true);
  if (kind <= FAIL) return predicateHolds(code >> 4) === (kind !== FAIL);
  const isFound = load<i32>(scratch, STEPS) >= 0 && findsPhrase(at);
  if (load<i32>(scratch, STEPS) < 0) left = true;
  return isFound === ((load<u32>(at, PHRASE_FORM) & NEGATED) === 0);
}

/** A part that gives `verdict` decides the join: one that fails decides `ALL`, one that holds decides `ANY`. */
function joinHolds(at: u32, code: u32, verdict: bool): bool {
  const bits = load<u32>(scratch, TERM_BITS);
  const end = at + lengthOf(code);
  for (let part = at + 4; part < end; ) {
    const node = load<u32>(part);
    const kind = node & KIND;
    if (kind <= ABSENT) {
      if ((hasTerm(bits, node >> 4) === (kind === 0)) === verdict) return verdict;
      part += 4;
    } else {
      const holds = programHolds(part);
      if (left || holds === verdict) return verdict;
      part += lengthOf(node);
    }
  }
  return !verdict;
}

function predicateHolds(predicate: u32): bool {
  const verdict = decide(predicate);
  if (verdict === LEAVE) left = true;
  return verdict === 1;
}
