/**
 * How a state of the API is shown: its word, its colour, and what it means in a sentence. Every table is exhaustive over the
 * API's enum, so a state that the API gains does not compile until it has its words.
 */
import type { Tone } from '../ui/badge.tsx';

export interface Shown {
  readonly words: string;
  readonly tone: Tone;
  readonly about: string;
}
