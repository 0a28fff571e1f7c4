/**
 * What we know of one upstream's registrations: in the store and, the same, in memory. Beside them stand the texts that
 * rules want held there, each with its holderOf: the registration that holds it. A text without one is unheld.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/registration.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import { type RuleText, textKey } from '../rule-text.ts';

export interface RegistrationTable {
  /** Reads what is stored, and keeps of it what these texts need. */
  load(wanted: Iterable<RuleText>): Promise<void>;
  /** Reads again what is stored: another process on the same store may have changed it. */
  refresh(): Promise<void>;
  rows(): Registration[];
  /** Two may share one: a pack that reads as somebody's own text does. */
  byId(platformRuleId: string): Registration[];
  /** The registration that holds the text. */
  holderOf(text: RuleText): Registration | undefined;
  /** The texts of a registration that rules still want, wherever they are at holderOf by now. */
  wantedOf(row: Registration): RuleText[];
  /** Those of them that have their holderOf in it. */
  heldIn(row: Registration): RuleText[];
  unheld(): RuleText[];
  /** From now on the text is wanted. It has no holderOf yet, unless one is given that holds it. */
  want(text: RuleText, holderOf?: Registration): void;
  /** Nobody wants the text any more. */
  forget(text: RuleText): void;
  /** Stores the change, then knows it. A registration that comes to be held is the holderOf of its texts. */
  write(change: RegistrationChange): Promise<void>;
}

interface Entry {
  readonly text: RuleText;
  holderOf: string | undefined;
}

export const textsIn = ({ texts, flags }: Registration): RuleText[] => texts.map((value) => ({ value, flags }));

export function createRegistrationTable(store: Store, platform: Platform): RegistrationTable {
  const rows = new Map<string, Registration>();
  const ids = new Map<string, Set<string>>();
  const entries = new Map<string, Entry>();

  function put(row: Registration): void {
    drop(row.tag);
    rows.set(row.tag, row);
    const id = row.platformRuleId;
    if (id !== undefined) ids.set(id, (ids.get(id) ?? new Set()).add(row.tag));
    if (row.state !== 'held') return;
    for (const text of textsIn(row)) {
      const entry = entries.get(textKey(text));
      if (entry !== undefined) entry.holderOf = row.tag;
    }
  }

  function drop(tag: string): void {
    const id = rows.get(tag)?.platformRuleId;
    rows.delete(tag);
    if (id === undefined) return;
    ids.get(id)?.delete(tag);
    if (ids.get(id)?.size === 0) ids.delete(id);
  }

  function want(text: RuleText, holderOf?: Registration): void {
    if (!entries.has(textKey(text))) entries.set(textKey(text), { text, holderOf: holderOf?.tag });
  }

  const holderOf = (text: RuleText): Registration | undefined => {
    const tag = entries.get(textKey(text))?.holderOf;
    const row = tag === undefined ? undefined : rows.get(tag);
    return row?.state === 'held' ? row : undefined;
  };

  return {
    async load(wanted) {
      for (const text of wanted) entries.set(textKey(text), { text, holderOf: undefined });
      for (const row of await store.registrations(platform)) put(row);
    },
    async refresh() {
      const stored = await store.registrations(platform);
      const known = new Set([...rows.values()].filter(({ state }) => state === 'held').map(({ tag }) => tag));
      rows.clear();
      ids.clear();
      for (const row of stored) {
        // What somebody else has had registered, somebody else's rules want.
        if (row.state === 'held' && !known.has(row.tag)) for (const text of textsIn(row)) want(text);
        put(row);
      }
    },
    rows: () => [...rows.values()],
    byId: (id) => [...(ids.get(id) ?? [])].map((tag) => rows.get(tag)!),
    holderOf: holderOf,
    wantedOf: (row) => textsIn(row).filter((text) => entries.has(textKey(text))),
    heldIn: (row) => textsIn(row).filter((text) => holderOf(text) === row),
    unheld: () => [...entries.values()].filter(({ text }) => holderOf(text) === undefined).map(({ text }) => text),
    want,
    forget: (text) => void entries.delete(textKey(text)),
    async write(change) {
      if (Object.values(change).every((list) => list.length === 0)) return;
      await store.changeRegistrations(change);
      for (const tag of change.drop ?? []) drop(tag);
      for (const row of change.put ?? []) put(row);
    },
  };
}
