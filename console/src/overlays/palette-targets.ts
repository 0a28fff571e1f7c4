/** Finding a place by a part of its name. Pure. */
export interface Target {
  readonly group: 'Page' | 'Action' | 'View' | 'Rule' | 'Webhook';
  readonly name: string;
  readonly path: string;
}

const SHOWN = 12;

/** Names that begin so come before names that have it later; among equals the order stays. */
export function targetsLike(targets: readonly Target[], typed: string): Target[] {
  const wanted = typed.trim().toLowerCase();
  const first: Target[] = [];
  const later: Target[] = [];
  for (const target of targets) {
    const at = target.name.toLowerCase().indexOf(wanted);
    if (at === 0) first.push(target);
    else if (at > 0) later.push(target);
    if (first.length >= SHOWN) break;
  }
  return [...first, ...later].slice(0, SHOWN);
}
