/**
 * What we know of one upstream's registrations: in the store and, the same, in memory. Beside them stand the texts that
 * rules want held there, each with its home: the registration that holds it. A text without one is homeless.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/registration.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import { keyOf, type RuleText } from '../rule-text.ts';

export interface Book {
  /** Reads what is stored, and keeps of it what these texts need. */
  load(wanted: Iterable<RuleText>): Promise<void>;
  /** Reads again what is stored: another process on the same store may have changed it. */
  refresh(): Promise<void>;
  rows(): Registration[];
  /** Two may share one: a pack that reads as somebody's own text does. */
  byId(platformRuleId: string): Registration[];
  /** The registration that holds the text. */
  home(text: RuleText): Registration | undefined;
  /** The texts of a registration that rules still want, wherever they are at home by now. */
  wantedOf(row: Registration): RuleText[];
  /** Those of them that have their home in it. */
  livingIn(row: Registration): RuleText[];
  homeless(): RuleText[];
  /** From now on the text is wanted. It has no home yet, unless one is given that holds it. */
  want(text: RuleText, home?: Registration): void;
  /** Nobody wants the text any more. */
  forget(text: RuleText): void;
  /** Stores the change, then knows it. A registration that comes to be held is the home of its texts. */
  write(change: RegistrationChange): Promise<void>;
}

interface Entry {
  readonly text: RuleText;
  home: string | undefined;
}

export const textsOf = ({ texts, flags }: Registration): RuleText[] => texts.map((value) => ({ value, flags }));

export function createBook(store: Store, platform: Platform): Book {
  const rows = new Map<string, Registration>();
  const ids = new Map<string, Set<string>>();
  const entries = new Map<string, Entry>();

  function put(row: Registration): void {
    drop(row.tag);
    rows.set(row.tag, row);
    const id = row.platformRuleId;
    if (id !== undefined) ids.set(id, (ids.get(id) ?? new Set()).add(row.tag));
    if (row.state !== 'held') return;
    for (const text of textsOf(row)) {
      const entry = entries.get(keyOf(text));
      if (entry !== undefined) entry.home = row.tag;
    }
  }

  function drop(tag: string): void {
    const id = rows.get(tag)?.platformRuleId;
    rows.delete(tag);
    if (id === undefined) return;
    ids.get(id)?.delete(tag);
    if (ids.get(id)?.size === 0) ids.delete(id);
  }

  function want(text: RuleText, home?: Registration): void {
    if (!entries.has(keyOf(text))) entries.set(keyOf(text), { text, home: home?.tag });
  }

  const homeOf = (text: RuleText): Registration | undefined => {
    const tag = entries.get(keyOf(text))?.home;
    const row = tag === undefined ? undefined : rows.get(tag);
    return row?.state === 'held' ? row : undefined;
  };

  return {
    async load(wanted) {
      for (const text of wanted) entries.set(keyOf(text), { text, home: undefined });
      for (const row of await store.registrations(platform)) put(row);
    },
    async refresh() {
      const stored = await store.registrations(platform);
      const known = new Set([...rows.values()].filter(({ state }) => state === 'held').map(({ tag }) => tag));
      rows.clear();
      ids.clear();
      for (const row of stored) {
        // What somebody else has had registered, somebody else's rules want.
        if (row.state === 'held' && !known.has(row.tag)) for (const text of textsOf(row)) want(text);
        put(row);
      }
    },
    rows: () => [...rows.values()],
    byId: (id) => [...(ids.get(id) ?? [])].map((tag) => rows.get(tag)!),
    home: homeOf,
    wantedOf: (row) => textsOf(row).filter((text) => entries.has(keyOf(text))),
    livingIn: (row) => textsOf(row).filter((text) => homeOf(text) === row),
    homeless: () => [...entries.values()].filter(({ text }) => homeOf(text) === undefined).map(({ text }) => text),
    want,
    forget: (text) => void entries.delete(keyOf(text)),
    async write(change) {
      if (Object.values(change).every((list) => list.length === 0)) return;
      await store.changeRegistrations(change);
      for (const tag of change.drop ?? []) drop(tag);
      for (const row of change.put ?? []) put(row);
    },
  };
}
