/** One point of a growth curve: what some piece of work costs a server that has so many of something. */
export const CURVES = ['rules', 'matches', 'webhooks', 'streams'] as const;
export type CurveName = (typeof CURVES)[number];

export interface CurvePoint {
  readonly curve: CurveName;
  readonly size: number;
  /** Microseconds of CPU of the whole process, by the piece of work. */
  readonly cpu_micros: Readonly<Record<string, number>>;
  /** The memory of the process after the work. */
  readonly resident_mb: number;
  /** Only the curve of rules has it: an event matches more of them the more there are. */
  readonly matches_an_event?: number;
}

export interface CurveOptions {
  readonly quick?: boolean;
  /** As far as the machine goes, whatever time it takes. */
  readonly full?: boolean;
}

/** The sizes that options ask for: the short list, the usual one, or the usual one and more. */
export const sizesOf = (
  { quick = false, full = false }: CurveOptions,
  sizes: { readonly quick: readonly number[]; readonly usual: readonly number[]; readonly more?: readonly number[] },
): readonly number[] => (quick ? sizes.quick : [...sizes.usual, ...(full ? (sizes.more ?? []) : [])]);
