/** Calendar months in UTC, as one number: November 2026 is 202611. */
export const monthOf = (at: Date): number => at.getUTCFullYear() * 100 + at.getUTCMonth() + 1;

/** The usual notation: 2026-11. */
export const monthText = (month: number): string =>
  `${Math.floor(month / 100)}-${String(month % 100).padStart(2, '0')}`;

export const nextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1));
