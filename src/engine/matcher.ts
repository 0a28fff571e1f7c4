/** One thread's share of matching: payloads as text in, the rules that match each of them out. */
import type { Platform } from '../domain/platform.ts';
import { createEngine, type Engine } from './engine.ts';
import { type Analyzer, isRejection } from './event.ts';
import { pageAnalyzer } from './page-event.ts';
import { xAnalyzer } from './x-event.ts';

/** What came of one payload. It crosses threads, so an error is its message. */
export type Outcome =
  | { readonly rejected: string }
  | {
      readonly matches: readonly string[];
      readonly evaluated: number;
      readonly failures: readonly { readonly ruleId: string; readonly message: string }[];
    };

export interface Matcher {
  readonly engine: Engine;
  match(line: string): Outcome;
}

export function createMatcher(platform: Platform): Matcher {
  const engine = createEngine();
  const analyze: Analyzer = platform === 'x' ? xAnalyzer() : pageAnalyzer();
  return {
    engine,
    match(line) {
      const payload = parsed(line);
      if (payload === undefined) return { rejected: 'not JSON' };
      const view = analyze(payload);
      if (isRejection(view)) return view;
      const { matches, evaluated, failures } = engine.match(view);
      return {
        matches,
        evaluated,
        failures: failures.map(({ ruleId, error }) => ({ ruleId, message: String(error) })),
      };
    },
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
