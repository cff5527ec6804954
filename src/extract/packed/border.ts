/** Separates the bytes of two members of a zip. Recognised by its identity. */
export const border: Buffer = Buffer.alloc(0);
