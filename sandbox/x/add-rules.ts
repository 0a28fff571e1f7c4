/** Adds rules. Each is checked by itself, and the body says what is wrong with each. */
import { listIn, recordIn } from '../../src/base/json.ts';
import type { Query } from '../../src/rules/query.ts';
import { serverError } from '../context.ts';
import type { Answer } from '../http.ts';
import type { HeldRule } from '../rule-book.ts';
import { invalidRequest, problemType, rulesCapExceeded } from './problems.ts';
import { holdRule, shownRule, type XState } from './state.ts';

const MAX_TAG = 255;

interface Asked {
  readonly value: string;
  readonly tag: string | undefined;
}

type Verdict =
  | { readonly kind: 'new'; readonly asked: Asked; readonly id: string; readonly query: Query }
  | { readonly kind: 'invalid'; readonly asked: Asked; readonly details: readonly string[] }
  | { readonly kind: 'duplicate'; readonly asked: Asked; readonly id: string | undefined };

export async function addRules(state: XState, value: unknown, dryRun: boolean): Promise<Answer> {
  const asked = readAsked(value);
  if (!Array.isArray(asked)) return asked;
  const { clock, faults, signal } = state.context;
  if (!dryRun) {
    const broken = faults.take('B2', ({ platform }) => platform === 'x');
    if (broken !== undefined) return serverError(broken.status);
    if (faults.take('X23') !== undefined) return rulesCapExceeded(state.cap);
  }
  const forced = dryRun ? undefined : forcedRefusal(state, asked);
  const verdicts = forced ?? judge(state, asked);
  const isRefused = forced === undefined && verdicts.some(({ kind }) => kind === 'invalid');
  const fresh = isRefused ? [] : verdicts.filter((verdict) => verdict.kind === 'new');
  if (state.book.size + fresh.length > state.cap) return rulesCapExceeded(state.cap);
  const rules = fresh.map(({ asked: { value: text, tag }, id, query }) => {
    const rule: HeldRule = { id, value: text, tag };
    if (!dryRun) state.book.put(rule, query);
    return rule;
  });
  if (!dryRun) {
    const early = faults.take('X25', ({ orphan }) => !orphan);
    if (early !== undefined) await clock.sleep(early.seconds * 1_000, signal);
  }
  return added(state, verdicts, rules);
}

function readAsked(value: unknown): Asked[] | Answer {
  const list = listIn(value);
  if (list.length === 0) return invalidRequest('add', [], 'field is required');
  const asked: Asked[] = [];
  for (const one of list) {
    const item = recordIn(one);
    const text = item?.['value'];
    const tag = item?.['tag'];
    if (text === undefined) return invalidRequest('add.value', [], 'field is required');
    if (typeof text !== 'string') return invalidRequest('add.value', [], 'field must be a string');
    if (tag !== undefined && typeof tag !== 'string') return invalidRequest('add.tag', [], 'field must be a string');
    if (tag !== undefined && tag.length > MAX_TAG) {
      return invalidRequest('add.tag', [tag], `field must have at most ${MAX_TAG} characters`);
    }
    const strange = Object.keys(item ?? {}).find((key) => key !== 'value' && key !== 'tag');
    if (strange !== undefined) return invalidRequest(`add.${strange}`, [], `unknown property [${strange}]`);
    asked.push({ value: text, tag });
  }
  return asked;
}

function judge({ language, book, nextId }: XState, asked: readonly Asked[]): Verdict[] {
  const seen = new Map<string, string>();
  return asked.map((one) => {
    const { query, diagnostics } = language.parse(one.value);
    if (query === undefined) {
      const details = diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ message, wording = message }) => wording);
      return { kind: 'invalid', asked: one, details };
    }
    const held = book.holding(one.value)?.id ?? seen.get(one.value);
    if (held !== undefined) return { kind: 'duplicate', asked: one, id: held };
    const id = nextId();
    seen.set(one.value, id);
    return { kind: 'new', asked: one, id, query };
  });
}

/** X20 and X22: the first rule is always refused, the others are not. */
function forcedRefusal(state: XState, asked: readonly Asked[]): Verdict[] | undefined {
  const [first] = asked;
  const { faults } = state.context;
  const rest = () => judge(state, asked.slice(1));
  const duplicate = faults.take('X20');
  if (duplicate !== undefined) {
    const held = state.book.holding(first!.value) ?? holdRule(state, first!.value, first!.tag);
    return [{ kind: 'duplicate', asked: first!, id: duplicate.with_id ? held?.id : undefined }, ...rest()];
  }
  const refused = faults.take('X22');
  return refused && [{ kind: 'invalid', asked: first!, details: [refused.reason] }, ...rest()];
}

function added({ context }: XState, verdicts: readonly Verdict[], rules: readonly HeldRule[]): Answer {
  const valid = verdicts.filter(({ kind }) => kind === 'new').length;
  const isClean = verdicts.every(({ kind }) => kind !== 'invalid');
  const errors = verdicts.flatMap((verdict) => (verdict.kind === 'new' ? [] : [errorOf(verdict)]));
  return {
    status: rules.length > 0 && isClean ? 201 : 200,
    body: {
      ...(rules.length > 0 && { data: rules.map(shownRule) }),
      meta: {
        sent: context.clock.now().toISOString(),
        summary: {
          created: rules.length,
          not_created: verdicts.length - rules.length,
          valid,
          invalid: verdicts.length - valid,
        },
      },
      ...(errors.length > 0 && { errors }),
    },
  };
}

function errorOf(verdict: Exclude<Verdict, { kind: 'new' }>): object {
  const { value } = verdict.asked;
  if (verdict.kind === 'invalid') {
    const { details } = verdict;
    return { value, details, title: 'UnprocessableEntity', type: problemType('invalid-rules') };
  }
  const id = verdict.id === undefined ? {} : { id: verdict.id };
  return { value, ...id, title: 'DuplicateRule', type: problemType('duplicate-rules') };
}
