/**
 * Decides where new texts go when an upstream has a limited number of slots. While slots last, each text has one of its
 * own, and the upstream's verdict decides. When they run out, the smallest registrations are joined into one pack as full
 * as possible: one addition and one deletion make room for many later texts, and a full pack is not touched again. Pure.
 */
import { fitsPack, type PackPart } from '../../rules/pack.ts';
import type { RuleText } from '../../rules/rule-text.ts';

/** A text to be registered. Without a part it must stand alone. */
export interface Member {
  readonly text: RuleText;
  readonly part: PackPart | undefined;
}

/** A registration that may be replaced by a larger one. All its members have parts. */
export interface Joinable {
  readonly tag: string;
  readonly members: readonly Member[];
}

/** A registration to be made, and the tags of those that leave once it is held. */
export interface RegistrationDraft {
  readonly members: readonly Member[];
  readonly replaces: readonly string[];
}

export interface Room {
  /** Slots that may be filled for good. */
  readonly free: number;
  /** Slots that may be filled now, before the replaced registrations have gone. The spare ones count. */
  readonly now: number;
  /** The longest value that is taken. */
  readonly length: number;
}

export interface Placement {
  readonly drafts: readonly RegistrationDraft[];
  /** New texts that get a slot as soon as the replaced registrations have gone. */
  readonly waiting: readonly Member[];
  /** New texts for which there is no slot. */
  readonly refused: readonly Member[];
}

interface Piece extends Pack {
  readonly isNew: boolean;
}

/** Slots kept free, so that a pack is never removed before its successor is held. */
export const spareSlots = (limit: number): number => Math.min(20, Math.max(1, Math.floor(limit / 50)), limit - 1);

export function place(newcomers: readonly Member[], joinable: () => readonly Joinable[], room: Room): Placement {
  const alone = (member: Member): RegistrationDraft => ({ members: [member], replaces: [] });
  if (newcomers.length <= Math.min(room.free, room.now)) {
    return { drafts: newcomers.map(alone), waiting: [], refused: [] };
  }
  const packs = join(newcomers, joinable(), room);
  const packed = new Set(packs.flatMap(({ members }) => members));
  const singles = newcomers.filter((member) => !packed.has(member)).map(alone);
  const { kept, refused } = within([...packs, ...singles], room.free);
  const made = kept.slice(0, Math.max(0, room.now));
  const done = new Set([...made.flatMap(({ members }) => members), ...refused]);
  return { drafts: made, waiting: newcomers.filter((member) => !done.has(member)), refused };
}

/** Drafts that free slots come first, so that no beginning of the list needs more slots than the whole list. */
function within(drafts: readonly RegistrationDraft[], free: number): { kept: RegistrationDraft[]; refused: Member[] } {
  const kept: RegistrationDraft[] = [];
  const refused: Member[] = [];
  let growth = 0;
  for (const draft of drafts.toSorted((a, b) => growthOf(a) - growthOf(b))) {
    const grown = growth + growthOf(draft);
    if (growthOf(draft) > 0 && grown > Math.max(0, free)) {
      refused.push(...draft.members);
    } else {
      kept.push(draft);
      growth = grown;
    }
  }
  return { kept, refused };
}

/** By how many slots the registrations grow. */
const growthOf = ({ replaces }: RegistrationDraft): number => 1 - replaces.length;

interface Pack extends RegistrationDraft {
  readonly part: PackPart;
}

/** Pieces that may share a pack, smallest first, and how many of them are in a pack already. */
interface Pile {
  readonly pieces: readonly Piece[];
  taken: number;
  /** How many of the next fit into one pack. */
  run: number;
}

/** Joins the smallest pieces until the new texts fit, as far as they do. */
function join(newcomers: readonly Member[], joinable: readonly Joinable[], { free, length }: Room): Pack[] {
  const piles = pilesOf(newcomers, joinable).map(
    (pieces): Pile => ({ pieces, taken: 0, run: runOf(pieces, 0, length) }),
  );
  const packs: Pack[] = [];
  let over = newcomers.length - Math.max(0, free);
  while (over > 0) {
    const pile = piles.reduce<Pile | undefined>((best, one) => (one.run > (best?.run ?? 1) ? one : best), undefined);
    if (pile === undefined) break;
    const run = pile.pieces.slice(pile.taken, pile.taken + pile.run);
    // Old members stay in front, so that a pack grows at its end.
    packs.push(joined([...run.filter(({ isNew }) => !isNew), ...run.filter(({ isNew }) => isNew)]));
    over -= pile.run - 1;
    pile.taken += pile.run;
    pile.run = runOf(pile.pieces, pile.taken, length);
  }
  for (const { pieces, taken } of piles) if (over > 0) over -= fillUp(packs, pieces.slice(taken), over, length);
  return packs;
}

/** Puts pieces that found no partner into packs that have room. Returns how many it placed. */
function fillUp(packs: Pack[], pieces: readonly Piece[], most: number, length: number): number {
  let done = 0;
  for (const piece of pieces.filter(({ isNew }) => isNew)) {
    const at = packs.findIndex((one) => isSameGroup(one, piece) && fitsPack(sumOf([one, piece]), length));
    // The next is no smaller.
    if (at === -1 || done === most) break;
    packs[at] = joined([packs[at]!, piece]);
    done++;
  }
  return done;
}

/** Pieces that may share a pack, smallest first. */
function pilesOf(newcomers: readonly Member[], joinable: readonly Joinable[]): Piece[][] {
  const piles = new Map<string, Piece[]>();
  const add = (members: readonly Member[], replaces: readonly string[]) => {
    const part = sumOf(members);
    const group = groupOf(members[0]!);
    const pile = piles.get(group) ?? [];
    piles.set(group, pile);
    pile.push({ members, replaces, part, isNew: replaces.length === 0 });
  };
  for (const member of newcomers) if (member.part !== undefined) add([member], []);
  for (const { tag, members } of joinable) add(members, [tag]);
  for (const pile of piles.values()) pile.sort((a, b) => a.part.size - b.part.size);
  return [...piles.values()];
}

/** Flags belong to a registration as a whole. */
const groupOf = ({ text: { flags } }: Member): string => `${flags.quality} ${flags.nsfw}`;
const isSameGroup = (one: RegistrationDraft, other: RegistrationDraft): boolean =>
  groupOf(one.members[0]!) === groupOf(other.members[0]!);

/** How many fit into one pack, from this one on. */
function runOf(pieces: readonly Piece[], from: number, length: number): number {
  let [size, clauses] = [0, 0];
  for (let at = from; at < pieces.length; at++) {
    size += pieces[at]!.part.size;
    clauses += pieces[at]!.part.clauses;
    if (!fitsPack({ size, clauses }, length)) return at - from;
  }
  return pieces.length - from;
}

const joined = (pieces: readonly Pack[]): Pack => ({
  members: pieces.flatMap(({ members }) => members),
  replaces: pieces.flatMap(({ replaces }) => replaces),
  part: sumOf(pieces),
});

const sumOf = (of: readonly { readonly part: PackPart | undefined }[]): PackPart => ({
  size: of.reduce((sum, { part }) => sum + (part?.size ?? 0), 0),
  clauses: of.reduce((sum, { part }) => sum + (part?.clauses ?? 0), 0),
});
