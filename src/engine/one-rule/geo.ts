/** Compares where a post was sent from with the two shapes that a rule can draw. A place counts only when all of it lies inside. */
import type { Predicate } from '../../rules/query.ts';
import type { GeoPlace } from '../events/event-view.ts';

const EARTH_RADIUS = 6_371_008.8;

type Shape = Extract<Predicate, { kind: 'circle' | 'box' }>;

export function lies(place: GeoPlace, within: Shape): boolean {
  if (place.kind === 'point') return holdsPoint(within, place.longitude, place.latitude);
  const { west, south, east, north } = place;
  return (
    holdsPoint(within, west, south) &&
    holdsPoint(within, west, north) &&
    holdsPoint(within, east, south) &&
    holdsPoint(within, east, north)
  );
}

function holdsPoint(shape: Shape, longitude: number, latitude: number): boolean {
  if (shape.kind === 'circle') {
    return metresBetween(shape.longitude, shape.latitude, longitude, latitude) <= shape.radius;
  }
  return longitude >= shape.west && longitude <= shape.east && latitude >= shape.south && latitude <= shape.north;
}

/** The haversine distance on a sphere. */
export function metresBetween(longitude: number, latitude: number, toLongitude: number, toLatitude: number): number {
  const radians = Math.PI / 180;
  const acrossLatitude = Math.sin(((toLatitude - latitude) * radians) / 2);
  const acrossLongitude = Math.sin(((toLongitude - longitude) * radians) / 2);
  const share =
    acrossLatitude ** 2 + Math.cos(latitude * radians) * Math.cos(toLatitude * radians) * acrossLongitude ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(share)));
}
