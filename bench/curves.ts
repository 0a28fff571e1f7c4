/**
 * `npm run bench -- curves`: how CPU and memory of a server grow with what it has: rules, stored matches, webhooks and open streams. Each
 * point is a line of JSON; a table with the place where each curve bends follows, and `--accept` draws them. `--full` goes on to ten
 * million rules and fifty million matches, which takes hours.
 */
import { matchesCurve } from './curves/matches.ts';
import type { CurveName, CurveOptions, CurvePoint } from './curves/point.ts';
import { rulesCurve } from './curves/rules.ts';
import { streamsCurve } from './curves/streams.ts';
import { webhooksCurve } from './curves/webhooks.ts';

const RUNS: Readonly<Record<CurveName, (options: CurveOptions) => AsyncGenerator<CurvePoint>>> = {
  rules: rulesCurve,
  matches: matchesCurve,
  webhooks: webhooksCurve,
  streams: streamsCurve,
};

/** One of them, or all. */
export async function* benchCurves({
  set,
  ...options
}: CurveOptions & { readonly set?: string | undefined }): AsyncGenerator<CurvePoint> {
  for (const [name, run] of Object.entries(RUNS)) if ((set ?? name) === name) yield* run(options);
}
