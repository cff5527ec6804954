/** A part of a manifest that no configuration can say; the message says which. */
export class Unsayable extends Error {}
