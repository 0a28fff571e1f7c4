/**
 * Peers for fields alone that cannot be had: on 18 November 2026 neither npm (event-ruler, @aws/event-ruler, aws-event-ruler,
 * quamina, quamina-js) nor Debian (`apt-cache search`) had them.
 */
export const ABSENT = {
  name: 'Event Ruler, Quamina',
  absent: 'a Java and a Go program that neither npm nor Debian has; no other registry is asked',
};
