/** The member that stands for a value of a list that only a run knows; it holds the list. */
export const eachValue = "each value";
