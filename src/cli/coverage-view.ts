/** Coverage for people, on standard error: what is printed on standard output stays for programs. */
import { explainReason, type StreamCoverage } from '../../packages/client/src/index.ts';
import { err, plain } from './output.ts';

/** A sentence and the name of a source. */
const LONGEST = 300;

type Coverage = Pick<StreamCoverage, 'complete' | 'complete_through' | 'reasons'>;

/** Says what is not complete, and why; undefined when all is. */
export function coverageWarning({ complete, complete_through, reasons }: Coverage): string | undefined {
  if (complete) return undefined;
  const until = complete_through === null ? 'Nothing is known to be complete' : `Complete up to ${complete_through}`;
  return `${until}: ${reasons.map((reason) => plain(`${explainReason(reason)} [${reason}]`, LONGEST)).join(' ')}`;
}

/** Prints the warning when the reasons change. */
export function coverageTeller(): (coverage: Coverage) => void {
  let told = '';
  return (coverage) => {
    const reasons = coverage.reasons.join(' ');
    if (reasons === told) return;
    told = reasons;
    console.error(err.yellow(coverageWarning(coverage) ?? 'Complete again.'));
  };
}
