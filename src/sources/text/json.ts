/** Parses JSON from outside; undefined when it is no JSON, nests deeper than 64 levels or has over 50,000 keys. */
import { parseJson } from '../../base/json.ts';

const LIMITS = { depth: 64, keys: 50_000 };

export function jsonOf(text: string): unknown {
  const parsed = parseJson(text, LIMITS);
  return parsed.ok ? parsed.value : undefined;
}
