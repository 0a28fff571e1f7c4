export function signalsOf(platform: string): {
  readonly passedOn: readonly NodeJS.Signals[];
  readonly forBoth: readonly NodeJS.Signals[];
};

export function whenLeft(onLeft: () => void): void;
