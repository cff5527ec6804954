/** A chunk that separates two members of a zip. Receivers recognise it by its identity. */
export const border: Buffer = Buffer.alloc(0);
