/** Payloads may be anything: these read what is there and give nothing where the shape is another. */
export type PayloadRecord = Readonly<Record<string, unknown>>;

const NONE: readonly unknown[] = [];

export const recordIn = (value: unknown): PayloadRecord | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PayloadRecord) : undefined;

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NONE);

/** A string that says something: an empty one counts as absent. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Ids are strings, but JSON written by hand often has numbers. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textIn(value);

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
