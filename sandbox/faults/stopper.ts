/** Ends a stream as a fault demands. It takes one fault at a time and counts it when the end comes. */
import type { Stop, Wire } from '../wire.ts';
import type { FaultName } from './catalogue.ts';
import type { Claim } from './faults.ts';

export interface Stopper {
  /** True if an end is planned, or the stream is silent or closed: no further fault is taken. */
  readonly isBusy: boolean;
  plan<N extends FaultName>(claim: Claim<N>, stop: Pick<Stop, 'after' | 'how'>): void;
}

export function createStopper(wire: Wire): Stopper {
  let isPlanned = false;
  return {
    get isBusy() {
      return isPlanned || wire.silent || wire.signal.aborted;
    },
    plan(claim, stop) {
      isPlanned = true;
      const giveBack = () => claim.release();
      wire.signal.addEventListener('abort', giveBack);
      const done = () => {
        isPlanned = false;
        wire.signal.removeEventListener('abort', giveBack);
        claim.fire();
      };
      wire.stop({ ...stop, done });
    },
  };
}

/** Reads how a connection is cut from a fault's parameter. */
export const endingOf = (how: string): 'reset' | 'fin' | 'end' => (how === 'fin' || how === 'end' ? how : 'reset');
