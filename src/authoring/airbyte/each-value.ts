/** Name of the member of an object that stands for one value of a list that only a run knows. The member holds the list. */
export const eachValue = "each value";
