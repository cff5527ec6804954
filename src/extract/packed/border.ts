/** A chunk that separates two members of a zip. It is recognised by its identity. */
export const border: Buffer = Buffer.alloc(0);
