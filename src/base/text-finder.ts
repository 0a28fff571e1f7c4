/**
 * Finds a text in others in time linear in their length, whoever chose it. `indexOf` takes longer: of a long text V8 has
 * only the last 250 characters in its tables, so that a thousand equal letters with another one in the middle take seconds
 * to be looked for in a megabyte of them. Longer texts, and all places of one, are found as Knuth, Morris and Pratt do it.
 */
const SHORT = 250;

export interface TextFinder {
  /** The first place of the text; -1 when it is not there. */
  indexIn(text: string): number;
  /** Calls `visit` with the start of each place, those that overlap too, until it answers false. */
  each(text: string, visit: (start: number) => boolean): void;
}

export function textFinder(wanted: string): TextFinder {
  const indexIn = (text: string): number => {
    if (wanted.length <= SHORT) return text.indexOf(wanted);
    let found = -1;
    walk(text, 0, (start) => {
      found = start;
      return false;
    });
    return found;
  };
  const walk = walker(wanted);
  return {
    indexIn,
    each(text, visit) {
      const first = indexIn(text);
      if (first >= 0 && wanted !== '') walk(text, first, visit);
    },
  };
}

function walker(wanted: string): (text: string, from: number, visit: (start: number) => boolean) => void {
  let units: Int32Array | undefined;
  let fallback: Int32Array | undefined;
  return (text, from, visit) => {
    units ??= Int32Array.from({ length: wanted.length }, (_, at) => wanted.charCodeAt(at));
    fallback ??= fallbacksOf(units);
    let held = 0;
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (held > 0 && units[held] !== unit) held = fallback[held - 1]!;
      if (units[held] === unit) held++;
      if (held < units.length) continue;
      held = fallback[held - 1]!;
      if (!visit(at + 1 - units.length)) return;
    }
  };
}

/** For each beginning of what is wanted, how much of it its own end could be the beginning of. */
export function fallbacksOf(wanted: Int32Array): Int32Array {
  const fallback = new Int32Array(wanted.length);
  let held = 0;
  for (let index = 1; index < wanted.length; index++) {
    while (held > 0 && wanted[held] !== wanted[index]) held = fallback[held - 1]!;
    if (wanted[held] === wanted[index]) held++;
    fallback[index] = held;
  }
  return fallback;
}

/** The longest beginning of a wanted text that the text ends with as far as it was read. */
interface Place {
  readonly next: Map<number, Place>;
  /** The next shorter one of them. */
  shorter: Place | undefined;
  /** The wanted text that ends here. */
  text: string | undefined;
}

const newPlace = (): Place => ({ next: new Map(), shorter: undefined, text: undefined });

/**
 * Answers which of the wanted texts are in another one, in time linear in its length, however many are wanted: as Aho and Corasick
 * do it.
 */
export function textsFinder(wanted: readonly string[]): (text: string) => ReadonlySet<string> {
  const start = newPlace();
  for (const text of wanted) addText(start, text);
  joinPlaces(start);
  return (text) => {
    const found = new Set<string>();
    // With a place, all shorter ones were seen.
    const seen = new Set<Place>([start]);
    let place = start;
    for (let at = 0; at < text.length; at++) {
      place = nextPlace(place, text.charCodeAt(at)) ?? start;
      for (let end = place; !seen.has(end); end = end.shorter!) {
        seen.add(end);
        if (end.text !== undefined) found.add(end.text);
      }
    }
    return found;
  };
}

function addText(start: Place, text: string): void {
  let place = start;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const next = place.next.get(unit) ?? newPlace();
    place.next.set(unit, next);
    place = next;
  }
  place.text = text;
}

/** The places of shorter beginnings come first. */
function joinPlaces(start: Place): void {
  const places = [start];
  for (const place of places)
    for (const [unit, next] of place.next) {
      next.shorter = (place.shorter && nextPlace(place.shorter, unit)) ?? start;
      places.push(next);
    }
}

/** Answers undefined where no beginning goes on. */
function nextPlace(from: Place, unit: number): Place | undefined {
  for (let place: Place | undefined = from; place !== undefined; place = place.shorter) {
    const next = place.next.get(unit);
    if (next !== undefined) return next;
  }
  return undefined;
}
