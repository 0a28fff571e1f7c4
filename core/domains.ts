/** The domains of a page that does not name its own: those of its address, as `base/domains.ts` finds them. */
import { moveTo } from './json';
import { SECOND_LEVELS } from './memory';
import { DOMAIN } from './page-fields';
import { isListed, readFolded } from './passage';
import { closePiece, moveOut, out, push } from './pieces';

const LONGEST_HOST: u32 = 253;
/** Each costs a copy of the rest of the name; hosts with more are left to TypeScript. */
const MOST_LABELS: u32 = 8;

/** Adds the domains of the address whose string begins here. False where the line is to be left. */
export function addDomains(address: u32): bool {
  let place = out;
  moveTo(address);
  if (!readFolded()) return false;
  const end = out;
  // The address in lower case is a piece without words: domains are copied from it.
  closePiece();
  while (place + 3 <= end && !isScheme(place)) place++;
  return place + 3 > end || addHost(place + 3, end);
}

// @inline
function isScheme(place: u32): bool {
  return load<u16>(place) === 0x2f3a && load<u8>(place, 2) === 0x2f;
}

/** Only hosts of letters, digits, dashes and dots, with a port or not, are sure to be what they seem. */
function addHost(from: u32, end: u32): bool {
  let stop = from;
  while (stop < end && isOfHost(load<u8>(stop))) stop++;
  let after = stop;
  if (after < end && load<u8>(after) === 0x3a) {
    after++;
    while (after < end && isDigit(load<u8>(after))) after++;
  }
  if (after < end && !endsAuthority(load<u8>(after))) return false;
  if (stop > from && load<u8>(stop - 1) === 0x2e) stop--;
  return stop === from || addNames(from, stop);
}

// @inline
function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

// @inline
function isOfHost(byte: u8): bool {
  return (byte >= 0x61 && byte <= 0x7a) || isDigit(byte) || byte === 0x2d || byte === 0x2e;
}

// @inline
function endsAuthority(byte: u8): bool {
  return byte === 0x2f || byte === 0x3f || byte === 0x23 || byte === 0x5c;
}

/** Adds the host and the names that it is part of, down to the one that somebody owns. */
function addNames(from: u32, stop: u32): bool {
  let labels: u32 = 1;
  let isAddress = true;
  for (let place = from; place < stop; place++) {
    if (load<u8>(place) === 0x2e) labels++;
    else isAddress = isAddress && isDigit(load<u8>(place));
  }
  if (labels > MOST_LABELS || stop - from > LONGEST_HOST) return false;
  addDomain(from, stop);
  if (isAddress) return true;
  const fewest: u32 = labels === 3 && isWww(from) ? 2 : registrableLength(from, stop);
  for (let place = from; labels > fewest; place++) {
    if (load<u8>(place) !== 0x2e) continue;
    labels--;
    addDomain(place + 1, stop);
  }
  return true;
}

/** The host without `www.` always counts, though it may be `gov.uk`. */
// @inline
function isWww(host: u32): bool {
  return load<u32>(host) === 0x2e777777;
}

function addDomain(from: u32, stop: u32): void {
  const length = stop - from;
  memory.copy(out, from, length);
  moveOut(out + length);
  push(out - length, out, DOMAIN, 1);
  closePiece();
}

/** How many labels the shortest name has that can be owned: three where a country has names like `co.uk`. */
function registrableLength(host: u32, stop: u32): u32 {
  let last = stop;
  while (last > host && load<u8>(last - 1) !== 0x2e) last--;
  if (stop - last !== 2 || last === host) return 2;
  let second = last - 1;
  while (second > host && load<u8>(second - 1) !== 0x2e) second--;
  return isListed(SECOND_LEVELS, second, last - 1 - second) ? 3 : 2;
}
