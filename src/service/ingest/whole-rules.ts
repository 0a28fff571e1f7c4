/** Rules for everything that some sources bring, by the source: an event costs as many of them as want its source. */
import { type ImagePart, type ImageReader, readPart } from '../../engine/core/image.ts';
import type { LiveRuleText } from './live-records.ts';

export interface WholeRules {
  readonly size: number;
  get(ruleId: string): LiveRuleText | undefined;
  of(source: string): Iterable<LiveRuleText>;
  add(rule: LiveRuleText): void;
  /** False when there is no such rule. */
  remove(ruleId: string): boolean;
  /** All of them, as a part of the image of the live rules. */
  image(): ImagePart;
}

const PART = 'whole';
const NONE: readonly LiveRuleText[] = [];

const sourcesOf = ({ text }: LiveRuleText): readonly string[] => text.flags.sources ?? [];

export function createWholeRules(saved: readonly LiveRuleText[]): WholeRules {
  const rules = new Map<string, LiveRuleText>();
  const bySource = new Map<string, Map<string, LiveRuleText>>();
  function add(rule: LiveRuleText): void {
    rules.set(rule.ruleId, rule);
    for (const source of sourcesOf(rule))
      bySource.set(source, (bySource.get(source) ?? new Map<string, LiveRuleText>()).set(rule.ruleId, rule));
  }

  for (const rule of saved) add(rule);
  return {
    get size() {
      return rules.size;
    },
    get: (ruleId) => rules.get(ruleId),
    of: (source) => bySource.get(source)?.values() ?? NONE,
    add,
    remove(ruleId) {
      const rule = rules.get(ruleId);
      if (rule === undefined) return false;
      rules.delete(ruleId);
      for (const source of sourcesOf(rule)) {
        const wanting = bySource.get(source);
        wanting?.delete(ruleId);
        if (wanting?.size === 0) bySource.delete(source);
      }
      return true;
    },
    image: () => imageOf([...rules.values()]),
  };
}

function imageOf(rules: readonly LiveRuleText[]): ImagePart {
  const plain = rules.map(({ ruleId, accountId, version, text }) => ({ ruleId, accountId, version, text }));
  return { name: PART, bytes: new TextEncoder().encode(JSON.stringify(plain)) };
}

export async function restoreWholeRules(reader: ImageReader): Promise<WholeRules> {
  const text = new TextDecoder().decode(await readPart(reader, PART));
  // Only an image of our own is read: its fingerprint was compared.
  return createWholeRules(JSON.parse(text) as LiveRuleText[]);
}
