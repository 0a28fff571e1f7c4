/** `/2/tweets/search/stream/rules`: add, delete, dry run, list, count. X answers 200 also for rules that it refuses. */
import { listIn, recordIn } from '../../src/base/json.ts';
import { type Answer, type Call, jsonOf, LOST, type Outcome } from '../http.ts';
import type { HeldRule } from '../rule-book.ts';
import { addRules } from './add-rules.ts';
import { invalidRequest, NO_SUCH_RULE } from './problems.ts';
import { shownRule, type XState } from './state.ts';

const APP_ID = '12345678';
const MOST_LISTED = 1_000;

export async function changeRules(state: XState, { query, text }: Call): Promise<Outcome> {
  for (const name of ['dry_run', 'delete_all']) {
    const value = query.get(name);
    if (value !== null && value !== 'true' && value !== 'false') {
      return invalidRequest(name, [value], `The \`${name}\` query parameter value [${value}] is not a valid boolean`);
    }
  }
  const dryRun = query.get('dry_run') === 'true';
  const answer = query.get('delete_all') === 'true' ? deleteAll(state, dryRun) : await change(state, text, dryRun);
  return !dryRun && answer.status < 300 && state.context.faults.take('X21') !== undefined ? LOST : answer;
}

async function change(state: XState, text: string, dryRun: boolean): Promise<Answer> {
  const body = recordIn(jsonOf(text));
  if (body === undefined) return invalidRequest('body', [], 'the request body is not a JSON object');
  const strange = Object.keys(body).find((key) => key !== 'add' && key !== 'delete');
  if (strange !== undefined) return invalidRequest(strange, [], `unknown property [${strange}]`);
  if ((body['add'] === undefined) === (body['delete'] === undefined)) {
    return invalidRequest('body', [], 'exactly one of `add` and `delete` is required');
  }
  return body['add'] === undefined ? deleteRules(state, body['delete'], dryRun) : addRules(state, body['add'], dryRun);
}

function deleteAll(state: XState, dryRun: boolean): Answer {
  const all = state.book.list();
  if (!dryRun) for (const { id } of all) state.book.drop(id);
  return deleted(state, all.length, 0);
}

function deleteRules(state: XState, value: unknown, dryRun: boolean): Answer {
  const named = recordIn(value);
  const ids = listIn(named?.['ids']);
  const values = listIn(named?.['values']);
  const isText = (one: unknown) => typeof one === 'string';
  if (ids.length + values.length === 0) return invalidRequest('delete.ids', [], 'field is required');
  if (![...ids, ...values].every(isText)) return invalidRequest('delete', [], 'ids and values are strings');
  const found = [
    ...ids.map((id) => state.book.get(String(id))),
    ...values.map((one) => state.book.holding(String(one))),
  ];
  const known = new Set(found.filter((rule) => rule !== undefined));
  if (!dryRun) for (const rule of known) drop(state, rule);
  return deleted(state, known.size, found.filter((rule) => rule === undefined).length);
}

/** Removes the rule from the list at once. X26 lets it match a while longer. */
function drop(state: XState, rule: HeldRule): void {
  const { clock, faults, signal } = state.context;
  state.book.drop(rule.id);
  const { query } = state.language.parse(rule.value);
  const late = query && faults.claim('X26');
  if (query === undefined || late === undefined) return;
  state.ghosts.put(rule, query);
  state.onGhost = late.fire;
  void clock.sleep(late.params.seconds * 1_000, signal).then(() => state.ghosts.drop(rule.id));
}

const deleted = ({ context }: XState, count: number, unknown: number): Answer => ({
  status: 200,
  body: {
    meta: { sent: context.clock.now().toISOString(), summary: { deleted: count, not_deleted: unknown } },
    ...(unknown > 0 && { errors: Array.from({ length: unknown }, () => NO_SUCH_RULE) }),
  },
});

export function listRules({ book, context }: XState, { query }: Call): Answer {
  const most = Number(query.get('max_results') ?? MOST_LISTED);
  if (!Number.isInteger(most) || most < 1 || most > MOST_LISTED) {
    const given = String(query.get('max_results'));
    return invalidRequest(
      'max_results',
      [given],
      `The \`max_results\` query parameter value [${given}] is not between 1 and 1000`,
    );
  }
  const from = positionOf(query.get('pagination_token'));
  if (from === undefined) {
    return invalidRequest('pagination_token', [], 'The `pagination_token` query parameter value is not valid');
  }
  const ids = query.get('ids')?.split(',');
  const all = book.list().filter(({ id }) => ids === undefined || ids.includes(id));
  const page = all.slice(from, from + most);
  const next = from + most < all.length ? { next_token: tokenAt(from + most) } : {};
  return {
    status: 200,
    body: {
      ...(page.length > 0 && { data: page.map(shownRule) }),
      meta: { sent: context.clock.now().toISOString(), result_count: page.length, ...next },
    },
  };
}

/** Sixteen characters of the base32hex alphabet, which are the digits of JavaScript's base 32. */
const tokenAt = (position: number): string => position.toString(32).padStart(16, '0');

const positionOf = (token: string | null): number | undefined => {
  if (token === null) return 0;
  return /^[0-9a-v]{16}$/.test(token) ? Number.parseInt(token, 32) : undefined;
};

export function countRules({ book, cap }: XState, { query }: Call): Answer {
  const ours = { client_app_id: APP_ID, rule_count: book.size };
  const data: Readonly<Record<string, unknown>> = {
    cap_per_client_app: String(cap),
    cap_per_project: String(cap),
    client_app_rules_count: ours,
    project_rules_count: String(book.size),
    all_project_client_apps: [ours],
  };
  const fields = query.get('rules_count.fields')?.split(',');
  const strange = fields?.find((name) => !Object.hasOwn(data, name));
  if (strange !== undefined) {
    const message = `The \`rules_count.fields\` query parameter value [${strange}] is not one of [${Object.keys(data).join(',')}]`;
    return invalidRequest('rules_count.fields', [strange], message);
  }
  const shown = Object.entries(data).filter(([name]) => fields === undefined || fields.includes(name));
  return { status: 200, body: { data: Object.fromEntries(shown) } };
}
