/**
 * The rules that an upstream holds. It matches by a plain scan of every rule and never by the index, so that an error of
 * the index shows as a disagreement. `embedding:` is approximated by the share of its words that the text has.
 */
import type { Platform } from '../src/domain/platform.ts';
import type { EventView } from '../src/engine/events/event-view.ts';
import { holds } from '../src/engine/scan.ts';
import { EVERYTHING, NOTHING, type Query } from '../src/rules/query.ts';

export interface HeldRule {
  readonly id: string;
  readonly value: string;
  readonly tag: string | undefined;
  /** Only Firehose has these two. */
  readonly quality?: boolean;
  readonly nsfw?: boolean;
}

export interface RuleMatch {
  readonly rule: HeldRule;
  /** Only for rules with `embedding:`. */
  readonly similarity?: number;
  readonly threshold?: number;
}

export interface RuleBook {
  readonly platform: Platform;
  put(rule: HeldRule, query: Query): void;
  drop(id: string): boolean;
  get(id: string): HeldRule | undefined;
  /** In the order in which they were added. */
  list(): HeldRule[];
  /** A rule with exactly this value. */
  holding(value: string): HeldRule | undefined;
  matching(view: EventView): RuleMatch[];
  readonly size: number;
}

interface Kept {
  readonly rule: HeldRule;
  readonly query: Query;
  readonly needsJudge: boolean;
}

const DEFAULT_THRESHOLD = 0.3;

export function createRuleBook(platform: Platform, now: () => number): RuleBook {
  const rules = new Map<string, Kept>();
  const byValue = new Map<string, string>();
  return {
    platform,
    put(rule, query) {
      rules.set(rule.id, { rule, query, needsJudge: hasEmbedding(query) });
      byValue.set(rule.value, rule.id);
    },
    drop(id) {
      const value = rules.get(id)?.rule.value;
      if (value !== undefined && byValue.get(value) === id) byValue.delete(value);
      return rules.delete(id);
    },
    get: (id) => rules.get(id)?.rule,
    list: () => [...rules.values()].map(({ rule }) => rule),
    holding: (value) => rules.get(byValue.get(value) ?? '')?.rule,
    matching(view) {
      const moment = now();
      const found: RuleMatch[] = [];
      for (const { rule, query, needsJudge } of rules.values()) {
        const judged: Judged = {};
        if (holds(needsJudge ? judge(query, view, judged) : query, view, moment)) found.push({ rule, ...judged });
      }
      return found;
    },
    get size() {
      return rules.size;
    },
  };
}

interface Judged {
  similarity?: number;
  threshold?: number;
}

function hasEmbedding(query: Query): boolean {
  if (query.kind === 'all' || query.kind === 'any') return query.of.some(hasEmbedding);
  return query.kind === 'not' ? hasEmbedding(query.query) : query.kind === 'upstream';
}

/** The query with each `embedding:` decided. */
function judge(query: Query, view: EventView, judged: Judged): Query {
  switch (query.kind) {
    case 'all':
    case 'any':
      return { kind: query.kind, of: query.of.map((part) => judge(part, view, judged)) };
    case 'not':
      return { kind: 'not', query: judge(query.query, view, judged) };
    case 'upstream': {
      judged.similarity = similarityOf(query.value, view);
      judged.threshold = query.threshold ?? DEFAULT_THRESHOLD;
      return judged.similarity >= judged.threshold ? EVERYTHING : NOTHING;
    }
    default:
      return query;
  }
}

function similarityOf(value: string, { pieces, words }: EventView): number {
  const wanted = value.toLowerCase().split(/\s+/).filter(Boolean);
  const present = new Set<string>();
  for (let at = 0; at < words.count; at++) {
    const { field, text } = pieces[words.pieces[at]!]!;
    if (field === 'text') present.add(text.slice(words.starts[at], words.ends[at]));
  }
  const shared = wanted.filter((word) => present.has(word)).length;
  return wanted.length === 0 ? 0 : Math.round((shared / wanted.length) * 1000) / 1000;
}
