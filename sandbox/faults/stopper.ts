/** Brings a stream to the end that a fault wants for it: one at a time, and counted when it comes. */
import type { Stop, Wire } from '../wire.ts';
import type { FaultName } from './catalogue.ts';
import type { Claim } from './faults.ts';

export interface Stopper {
  /** The stream is to end, has fallen silent or is closed: no further end is taken. */
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

/** How a connection is cut, as a parameter says it. */
export const endingOf = (how: string): 'reset' | 'fin' | 'end' => (how === 'fin' || how === 'end' ? how : 'reset');
