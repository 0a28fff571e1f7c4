/**
 * Analysis of a rule: whether it can match at all, whether it matches everything, and which of its clauses change
 * nothing. It looks at the query, in its places in the text, and costs a bounded number of looks for each clause:
 * relations between clauses are found by their keys, never by comparing each with each.
 */
import type { Fix } from '../diagnostic.ts';
import type { Query } from '../query.ts';
import { Conditions, keyOfPlaced } from './conditions.ts';
import type { Dead, EventFacts, PlacedLeaf, PlacedQuery, RuleFinding } from './placed-query.ts';
import { Related, type Relation } from './related.ts';

/** Says that no event fits (`dead`), or that every one (`every`) or nearly every one (`most`) does. */
type Outcome =
  | { readonly dead: Dead & { readonly at: PlacedQuery } }
  | { readonly fits: 'every' | 'most'; readonly because?: Dead }
  | undefined;

export interface Analysis {
  readonly findings: readonly RuleFinding[];
  /** How many clauses were looked at, again and again counted: the cost. */
  readonly looks: number;
}

export function analyse(root: PlacedQuery, text: string, facts: EventFacts): Analysis {
  const analyst = new Analyst(text, facts);
  const outcome = analyst.judge(root);
  if (outcome === undefined) return { findings: analyst.findings, looks: analyst.looks };
  const found = 'dead' in outcome ? neverMatches(outcome.dead, facts) : matchesEverything(outcome.fits, root, facts);
  return { findings: [found], looks: analyst.looks };
}

const neverMatches = ({ why, at, fixes = [] }: Dead & { at: PlacedQuery }, { event }: EventFacts): RuleFinding => ({
  code: 'never-matches',
  start: at.start,
  end: at.end,
  message: `No ${event} can match this rule: ${why}`,
  fixes,
});

const matchesEverything = (
  fits: 'every' | 'most',
  { start, end }: PlacedQuery,
  { event }: EventFacts,
): RuleFinding => ({
  code: 'matches-everything',
  start,
  end,
  message: `This rule matches ${fits === 'every' ? 'every' : 'nearly every'} ${event}; add a condition that says what you look for.`,
  fixes: [],
});

class Analyst {
  readonly findings: RuleFinding[] = [];
  looks = 0;
  readonly #text: string;
  readonly #facts: EventFacts;

  constructor(text: string, facts: EventFacts) {
    this.#text = text;
    this.#facts = facts;
  }

  judge(piece: PlacedQuery): Outcome {
    this.looks++;
    switch (piece.kind) {
      case 'leaf':
        return this.#leaf(piece);
      case 'not':
        return this.#not(this.judge(piece.of), piece);
      case 'all':
        return this.#all(membersOf(piece, 'all'));
      case 'any':
        return this.#any(membersOf(piece, 'any'));
    }
  }

