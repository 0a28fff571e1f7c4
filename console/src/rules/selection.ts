/** Which rules of the list are selected. Pure. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** The rule at which a range begins that is selected with Shift. */
  readonly anchor: string | undefined;
}

export const NONE_SELECTED: Selection = { ids: new Set(), anchor: undefined };

/** Selects a rule or takes it back. With Shift, all from the last one on become as this one. */
export function toggled(
  { ids, anchor }: Selection,
  id: string,
  { isRange, order }: { isRange: boolean; order: readonly string[] },
): Selection {
  const next = new Set(ids);
  const wanted = !ids.has(id);
  for (const one of isRange ? between(order, anchor, id) : [id]) {
    if (wanted) next.add(one);
    else next.delete(one);
  }
  return { ids: next, anchor: id };
}

function between(order: readonly string[], anchor: string | undefined, id: string): readonly string[] {
  const [one, other] = [order.indexOf(anchor ?? ''), order.indexOf(id)];
  if (one === -1 || other === -1) return [id];
  return order.slice(Math.min(one, other), Math.max(one, other) + 1);
}

/** Only what is in the list counts: a rule that a search has hidden is not acted on. */
export const selectedOf = <Thing extends { readonly id: string }>(
  shown: readonly Thing[],
  { ids }: Selection,
): Thing[] => (ids.size === 0 ? [] : shown.filter(({ id }) => ids.has(id)));
