/** Thrown for a part of a manifest that no configuration can express; the message says which part. */
export class Unsayable extends Error {}