  #leaf(piece: PlacedLeaf): Outcome {
    const { query, dead } = piece;
    if (dead !== undefined) return { dead: { ...dead, at: piece } };
    return this.#outcomeOf(query, piece);
  }

  /** Some clauses stand for two alternatives: `place:`, for instance. */
  #outcomeOf(query: Query, piece: PlacedLeaf): Outcome {
    if (query.kind === 'everything') return { fits: 'every' };
    if (query.kind === 'nothing') return { dead: { why: `${this.#show(piece)} holds for none.`, at: piece } };
    if (query.kind === 'all' || query.kind === 'not') return undefined;
    if (query.kind === 'any') {
      const outcomes = query.of.map((part) => this.#outcomeOf(part, piece));
      return outcomes.every((one) => one !== undefined && 'dead' in one) ? outcomes[0] : undefined;
    }
    const dead = this.#facts.impossible(query, piece);
    if (dead !== undefined) return { dead: { ...dead, at: piece } };
    const fits = this.#facts.common(query);
    return fits && { fits };
  }

  #not(outcome: Outcome, piece: PlacedQuery): Outcome {
    if (outcome === undefined) return undefined;
    if ('dead' in outcome) return { fits: 'every', because: outcome.dead };
    const why = `${this.#show(piece)} excludes ${outcome.fits === 'every' ? 'every' : 'nearly every'} ${this.#facts.event}.`;
    return outcome.fits === 'every' ? { dead: { why, at: piece } } : undefined;
  }

  #all(members: readonly PlacedQuery[]): Outcome {
    const conditions = new Conditions(this.#facts);
    const related = new Related(this.#facts.relations);
    const outcomes = new Map<PlacedQuery, Outcome>();
    for (const member of members) {
      this.looks++;
      const clash = conditions.add(member);
      if (clash?.kind === 'repeated') this.#pointless(member, `${this.#show(member)} is said twice.`, 'all');
      else if (clash !== undefined)
        return { dead: { why: this.#whyClash(clash, member), at: member, ...this.#mend(clash, member) } };
      const relation = clash === undefined ? related.add(member) : undefined;
      if (relation?.kind === 'clash') return { dead: this.#clashing(relation) };
      const outcome = this.judge(member);
      if (outcome !== undefined && 'dead' in outcome) return outcome;
      outcomes.set(member, outcome);
      if (relation !== undefined && fitsOf(outcomes.get(relation.piece)) !== 'every') this.#implied(relation, 'all');
    }
    for (const member of members) {
      if (member.kind !== 'any') continue;
      const outcome = this.#branches(member, conditions, related);
      if (outcome !== undefined) return outcome;
    }
    this.looks += related.looks;
    return this.#together(members, outcomes);
  }

  #clashing({ one, by, negated }: Relation & { kind: 'clash' }): Dead & { at: PlacedQuery } {
    const [what, other] = [this.#show(one), this.#show(by)];
    const { event } = this.#facts;
    if (!negated) {
      const fixes = by.kind === 'leaf' ? this.#facts.either(one, by) : [];
      return { why: `no ${event} is both ${what} and ${other}.`, at: by, fixes };
    }
    const fixes = this.#facts
      .without(by, 'all')
      .map((fix): Fix => ({ ...fix, meaning: `${event}s with ${what}`, intent: 'habit' }));
    return { why: `every ${event} with ${what} is excluded by ${other}.`, at: by, fixes };
  }

  #implied({ piece, because }: Relation & { kind: 'pointless' }, join: 'all' | 'any'): void {
    const [what, by] = [this.#show(piece), this.#show(because)];
    const why =
      join === 'any'
        ? `${what} adds nothing, because ${by} alone finds it too.`
        : piece.kind === 'not'
          ? `${what} excludes nothing that ${by} leaves.`
          : `${what} always holds here, because the rule requires ${by} anyway.`;
    this.#pointless(piece, why, join);
  }

  /** The sides of an OR, under what is required beside it. */
  #branches(member: PlacedQuery, conditions: Conditions, related: Related): Outcome {
    const branches = membersOf(member, 'any');
    const dead = branches.filter((branch) => {
      this.looks++;
      return conditions.excludes(branch) || related.rulesOut(branch);
    });
    if (dead.length === branches.length) {
      return { dead: { why: `every side of ${this.#show(member)} is excluded by the rest of the rule.`, at: member } };
    }
    for (const branch of dead) {
      this.#pointless(
        branch,
        `${this.#show(branch)} can never hold here, because the rest of the rule excludes it.`,
        'any',
      );
    }
    const required = branches.find((branch) => conditions.requires(branch));
    const because = required ?? branches.map((branch) => related.requires(branch)).find((one) => one !== undefined);
    if (because !== undefined) {
      const why = `${this.#show(member)} always holds here, because the rule requires ${this.#show(because)} anyway.`;
      this.#pointless(member, why, 'all');
    }
    return undefined;
  }

  #together(members: readonly PlacedQuery[], outcomes: ReadonlyMap<PlacedQuery, Outcome>): Outcome {
    const narrow = members.filter((member) => outcomes.get(member) === undefined);
    const wide = members.filter((member) => outcomes.get(member) !== undefined);
    if (narrow.length === 0) {
      const fits = members.every((member) => fitsOf(outcomes.get(member)) === 'every') ? 'every' : 'most';
      return { fits };
    }
    // Everything but some words is still nearly everything.
    const isRest = wide.length > 0 && narrow.every((member) => member.kind === 'not' && isWord(member.of));
    if (isRest) return { fits: 'most' };
    for (const member of wide) {
      if (fitsOf(outcomes.get(member)) !== 'every') continue;
      // Exclusions are written behind what they are taken from, though it be everything.
      if (member.kind === 'leaf' && narrow.some(({ kind }) => kind === 'not')) continue;
      const what = this.#show(member);
      const because = becauseOf(outcomes.get(member));
      const why =
        because === undefined
          ? `${what} holds for every ${this.#facts.event}, so it narrows nothing.`
          : `${what} excludes nothing: ${because.why}`;
      this.#pointless(member, why, 'all', because?.fixes);
    }
    return undefined;
  }

  #any(members: readonly PlacedQuery[]): Outcome {
    const seen = new Map<string, PlacedQuery>();
    const related = new Related(this.#facts.relations);
    const relations: (Relation & { kind: 'pointless' })[] = [];
    const dead: (Dead & { at: PlacedQuery })[] = [];
    let fits: 'every' | 'most' | undefined;
    for (const member of members) {
      this.looks++;
      const outcome = this.judge(member);
      if (outcome !== undefined && 'dead' in outcome) dead.push(outcome.dead);
      else if (outcome !== undefined && fits !== 'every') fits = outcome.fits;
      const key = keyOfPlaced(member);
      if (key === undefined) continue;
      if (seen.has(key)) this.#pointless(member, `${this.#show(member)} is said twice.`, 'any');
      else if (seen.has(opposite(key))) fits = 'every';
      else if (outcome === undefined) {
        const relation = related.addSide(member);
        if (relation?.kind === 'pointless') relations.push(relation);
      }
      seen.set(key, member);
    }
    this.looks += related.looks;
    if (dead.length === members.length) return { dead: dead[0]! };
    if (fits !== undefined) return { fits };
    for (const relation of relations) this.#implied(relation, 'any');
    for (const { at, why, fixes } of dead) {
      const member = members.find((one) => one.start <= at.start && at.end <= one.end) ?? at;
      this.#pointless(member, `This side of the OR can never match: ${why}`, 'any', fixes);
    }
    this.#absorbed(members, seen);
    return undefined;
  }

  /** `a OR (a b)` is `a`. */
  #absorbed(members: readonly PlacedQuery[], alone: ReadonlyMap<string, PlacedQuery>): void {
    for (const member of members) {
      if (member.kind !== 'all') continue;
      const wider = membersOf(member, 'all').find((part) => {
        this.looks++;
        return alone.has(keyOfPlaced(part) ?? '');
      });
      if (wider === undefined) continue;
      this.#pointless(
        member,
        `${this.#show(member)} adds nothing, because ${this.#show(wider)} alone is enough.`,
        'any',
      );
    }
  }

  #whyClash(clash: NonNullable<ReturnType<Conditions['add']>>, member: PlacedQuery): string {
    const [what, before] = [this.#show(member), this.#show(clash.before)];
    if (clash.kind === 'opposite') return `${member.kind === 'not' ? before : what} is both required and excluded.`;
    if (clash.kind === 'single') return `a ${this.#facts.event} has one ${clash.noun} only, and this asks for two.`;
    return `no number fits both ${before} and ${what}.`;
  }

  #mend(clash: NonNullable<ReturnType<Conditions['add']>>, member: PlacedQuery): Pick<Dead, 'fixes'> {
    if (clash.kind !== 'single' || clash.before.kind !== 'leaf' || member.kind !== 'leaf') return {};
    return { fixes: this.#facts.either(clash.before, member) };
  }

  #pointless(
    piece: PlacedQuery,
    message: string,
    join: 'all' | 'any',
    fixes?: readonly RuleFinding['fixes'][number][],
  ): void {
    const { start, end } = piece;
    const edits = fixes ?? this.#facts.without(piece, join);
    this.findings.push({ code: 'pointless-clause', start, end, message, fixes: edits });
  }

  #show({ start, end }: PlacedQuery): string {
    const shown = this.#text.slice(start, end);
    return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
  }
}

