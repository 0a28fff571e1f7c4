/** Rule Overlap: how many events several rules have in common. */
import { z } from 'zod';
import { exampleRule, ruleOf } from '../rules/read-rules.ts';
import { eventIdOf, instant, ruleIds } from '../shapes.ts';
import { computed } from './room.ts';
import { countedPart, countScanned } from './scan-matches.ts';

/** Rules that are compared at once. */
const MAX_COMPARED = 20;

const otherRule = 'rule_01k3zq8m7e5w9c2t4r6y8p0a2c';

export const ruleOverlap = computed({
  name: 'ruleOverlap',
  summary: 'Compare what rules match',
  description:
    'How many matches each rule has, and how many events every two rules have both matched. The newest matches are counted, up to 50,000 and 64 MiB of payloads; `complete` says whether that was enough. Without `rule_ids`, the 20 rules with the most of the counted matches are compared.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    rule_ids: ruleIds(MAX_COMPARED).optional(),
    from: instant.optional().describe('Only matches stored at or after this time.'),
    to: instant.optional().describe('Only matches stored before this time.'),
  }),
  output: z.object({
    rules: z.array(z.object({ rule_id: z.string(), matches: z.int() })).describe('The most matches first.'),
    pairs: z
      .array(
        z.object({ a: z.string(), b: z.string(), shared: z.int().describe('Events that both rules have matched.') }),
      )
      .describe('The most shared first. Two rules that share nothing are left out.'),
    ...countedPart,
  }),
  example: {
    input: { rule_ids: [exampleRule.id, otherRule] },
    output: {
      rules: [
        { rule_id: exampleRule.id, matches: 12 },
        { rule_id: otherRule, matches: 9 },
      ],
      pairs: [{ a: exampleRule.id, b: otherRule, shared: 4 }],
      counted: 21,
      complete: true,
      counted_from: null,
    },
  },
  async run(context, caller, { rule_ids, from: since, to: until }) {
    for (const id of rule_ids ?? []) await ruleOf(context, caller, id);
    const perRule = new Map((rule_ids ?? []).map((id) => [id, 0]));
    const rulesOf = new Map<string, string[]>();
    const counted = await countScanned(context, caller, { rule_ids, since, until }, (match) => {
      perRule.set(match.ruleId, (perRule.get(match.ruleId) ?? 0) + 1);
      const event = eventIdOf(match);
      const others = rulesOf.get(event);
      if (others === undefined) rulesOf.set(event, [match.ruleId]);
      else others.push(match.ruleId);
    });
    const rules = [...perRule]
      .map(([rule_id, matches]) => ({ rule_id, matches }))
      .toSorted((one, other) => other.matches - one.matches)
      .slice(0, MAX_COMPARED);
    const pairs = pairsOf(
      rules.map(({ rule_id }) => rule_id),
      rulesOf.values(),
    );
    return { rules, pairs, ...counted };
  },
});

/** In a small table of counts: an event may have matched all of the rules. */
function pairsOf(ids: readonly string[], events: Iterable<readonly string[]>) {
  const shared = new Uint32Array(ids.length * ids.length);
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  for (const rules of events) {
    const places = rules.flatMap((id) => placeOf.get(id) ?? []).toSorted((one, other) => one - other);
    for (const [at, a] of places.entries()) for (const b of places.slice(at + 1)) shared[a * ids.length + b]! += 1;
  }
  return ids
    .flatMap((a, row) => ids.map((b, column) => ({ a, b, shared: shared[row * ids.length + column]! })))
    .filter((pair) => pair.shared > 0)
    .toSorted((one, other) => other.shared - one.shared);
}
