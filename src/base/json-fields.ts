/** Readers for JSON of unknown shape. Each returns the field if it has the expected type, and nothing otherwise. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: readonly unknown[] = [];

export const recordIn = (value: unknown): JsonRecord | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : EMPTY);

/** A string with at least one character: an empty one counts as absent. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Ids are strings, but JSON written by hand often has numbers. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? String(value) : textIn(value);

export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