const fitsOf = (outcome: Outcome) => (outcome !== undefined && 'fits' in outcome ? outcome.fits : undefined);

const becauseOf = (outcome: Outcome) => (outcome !== undefined && 'fits' in outcome ? outcome.because : undefined);

const opposite = (key: string) => (key.startsWith('-') ? key.slice(1) : `-${key}`);

/** The pieces that a piece joins in this way, through all parentheses that change nothing. */
export function membersOf(piece: PlacedQuery, kind: 'all' | 'any'): readonly PlacedQuery[] {
  const members: PlacedQuery[] = [];
  const collect = (one: PlacedQuery) => {
    if (one.kind === 'leaf') members.push(one);
    else if (one.kind === 'not') members.push(...excluded(one, kind));
    else if (one.kind === kind || one.of.length === 1) one.of.forEach(collect);
    else members.push(one);
  };
  collect(piece);
  return members;
}

/** Excluding several alternatives excludes each of them. */
function excluded(piece: PlacedQuery & { kind: 'not' }, kind: 'all' | 'any'): readonly PlacedQuery[] {
  if (kind === 'any' || piece.of.kind === 'leaf' || piece.of.kind === 'not') return [piece];
  const parts = membersOf(piece.of, 'any');
  return parts.length === 1
    ? [piece]
    : parts.map((of): PlacedQuery => ({ kind: 'not', of, start: of.start, end: of.end }));
}

const WORDS: ReadonlySet<string> = new Set(['term', 'phrase', 'literal', 'prefix', 'wildcard', 'regex', 'fuzzy']);
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'text',
  'added',
  'title',
  'removed',
  'added_anchor',
  'removed_anchor',
]);

/** A word of a text, or several: what most events are without. */
function isWord(piece: PlacedQuery): boolean {
  if (piece.kind === 'any') return piece.of.every(isWord);
  if (piece.kind !== 'leaf') return piece.kind === 'all' && piece.of.some(isWord);
  const { query } = piece;
  return WORDS.has(query.kind) && 'field' in query && TEXT_FIELDS.has(query.field);
}
