/**
 * One upstream's registrations, in memory as they are in the store. Beside them are the texts that rules want held, each
 * with the registration that holds it.
 */
import type { Platform } from '../../domain/platform.ts';
import type { Registration } from '../../domain/rule.ts';
import { type RuleText, textKey } from '../../rules/rule-text.ts';
import type { RegistrationChange, Store } from '../../store/store.ts';
import type { Holding } from './holding.ts';
import { textsIn } from './registration-lifecycle.ts';

export interface RegistrationTable {
  /** Reads what is stored. These texts are wanted. */
  load(wanted: Iterable<RuleText>): Promise<void>;
  /** Reads the store again: another process on it may have changed registrations. */
  refresh(): Promise<void>;
  rows(): Registration[];
  /** Two may share an id: a pack can read exactly as another text does. */
  byId(platformRuleId: string): Registration[];
  /** The meaning of a rule of the upstream; `late` when no rule wants it any more. */
  meaningOf(platformRuleId: string): Holding | 'late' | undefined;
  /** The registration that holds the text. */
  holderOf(text: RuleText): Registration | undefined;
  /** The texts of a registration that rules still want, whichever registration holds them. */
  wantedOf(row: Registration): RuleText[];
  /** The wanted texts that this registration itself holds. */
  heldIn(row: Registration): RuleText[];
  /** Whether a rule wants the text held. */
  isWanted(text: RuleText): boolean;
  /** Wanted texts that no registration holds. */
  unheld(): RuleText[];
  /** From now on the text is wanted. No registration holds it, unless one is given that does. */
  want(text: RuleText, holder?: Registration): void;
  /** No rule wants the text any more. */
  forget(text: RuleText): void;
  /** Stores the change, then applies it here. A registration whose state becomes `held` holds its texts from now on. */
  write(change: RegistrationChange): Promise<void>;
}

export function createRegistrationTable(store: Store, platform: Platform): RegistrationTable {
  const rows = createRows();
  const { hold, ...texts } = createWantedTexts(rows);

  function put(row: Registration): void {
    rows.put(row);
    if (row.state === 'held') hold(row);
  }

  return {
    async load(wanted) {
      for (const text of wanted) texts.want(text);
      for (const row of await store.registrations(platform)) put(row);
    },
    async refresh() {
      const stored = await store.registrations(platform);
      const known = new Set(rows.all().flatMap(({ state, tag }) => (state === 'held' ? [tag] : [])));
      rows.clear();
      for (const row of stored) {
        // Another process had it registered, so rules of that process want its texts.
        if (row.state === 'held' && !known.has(row.tag)) for (const text of textsIn(row)) texts.want(text);
        put(row);
      }
    },
    rows: rows.all,
    byId: rows.byId,
    meaningOf: (id) => meaningOf(rows.byId(id), texts.wantedOf),
    ...texts,
    async write(change) {
      if (Object.values(change).every((list) => list.length === 0)) return;
      await store.changeRegistrations(change);
      for (const tag of change.drop ?? []) rows.drop(tag);
      for (const row of change.put ?? []) put(row);
    },
  };
}

function meaningOf(
  rows: readonly Registration[],
  wantedOf: (row: Registration) => RuleText[],
): Holding | 'late' | undefined {
  if (rows.length === 0) return undefined;
  const texts = new Map(rows.flatMap(wantedOf).map((text) => [textKey(text), text]));
  return texts.size === 0 ? 'late' : { texts: [...texts.values()], packed: rows.some((row) => row.texts.length > 1) };
}

type Rows = ReturnType<typeof createRows>;

/** Registrations by tag and by the upstream's id. */
function createRows() {
  const byTag = new Map<string, Registration>();
  const tagsOfId = new Map<string, Set<string>>();

  function drop(tag: string): void {
    const id = byTag.get(tag)?.platformRuleId;
    byTag.delete(tag);
    if (id === undefined) return;
    tagsOfId.get(id)?.delete(tag);
    if (tagsOfId.get(id)?.size === 0) tagsOfId.delete(id);
  }

  return {
    put(row: Registration): void {
      drop(row.tag);
      byTag.set(row.tag, row);
      const id = row.platformRuleId;
      if (id !== undefined) tagsOfId.set(id, (tagsOfId.get(id) ?? new Set()).add(row.tag));
    },
    drop,
    clear(): void {
      byTag.clear();
      tagsOfId.clear();
    },
    all: (): Registration[] => [...byTag.values()],
    byTag: (tag: string): Registration | undefined => byTag.get(tag),
    byId: (id: string): Registration[] => [...(tagsOfId.get(id) ?? [])].map((tag) => byTag.get(tag)!),
  };
}

interface WantedText {
  readonly text: RuleText;
  /** The tag of the registration that held it last. */
  holder: string | undefined;
}

function createWantedTexts(rows: Pick<Rows, 'byTag'>) {
  const wanted = new Map<string, WantedText>();

  function holderOf(text: RuleText): Registration | undefined {
    const tag = wanted.get(textKey(text))?.holder;
    const row = tag === undefined ? undefined : rows.byTag(tag);
    return row?.state === 'held' ? row : undefined;
  }

  return {
    holderOf,
    isWanted: (text: RuleText) => wanted.has(textKey(text)),
    wantedOf: (row: Registration) => textsIn(row).filter((text) => wanted.has(textKey(text))),
    heldIn: (row: Registration) => textsIn(row).filter((text) => holderOf(text) === row),
    unheld: () => [...wanted.values()].filter(({ text }) => holderOf(text) === undefined).map(({ text }) => text),
    want(text: RuleText, holder?: Registration): void {
      if (!wanted.has(textKey(text))) wanted.set(textKey(text), { text, holder: holder?.tag });
    },
    forget: (text: RuleText) => void wanted.delete(textKey(text)),
    hold(row: Registration): void {
      for (const text of textsIn(row)) {
        const one = wanted.get(textKey(text));
        if (one !== undefined) one.holder = row.tag;
      }
    },
  };
}
