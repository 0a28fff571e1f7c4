/** Which faults are thrown, how often each may still fire, and how often it has fired. */
import { CATALOGUE, type FaultName, type FaultOptions, type ParamsOf, type Row } from './catalogue.ts';

/** One firing, reserved for one caller: `fire` counts it, and `release` gives it back. */
export interface Claim<N extends FaultName> {
  readonly params: ParamsOf<N>;
  fire(): void;
  release(): void;
}

export interface FaultReport {
  readonly name: FaultName;
  readonly what: string;
  /** How often it may still fire: undefined if it is not thrown, infinite if it stays until it is cleared. */
  readonly left: number | undefined;
  readonly fired: number;
}

export interface Faults {
  throw<N extends FaultName>(name: N, options?: FaultOptions<N>): void;
  clear(name?: FaultName): void;
  claim<N extends FaultName>(name: N, fits?: (params: ParamsOf<N>) => boolean): Claim<N> | undefined;
  /** Claims and fires at once. */
  take<N extends FaultName>(name: N, fits?: (params: ParamsOf<N>) => boolean): ParamsOf<N> | undefined;
  fired(name: FaultName): number;
  reports(): FaultReport[];
  /** Calls the listener after each throw, so that the fault can hit streams that are open already. */
  onThrow(listener: (name: FaultName) => void): void;
}

interface Thrown {
  readonly params: Row['params'];
  left: number;
}

export function createFaults(): Faults {
  const thrown = new Map<FaultName, Thrown>();
  const fired = new Map<FaultName, number>();
  const listeners: ((name: FaultName) => void)[] = [];

  const claim = <N extends FaultName>(name: N, fits?: (params: ParamsOf<N>) => boolean): Claim<N> | undefined => {
    const one = thrown.get(name);
    const params = one?.params as ParamsOf<N> | undefined;
    if (one === undefined || params === undefined || one.left <= 0 || fits?.(params) === false) return undefined;
    one.left--;
    return {
      params,
      fire: () => void fired.set(name, (fired.get(name) ?? 0) + 1),
      release: () => void one.left++,
    };
  };

  return {
    throw(name, { times, ...params } = {}) {
      const row: Row = CATALOGUE[name];
      thrown.set(name, { params: { ...row.params, ...params }, left: times ?? row.times });
      for (const listener of listeners) listener(name);
    },
    clear(name) {
      if (name === undefined) thrown.clear();
      else thrown.delete(name);
    },
    claim,
    take(name, fits) {
      const claimed = claim(name, fits);
      claimed?.fire();
      return claimed?.params;
    },
    fired: (name) => fired.get(name) ?? 0,
    reports: () =>
      (Object.keys(CATALOGUE) as FaultName[]).map((name) => ({
        name,
        what: CATALOGUE[name].what,
        left: thrown.get(name)?.left,
        fired: fired.get(name) ?? 0,
      })),
    onThrow: (listener) => void listeners.push(listener),
  };
}
