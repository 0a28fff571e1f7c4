/** JSON from the other end of a connection; undefined when it is none, or is nested without measure. */
import { parseJson } from '../../base/json.ts';

const LIMITS = { depth: 64, keys: 50_000 };

export function jsonOf(text: string): unknown {
  const parsed = parseJson(text, LIMITS);
  return parsed.ok ? parsed.value : undefined;
}
