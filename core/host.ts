/** The core asks these of the program around it. */

/** Whether a predicate holds for the event at hand: 0, 1, or 2 where the rule must be left undecided. */
export declare function decide(predicate: u32): u32;

/** Takes the first `count` rule numbers from the results, since there is no room for more. */
export declare function takeResults(count: u32): void;

/** Notes that the rule of this number was left in the middle of its evaluation. */
export declare function leave(rule: u32): void;
