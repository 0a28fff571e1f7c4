/** A place in the order of matches; opaque, comparable by the store alone. */
export type Position = number;
