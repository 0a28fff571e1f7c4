/** The parts that both upstreams share. */
import type { Clock } from '../src/base/clock.ts';
import type { Faults } from './faults/faults.ts';
import type { RateLimits } from './rate-limit.ts';
import type { Recorder } from './recorder.ts';

export interface Context {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly limits: RateLimits;
  readonly recorder: Recorder;
  /** How many events each upstream keeps for replay, at most. */
  readonly keep: number;
  /** Aborts when the sandbox stops, and ends every wait. */
  readonly signal: AbortSignal;
  /** Returns the number of the next connection, from 1. */
  nextStream(): number;
}

/** The HTML page of a broken gateway, instead of an upstream's own error. */
export const serverError = (status: number) => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><head><title>${status}</title></head><body><h1>${status} Server Error</h1></body></html>`,
});
