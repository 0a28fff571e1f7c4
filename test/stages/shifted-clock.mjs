// Loaded before a program under test: its clock is so many milliseconds ahead, in every thread. Timers are as they were.
const ahead = Number(process.env['TEST_CLOCK_AHEAD'] ?? 0);
const Real = Date;
const now = () => Real.now() + ahead;
globalThis.Date = new Proxy(Real, {
  construct: (target, given) => Reflect.construct(target, given.length === 0 ? [now()] : given),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
